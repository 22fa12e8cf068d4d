// The figures of a chart, from the answer of the service. Null is not known, and never 0.
import type { InsightSeries } from '../api/types.ts';

export interface Line {
  readonly label: string;
  /** A CSS variable. */
  readonly colour: string;
  readonly values: readonly (number | null)[];
}

export interface Gap {
  /** Seconds since 1970. */
  readonly from: number;
  readonly to: number;
  readonly cause: string;
}

export interface Mark {
  readonly at: number;
  readonly kind: string;
  readonly text: string;
}

/** An attack, which the chart shades. */
export interface Band {
  /** Seconds since 1970. */
  readonly from: number;
  /** Of one that continues: the end of the chart. */
  readonly to: number;
  readonly continues: boolean;
}

export interface ChartData {
  /** Begin of each step; seconds since 1970. */
  readonly times: readonly number[];
  readonly stepSeconds: number;
  readonly lines: readonly Line[];
  readonly gaps: readonly Gap[];
  readonly marks: readonly Mark[];
  readonly attacks: readonly Band[];
  /** The sum of all lines in the period before, at the same places. */
  readonly previous?: { readonly label: string; readonly values: readonly (number | null)[] };
}

const colours = ['--chart-1', '--chart-2', '--chart-3', '--chart-4'] as const;
export const restColour = '--chart-5';
export const rest = 'others';
const unknownCause = 'not counted';

interface Drawing {
  /** Values are sums of a step, shown per minute; the last step, which is not over, is left out. */
  readonly perMinute: boolean;
  readonly now: number;
  /** Null, and default: one that no other line has. */
  readonly colourOf?: ((label: string) => string | null) | undefined;
}

export function chartData(
  { from, step_seconds: step, labels, values, gaps, marks }: InsightSeries,
  { perMinute, now, colourOf }: Drawing,
): ChartData {
  const begin = Date.parse(from) / 1_000;
  const all = labels.map((label, index) => ({ label, values: values[index] ?? [] }));
  const steps = Math.max(0, ...all.map((one) => one.values.length));
  const shown = perMinute && begin + steps * step > now ? steps - 1 : steps;
  const times = Array.from({ length: Math.max(0, shown) }, (_, index) => begin + index * step);
  const few = loudest(all);
  const taken = few.map(({ label }) => colourOf?.(label) ?? null);
  const free = colours.filter((colour) => !taken.includes(colour));
  const scaled = few.map(({ label, values: own }, index) => ({
    label,
    colour: label === rest ? restColour : (taken[index] ?? free.shift() ?? restColour),
    values: times.map((_, at) => {
      const value = own[at] ?? null;
      return value === null || !perMinute ? value : (value * 60) / step;
    }),
  }));
  const end = begin + times.length * step;
  const known = gaps
    .map((gap) => ({ from: Date.parse(gap.from) / 1_000, to: Date.parse(gap.to) / 1_000, cause: gap.cause }))
    .filter((gap) => gap.to > begin && gap.from < end);
  return {
    times,
    stepSeconds: step,
    lines: scaled,
    gaps: [...known, ...unexplained(times, step, scaled, known)].toSorted((a, b) => a.from - b.from),
    // Gaps are hatched, with their cause.
    marks: marks
      .filter(({ kind }) => kind !== 'gap')
      .map(({ at, kind, text }) => ({ at: Date.parse(at) / 1_000, kind, text })),
    attacks: marks
      .filter(({ kind }) => kind === 'attack')
      .map(({ at, ended_at: ended }) => ({
        from: Date.parse(at) / 1_000,
        to: ended == null ? end : Date.parse(ended) / 1_000,
        continues: ended == null,
      }))
      .filter((attack) => attack.to > begin && attack.from < end),
  };
}

export const verdictColours: Readonly<Record<string, string>> = { denied: '--chart-1', 'not denied': restColour };

/** All requests, as those that were denied and all others. Null where one of the two is not known. */
export function byVerdict(requests: InsightSeries, denied: InsightSeries): InsightSeries {
  const [all = []] = requests.values;
  const [few = []] = denied.values;
  // They are two answers: between them, a step may have begun.
  const late = (Date.parse(requests.from) - Date.parse(denied.from)) / 1_000 / denied.step_seconds;
  const isAligned = requests.step_seconds === denied.step_seconds && Number.isInteger(late);
  const deniedAt = all.map((_, at) => (isAligned ? (few[at + late] ?? null) : null));
  const other = all.map((value, at) => {
    const part = deniedAt[at] ?? null;
    return value === null || part === null ? null : Math.max(0, value - part);
  });
  const known = deniedAt.map((value, at) => (other[at] === null ? null : value));
  return { ...requests, labels: ['not denied', 'denied'], values: [other, known] };
}

/**
 * The values of the period before, at the times of this one.
 * @param twice of a range that is twice as long: its first half is the period before
 * @param seconds the length of the period
 */
export function previousValues(
  twice: Pick<InsightSeries, 'from' | 'step_seconds' | 'values'>,
  { times, stepSeconds }: Pick<ChartData, 'times' | 'stepSeconds'>,
  { seconds, perMinute }: { readonly seconds: number; readonly perMinute: boolean },
): (number | null)[] {
  const begin = Date.parse(twice.from) / 1_000;
  const [all = []] = twice.values;
  return times.map((time) => {
    const middle = time + stepSeconds / 2 - seconds;
    const value = all[Math.floor((middle - begin) / twice.step_seconds)] ?? null;
    return value === null || !perMinute ? value : (value * 60) / twice.step_seconds;
  });
}

interface Values {
  readonly label: string;
  readonly values: readonly (number | null)[];
}

/** The four loudest, loudest first, and the sum of all others. */
function loudest(all: readonly Values[]): Values[] {
  const total = ({ values }: Values): number => values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
  const isRest = ({ label }: Values): boolean => label === '(others)';
  const sorted = all.toSorted((a, b) => Number(isRest(a)) - Number(isRest(b)) || total(b) - total(a));
  const few = sorted.filter((one) => !isRest(one)).slice(0, colours.length);
  const others = sorted.filter((one) => !few.includes(one));
  if (others.length === 0) return few;
  const [first] = others;
  const sums = (first?.values ?? []).map((_, at) =>
    others.some(({ values }) => values[at] == null)
      ? null
      : others.reduce((sum, { values }) => sum + (values[at] ?? 0), 0),
  );
  return [...few, { label: rest, values: sums }];
}

/** Steps of which nothing is known, although no gap says why: as before counting began. */
function unexplained(times: readonly number[], step: number, lines: readonly Line[], gaps: readonly Gap[]): Gap[] {
  const found: { from: number; to: number; cause: string }[] = [];
  for (const [at, from] of times.entries()) {
    if (lines.some(({ values }) => values[at] != null)) continue;
    const to = from + step;
    if (gaps.some((gap) => gap.from < to && gap.to > from)) continue;
    const last = found.at(-1);
    if (last?.to === from) last.to = to;
    else found.push({ from, to, cause: unknownCause });
  }
  return found;
}

/** Sums from the first line up to each; null where nothing is known. */
export function stacked(lines: readonly Line[]): (number | null)[][] {
  const sums: (number | null)[][] = [];
  for (const { values } of lines) {
    const below = sums.at(-1);
    sums.push(values.map((value, at) => (value === null ? null : value + (below?.[at] ?? 0))));
  }
  return sums;
}

/** The first gap or attack that a step has a part of. */
export function spanAt<Span extends { readonly from: number; readonly to: number }>(
  spans: readonly Span[],
  from: number,
  to: number,
): Span | null {
  return spans.find((span) => span.from < to && span.to > from) ?? null;
}
