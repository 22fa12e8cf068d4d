import { type Step, steps } from '../store/series-store.ts';

/** Steps that an answer has at most. */
const mostSteps = 300;
/** Of a minute's points a little less than what is kept. */
const shortest = 3_600;
export const longest = 400 * 86_400;

/** How a range is shown; seconds. */
export interface Range {
  readonly from: number;
  readonly to: number;
  /** Length of a shown step: a multiple of `base`. */
  readonly step: number;
  /** The stored points that it consists of. */
  readonly base: Step;
}

export function isRange(seconds: number): boolean {
  return seconds >= shortest && seconds <= longest;
}

/** The steps of a time that has passed. @param at now: older points are kept in longer steps */
export function rangeOf(from: number, to: number, at: number): Range {
  const base = baseOf(at - from);
  const step = Math.ceil((to - from + 1) / (mostSteps - 1) / base) * base;
  return { from: from - (from % step), to: to - (to % step) + step, step, base };
}

/** The range that ends with the step of `at`. */
export function rangeBefore(at: number, seconds: number): Range {
  const base = baseOf(seconds);
  const step = Math.ceil(seconds / mostSteps / base) * base;
  const to = at - (at % step) + step;
  return { from: to - Math.ceil(seconds / step) * step, to, step, base };
}

/** One step less than what is kept: the oldest may be gone already. */
function baseOf(age: number): Step {
  const fits = steps.find(({ seconds: length, keepSeconds }) => age <= keepSeconds - length);
  return (fits ?? steps.at(-1)!).seconds;
}

/** Sums points of `base` into shown steps; null: nothing is known of it. @param how of steps that consist of several */
export function inSteps(
  points: readonly { readonly at: number; readonly value: number }[],
  { from, to, step }: Range,
  how: 'sum' | 'most' | 'last',
): (number | null)[] {
  const values = new Array<number | null>(Math.round((to - from) / step)).fill(null);
  for (const { at, value } of points) {
    const index = Math.floor((at - from) / step);
    const known = values[index];
    if (known === undefined) continue;
    if (known === null) values[index] = value;
    else values[index] = how === 'sum' ? known + value : how === 'most' ? Math.max(known, value) : value;
  }
  return values;
}
