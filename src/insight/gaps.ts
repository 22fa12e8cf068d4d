// Times of which nothing, or only a sum, is known.

import type { Gap } from '../store/insight-store.ts';
import type { InsightReading } from './readings.ts';

/** Seconds; three readings were skipped. */
export const gapSeconds = 40;
/** The service reads within this time before a reload of its own. */
const readBeforeSeconds = 2;

export const gapCauses = {
  stopped: 'the service was stopped',
  silent: 'HAProxy did not answer',
  replaced: 'HAProxy was started again, or reloaded by another process',
  clock: 'the clock was set back',
  unstored: 'the figures could not be stored',
} as const;

/**
 * The gap that a reading ends; null: none.
 * @param lastAt the reading before, in seconds; null: none ever
 * @param continues a worker that was read before answered
 * @param first of this run of the service
 */
export function gapBefore(
  reading: InsightReading,
  {
    lastAt,
    continues,
    first,
  }: { readonly lastAt: number | null; readonly continues: boolean; readonly first: boolean },
): Gap | null {
  if (lastAt === null) return null;
  const at = Math.floor(reading.at.getTime() / 1_000);
  if (at < lastAt - 60) return { from: at, to: lastAt, cause: gapCauses.clock };
  if (!continues && reading.workers.some(({ handsOver, startedAt }) => !handsOver && !readBefore(startedAt, lastAt)))
    return { from: lastAt, to: at, cause: gapCauses.replaced };
  if (at - lastAt < gapSeconds) return null;
  return { from: lastAt, to: at, cause: first ? gapCauses.stopped : gapCauses.silent };
}

function readBefore(startedAt: Date, lastAt: number): boolean {
  return Math.abs(startedAt.getTime() / 1_000 - lastAt) <= readBeforeSeconds;
}

/** Seconds of a period that lie in gaps. */
export function gapTime(gaps: readonly Gap[], from: number, to: number): number {
  let sum = 0;
  let end = from;
  for (const gap of gaps.toSorted((a, b) => a.from - b.from)) {
    const begin = Math.max(gap.from, end);
    const stop = Math.min(gap.to, to);
    if (stop <= begin) continue;
    sum += stop - begin;
    end = stop;
  }
  return sum;
}

/** Whether the whole period was watched: from `since` on, with at most one hundredth in gaps. */
export function watched(
  gaps: readonly Gap[],
  since: number | null,
  period: { readonly from: number; readonly to: number },
): boolean {
  if (since === null || since > period.from) return false;
  return gapTime(gaps, period.from, period.to) <= (period.to - period.from) / 100;
}
