// The parts of `npm run test:long`, and their progress according to recorded results.
import { shortVersion } from './suite-run.ts';

export const parts = [
  'versions',
  'crash-points',
  'insight',
  'power-cut',
  'load',
  'chaos',
  'attached',
  'certificates',
] as const;
export type Part = (typeof parts)[number];

/** A line of the results. */
export interface Piece {
  readonly date: string;
  readonly part: Part;
  /** As `2.6.12`. */
  readonly version: string;
  readonly commit: string;
  readonly seed: number;
  readonly count: number;
  readonly seconds: number;
  /** `restarted` runs nothing: it discards earlier results. */
  readonly result: 'passed' | 'failed' | 'restarted';
  /** How many tests ran, or what failed. */
  readonly detail?: string;
}

export interface Plan {
  readonly part: Part;
  readonly unit: 'runs' | 'points' | 'rounds';
  readonly target: number;
  /** A run that is cut off loses the piece under way. */
  readonly pieceSize: number;
  /** Counts only for the code that it ran on; otherwise pieces add up across commits. */
  readonly everyCommit: boolean;
  /** Each piece uses the next seed; otherwise all use the seed of the tests. */
  readonly newSeeds: boolean;
  readonly covers: string;
}

/** @param rounds of chaos and of power failures per version; half as many for an attached service, three quarters with certificates */
export function plansFor(rounds: number): readonly Plan[] {
  const once = { unit: 'runs', target: 1, pieceSize: 1 } as const;
  const attachedRounds = Math.ceil(rounds / 2);
  const certificateRounds = Math.ceil((rounds * 3) / 4);
  const many = { target: rounds, everyCommit: false, newSeeds: true } as const;
  return [
    {
      ...once,
      part: 'versions',
      everyCommit: true,
      newSeeds: false,
      covers: 'all tests of the whole product, and all cases of sampled tests, at the current commit',
    },
    {
      ...once,
      part: 'crash-points',
      everyCommit: true,
      newSeeds: false,
      covers: 'a crash at every crash point, of the service alone and with its proxy, at the current commit',
    },
    {
      ...once,
      part: 'insight',
      everyCommit: true,
      newSeeds: false,
      covers: 'attacks, candidates, charts, reloads and 400 days of denied requests, at the current commit',
    },
    {
      ...many,
      part: 'power-cut',
      unit: 'points',
      pieceSize: 20,
      covers: `${rounds} power failures, added up across commits`,
    },
    {
      ...once,
      part: 'load',
      everyCommit: false,
      newSeeds: true,
      covers: `${load.clients} clients for ${load.seconds} s with ${load.entries} entries, at any commit`,
    },
    {
      ...many,
      part: 'chaos',
      unit: 'rounds',
      pieceSize: 10,
      covers: `${rounds} chaos rounds, added up across commits`,
    },
    {
      ...many,
      part: 'attached',
      target: attachedRounds,
      unit: 'rounds',
      pieceSize: 10,
      covers: `${attachedRounds} chaos rounds of a service attached to an operator's HAProxy, added up across commits`,
    },
    {
      ...many,
      part: 'certificates',
      target: certificateRounds,
      unit: 'rounds',
      pieceSize: 10,
      covers: `${certificateRounds} chaos rounds of a service that orders certificates, added up across commits`,
    },
  ];
}

export const load = { clients: 200, seconds: 300, entries: 200_000 } as const;

export interface Progress {
  /** Since the last failure or restart. */
  readonly done: number;
  readonly open: number;
  readonly nextSeed: number;
  /** The first piece counted in `done`. */
  readonly first: Piece | null;
  readonly last: Piece | null;
}

/** @param sameCode whether a commit has the code that is tested now */
export function progressOf(
  pieces: readonly Piece[],
  { part, target, everyCommit, newSeeds }: Plan,
  version: string,
  sameCode: (commit: string) => boolean,
  testSeed: number,
): Progress {
  const own = pieces.filter((piece) => piece.part === part && piece.version === version);
  const passed = own.slice(own.findLastIndex(({ result }) => result !== 'passed') + 1);
  const counted = passed.filter(({ commit }) => !everyCommit || sameCode(commit));
  const done = counted.reduce((sum, { count }) => sum + count, 0);
  const first = counted[0] ?? null;
  const last = own.findLast(({ result }) => result !== 'restarted') ?? null;
  return { done, open: Math.max(0, target - done), nextSeed: newSeeds ? seedAfter(last) : testSeed, first, last };
}

/** A failed piece is repeated. */
function seedAfter(last: Piece | null): number {
  if (last === null) return 1;
  return last.result === 'failed' ? last.seed : last.seed + 1;
}

/** `1 run`, `20 rounds`. */
export function countText(count: number, { unit }: Plan): string {
  return `${count} ${count === 1 ? unit.slice(0, -1) : unit}`;
}

/** The line that sums up a part's output; for chaos and power failures only after a failure. */
export function summaryIn(part: Part, output: string, passed: boolean): string | null {
  if (part === 'load') return lineIn(output, /^\d+ requests in .*$/m);
  if (passed) return null;
  return lineIn(output, part === 'power-cut' ? /^\d+ power failures.*$/m : /^rounds .*$/m);
}

const lineIn = (output: string, form: RegExp): string | null => form.exec(output)?.[0] ?? null;

/** Table in docs/reliability.md. */
export const longRuns = 'test:long';

/** Commits of the first counted and the last run: `1a2b3c4 … 5d6e7f8`, or one. */
export function commitsText({ first, last }: Pick<Progress, 'first' | 'last'>): string {
  if (last === null) return '';
  return first === null || first.commit === last.commit ? last.commit : `${first.commit} … ${last.commit}`;
}

/** Which parts stay done after a change of the code, and which do not. */
export function countedAcrossCommits(): string {
  const listed = (everyCommit: boolean): string => {
    const names = plansFor(1).flatMap((plan) => (plan.everyCommit === everyCommit ? [plan.part] : []));
    return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  };
  return `${listed(false)} add up across commits; ${listed(true)} count at the current commit only.`;
}

/** Part, HAProxy, passed in a row, date, commits, seed, result. */
export function rowOf(plan: Plan, version: string, progress: Progress): string[] | null {
  const { done, last } = progress;
  if (last === null) return null;
  const { date, seed, result, detail } = last;
  const text = detail === undefined ? result : `${result}: ${detail}`;
  return [plan.part, version, countText(done, plan), date.slice(0, 10), commitsText(progress), String(seed), text];
}

/** Rows of other machines stay; sorted by part and version. */
export function mergeRows(old: readonly (readonly string[])[], own: readonly (readonly string[])[]): string[][] {
  const key = ([part = '', version = '']: readonly string[]): string => `${part} ${version}`;
  const byKey = new Map([...old, ...own].map((row) => [key(row), [...row]]));
  const place = ([part]: readonly string[]): number => parts.indexOf(part as Part);
  return [...byKey.values()].sort(
    (one, other) => place(one) - place(other) || (one[1] ?? '').localeCompare(other[1] ?? '', 'en', { numeric: true }),
  );
}

/** Whether `wanted` (`3.4` or `3.4.0`) names the version. */
export function isVersion(version: string, wanted: string): boolean {
  return shortVersion(version) === wanted || version.startsWith(`${wanted}.`);
}
