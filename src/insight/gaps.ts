// Times of which nothing, or only a sum, is known.

import { deniedTable } from '../haproxy/process/counting-tables.ts';
import type { Gap } from '../store/insight-store.ts';
import type { InsightReading, WorkerReading } from './readings.ts';

/** Seconds; three readings were skipped. */
export const gapSeconds = 40;
/** A clock that was set back by more; requests count at the last time known until then. */
export const setBackSeconds = 60;
/** The service reads within this time before a reload of its own. */
const readBeforeSeconds = 2;

export const gapCauses = {
  stopped: 'the service was stopped',
  silent: 'HAProxy did not answer',
  replaced: 'HAProxy was started again, or reloaded by another process',
  draining: 'a worker that drained denied requests that its tables do not show',
  uncounted: 'the configuration does not count denied requests',
  unattributed: 'the database failed: denied requests could not be attributed',
  clock: 'the clock was set back',
  unstored: 'the figures could not be stored',
} as const;

/** What is known before a reading is counted. */
export interface BeforeReading {
  /** The reading before, in seconds; null: none ever. */
  readonly lastAt: number | null;
  /** Of this run of the service. */
  readonly first: boolean;
  /** Seconds that it took in all, by the readings that were skipped. */
  readonly took: number;
  /** Whether the worker was read before. */
  readonly knows: (worker: WorkerReading) => boolean;
}

/**
 * What one reading leaves unknown of the time since the one before; null: nothing.
 * @param counted `Counted` of `collector.ts`
 */
export function gapOf(
  reading: InsightReading,
  { lastAt, first, took, knows }: BeforeReading,
  counted: { readonly unseen: boolean; readonly failure: object | null },
): Gap | null {
  if (lastAt === null) return null;
  const at = Math.floor(reading.at.getTime() / 1_000);
  if (at < lastAt - setBackSeconds) return { from: at - took, to: lastAt, cause: gapCauses.clock };
  const { workers, missing } = reading;
  const since = (cause: string): Gap => ({ from: Math.min(lastAt, at), to: at, cause });
  const fresh = workers.filter((worker) => !knows(worker) && !readBefore(worker.startedAt, lastAt));
  // With `peers`, its predecessor may have handed over what it counted; a killed one has not.
  const continues = workers.some(knows);
  if (fresh.some(({ handsOver }) => !handsOver || !continues)) return since(gapCauses.replaced);
  if (at - lastAt >= gapSeconds) return since(first ? gapCauses.stopped : gapCauses.silent);
  if (missing.length > 0) return since(gapCauses.silent);
  if (workers.some(({ used }) => !used.has(deniedTable.name))) return since(gapCauses.uncounted);
  if (counted.failure !== null) return since(gapCauses.unattributed);
  return counted.unseen ? since(gapCauses.draining) : null;
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
