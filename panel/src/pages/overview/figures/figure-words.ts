import type { InsightSummary } from '../../../api/types.ts';
import { rangeText } from '../../../charts/times.ts';
import { count, noBreak, percent, shortCount, unknownFigure } from '../../../parts/figures.ts';

interface NeverMatchedWords {
  readonly value: string;
  readonly share: string | null;
  readonly about: string;
}

/** It is known only after all of these days were watched, and of entries that were blocked on all of them. */
export function neverMatchedWords(
  { days, count: entries, old_enough: old, watched_days: watched }: InsightSummary['never_matched'],
  all: number,
): NeverMatchedWords {
  if (watched < days)
    return { value: unknownFigure, share: null, about: `Known after ${days} days; watched for ${watched}` };
  if (entries === null) return { value: unknownFigure, share: null, about: 'Being counted' };
  if (old === 0) return { value: unknownFigure, share: null, about: `No entry is ${days} days old` };
  return { value: count(entries), share: all === 0 ? null : percent(entries / all), about: 'of all entries' };
}

/** Why a figure may be wrong; null: all of its time was watched, or it is not known at all. */
export function gapWords(
  value: number | null,
  { complete, range_seconds: seconds }: Pick<InsightSummary, 'complete' | 'range_seconds'>,
): string | null {
  if (value === null || complete) return null;
  return `A part of the last ${rangeText(seconds)} is known only as an average, or not at all.`;
}

/** Of all requests. */
export function shareWords({ denied, requests }: Pick<InsightSummary, 'denied' | 'requests'>): string {
  if (denied === null || requests === null) return 'The number of requests is not known';
  const all = `of ${shortCount(requests)} ${requests === 1 ? 'request' : 'requests'}`;
  return requests === 0 ? all : `${percent(denied / requests)} ${all}`;
}

/** Whether the time before the range was watched as well. @param now milliseconds */
export function isComparable(
  { since, range_seconds: seconds }: Pick<InsightSummary, 'since' | 'range_seconds'>,
  now: number,
): boolean {
  return since !== null && Date.parse(since) <= now - 2_000 * seconds;
}

/** From the first known value to the last one; null: not known. */
export function growthText(values: readonly (number | null)[]): string | null {
  const known = values.filter((value) => value !== null);
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined || known.length < 2) return null;
  const growth = last - first;
  if (growth === 0) return 'as before';
  return `${growth > 0 ? '+' : '−'}${noBreak}${count(Math.abs(growth))}`;
}
