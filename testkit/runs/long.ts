// The tests that are too long for `npm test`, on every HAProxy found. `--help` explains it.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { parseOptions, someOf, UsageError, wholeNumber } from '../command-line.ts';
import { type ProxyBinary, testProxies } from '../proxies.ts';
import { seedVariable, testSeed } from '../seed.ts';
import { headCommit, longResults, readPage, root, sameCode, uncommitted, writePage } from './checkout.ts';
import { runCommand } from './command.ts';
import {
  commitsText,
  countedAcrossCommits,
  countText,
  isVersion,
  load,
  longRuns,
  mergeRows,
  type Part,
  type Piece,
  type Plan,
  type Progress,
  parts,
  plansFor,
  progressOf,
  rowOf,
  summaryIn,
} from './long-plan.ts';
import { appendPiece, readPieces } from './long-results.ts';
import { runProgram, say, stopOnSignals } from './program.ts';
import { sampledTests, wholeProductTests } from './sampled-tests.ts';
import { durationText, readReport, resultOf, shortVersion } from './suite-run.ts';
import { rowsOf, withRows } from './table.ts';

const folder = join(root, '.test-long');
const vitest = 'node_modules/vitest/vitest.mjs';
/** These parts run them instead of part "versions". */
const ownTests = {
  'crash-points': ['test/crash-points.test.ts', 'test/crash-first-start.test.ts'],
  insight: ['test/insight.test.ts', 'test/insight-reloads.test.ts', 'src/insight/sizes.test.ts'],
} as const;

const usage = `npm run test:long -- [options]: runs what is too long for "npm test", on every HAProxy found, and continues where
the last run ended.

  --part a,b       some of ${parts.join(', ')}; default: all
  --version 3.4    some of the versions found, with commas; default: all
  --rounds 100     chaos rounds, and power failures, for each version, half as many chaos rounds of an attached
                   service, and three quarters with certificates; those of earlier runs count
  --fresh          discard the earlier results of these parts and versions
  --status         print what is done and open, and run nothing
  --results FILE   where results are recorded; default: ${longResults}
  --help           print this text

Parts:
${plansFor(100)
  .map(({ part, covers }) => `  ${part.padEnd(14)} ${covers}\n`)
  .join('')}
${countedAcrossCommits()}

Each finished piece is recorded at once: ${pieceText()}. The table in
docs/reliability.md is updated. After a failed piece the count of its part and version starts again at 0, and the next
run repeats the piece.
Exit code: 0 if nothing is open, 1 if something is, 2 for wrong use.
`;

function pieceText(): string {
  const sizes = plansFor(100).filter(({ pieceSize }) => pieceSize > 1);
  return `one run, ${sizes.map(({ pieceSize, unit, part }) => `${pieceSize} ${unit} of ${part}`).join(', ')}`;
}

interface Options {
  readonly parts: readonly Part[];
  readonly versions: readonly string[] | null;
  readonly rounds: number;
  readonly fresh: boolean;
  readonly status: boolean;
  readonly results: string;
}

interface Task {
  readonly plan: Plan;
  readonly proxy: ProxyBinary;
}

const stopping = stopOnSignals();

async function main(options: Options): Promise<number> {
  const changed = options.status ? [] : uncommitted();
  if (changed.length > 0) {
    throw new Error(`commit these files first, results belong to a commit:\n${changed.join('\n')}`);
  }
  const tasks = tasksOf(options);
  if (options.fresh)
    for (const task of tasks)
      record(options, task, { commit: headCommit(), seed: 0, count: 0, seconds: 0, result: 'restarted' });
  say(statusOf(options, tasks));
  if (!options.status) {
    for (const task of tasks) await finish(options, task);
    say(statusOf(options, tasks));
  }
  return tasks.every((task) => progress(options, task).open === 0) ? 0 : 1;
}

function tasksOf({ parts: wanted, versions, rounds }: Options): Task[] {
  const { found, missing } = testProxies();
  for (const { missing: why } of missing) say(`not covered: ${why}`);
  const unknown = versions?.find((one) => !found.some(({ version }) => isVersion(version, one)));
  if (unknown !== undefined) {
    const names = found.map(({ version }) => shortVersion(version)).join(', ');
    throw new UsageError(`--version ${unknown} is not installed; found: ${names}`);
  }
  const proxies = found.filter(({ version }) => versions?.some((one) => isVersion(version, one)) ?? true);
  return plansFor(rounds)
    .filter(({ part }) => wanted.includes(part))
    .flatMap((plan) => proxies.map((proxy) => ({ plan, proxy })));
}

/** Runs pieces until the task is done, or one fails. */
async function finish(options: Options, task: Task): Promise<void> {
  for (;;) {
    const { open, nextSeed } = progress(options, task);
    if (open === 0) return;
    // Another may be committed while it runs.
    const commit = headCommit();
    const ran = await runPiece(task, nextSeed, Math.min(open, task.plan.pieceSize));
    record(options, task, { ...ran, commit });
    if (ran.result === 'failed') return;
  }
}

type Ran = Pick<Piece, 'seed' | 'count' | 'seconds' | 'result' | 'detail'>;

async function runPiece({ plan, proxy }: Task, seed: number, count: number): Promise<Ran> {
  const { part } = plan;
  const version = shortVersion(proxy.version);
  const name = `${part}-${version}-${seed}`;
  const log = join(folder, `${name}.log`);
  const report = join(folder, `${name}.json`);
  mkdirSync(folder, { recursive: true });
  for (const path of [log, report]) rmSync(path, { force: true });
  say(`${part} on HAProxy ${version}, seed ${seed}, ${countText(count, plan)}; output: ${log}`);
  const { code, seconds } = await runCommand({
    line: [execPath, ...commandOf(part, proxy, seed, count)],
    cwd: root,
    env: {
      ...process.env,
      PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}:/usr/sbin:/usr/local/sbin`,
      PROXY_MANAGER_TEST_LONG: 'yes',
      PROXY_MANAGER_TEST_PROXY_BINS: proxy.bin,
      PROXY_MANAGER_TEST_REPORT: report,
      [seedVariable]: String(seed),
    },
    log,
    signal: stopping.signal,
  });
  const output = readFileSync(log, 'utf8');
  const detail = usesVitest(part) ? testsOf(report, code) : summaryIn(part, output, code === 0);
  say(`  ${code === 0 ? 'passed' : 'FAILED'} in ${durationText(seconds)}${detail === null ? '' : `: ${detail}`}`);
  if (code !== 0) say(tailOf(output));
  return {
    seed,
    count,
    seconds: Math.round(seconds),
    result: code === 0 ? 'passed' : 'failed',
    ...(detail === null ? {} : { detail }),
  };
}

const usesVitest = (part: Part): boolean => part === 'versions' || part in ownTests;

function commandOf(part: Part, { bin }: ProxyBinary, seed: number, count: number): string[] {
  const chosen = ['--seed', String(seed), '--proxy-bin', bin];
  switch (part) {
    case 'versions':
      return [vitest, 'run', ...testsOfVersions()];
    case 'crash-points':
    case 'insight':
      return [vitest, 'run', ...ownTests[part]];
    case 'power-cut':
      return ['chaos/power-cut.ts', ...chosen, '--points', String(count)];
    case 'load': {
      const size = Object.entries(load).flatMap(([name, value]) => [`--${name}`, String(value)]);
      return ['chaos/load.ts', ...chosen, ...size];
    }
    case 'chaos':
    case 'attached':
    case 'certificates':
      return [
        'chaos/run.ts',
        ...chosen,
        ...(part === 'chaos' ? [] : [`--${part}`]),
        '--from',
        '1',
        '--rounds',
        String(count),
        '--out',
        join(folder, 'rounds.jsonl'),
      ];
  }
}

/** File names, because `--exclude` has no effect on projects. */
function testsOfVersions(): string[] {
  const own: readonly string[] = Object.values(ownTests).flat();
  return [...wholeProductTests(root), ...sampledTests(root)].filter((path) => !own.includes(path));
}

function testsOf(report: string, code: number | null): string {
  const { passed, failed, skipped, failures } = resultOf(readReport(report), root, code);
  return [`${passed} passed, ${failed} failed, ${skipped} skipped`, ...failures.slice(0, 3)].join('; ');
}

function tailOf(output: string): string {
  const lines = output.trimEnd().split('\n').slice(-30);
  return lines.map((line) => `  | ${line}`).join('\n');
}

function progress({ results }: Options, { plan, proxy }: Task): Progress {
  return progressOf(readPieces(results), plan, shortVersion(proxy.version), sameCode, testSeed);
}

function record(options: Options, task: Task, ran: Ran & Pick<Piece, 'commit'>): void {
  const { plan, proxy } = task;
  const version = shortVersion(proxy.version);
  const date = new Date().toISOString();
  appendPiece(options.results, { date, part: plan.part, version, ...ran });
  const row = rowOf(plan, version, progress(options, task));
  if (row === null) return;
  const page = readPage();
  writePage(withRows(page, longRuns, mergeRows(rowsOf(page, longRuns), [row])));
}

function statusOf(options: Options, tasks: readonly Task[]): string {
  const lines = tasks.map((task) => {
    const { plan, proxy } = task;
    const made = progress(options, task);
    const { done, open, last } = made;
    const ended = last === null ? 'never run' : `last ${last.result} ${last.date.slice(0, 10)}, ${commitsText(made)}`;
    const state = open === 0 ? 'done' : `${countText(open, plan)} open`;
    const columns = [plan.part.padEnd(13), shortVersion(proxy.version).padEnd(8), `${done}/${plan.target}`.padEnd(9)];
    return `${columns.join(' ')} ${state.padEnd(17)} ${ended}`;
  });
  return ['', ...lines, '', countedAcrossCommits(), ''].join('\n');
}

function readOptions(args: readonly string[]): Options | null {
  const values = parseOptions(args, {
    part: { type: 'string' },
    version: { type: 'string' },
    rounds: { type: 'string', default: '100' },
    fresh: { type: 'boolean', default: false },
    status: { type: 'boolean', default: false },
    results: { type: 'string', default: join(root, longResults) },
    help: { type: 'boolean', default: false },
  });
  if (values.help) return null;
  return {
    parts: values.part === undefined ? parts : (someOf('part', values.part, parts) as Part[]),
    versions: values.version?.split(',').map((one) => one.trim()) ?? null,
    rounds: wholeNumber('rounds', values.rounds, 1, 1_000_000),
    fresh: values.fresh,
    status: values.status,
    results: values.results,
  };
}

await runProgram({ name: 'test:long', usage, readOptions, main, stopping });
