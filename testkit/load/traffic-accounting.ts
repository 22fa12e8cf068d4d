// Latency counts from the time at which a request was due, including the generator's queue: a closed loop would stop
// sending while HAProxy pauses, and miss the pause.
import { percentile } from './percentile.ts';

export type RequestKind = 'keep-alive' | 'new';

/**
 * `refused`: no listener. `unconnected`: no connection for another reason. `reset`, `closed`: the connection ended
 * before the answer. `truncated`: within the answer. `status`: not a 200. `garbled`: not HTTP.
 */
export type FailureCause =
  | 'refused'
  | 'unconnected'
  | 'reset'
  | 'closed'
  | 'truncated'
  | 'status'
  | 'garbled'
  | 'time-out';

export interface RequestFailure {
  readonly cause: FailureCause;
  /** The system's code, the status, or where the answer broke off. */
  readonly detail: string;
}

export interface RequestRecord {
  readonly kind: RequestKind;
  /** Milliseconds of one monotonic clock. */
  readonly dueAt: number;
  /** Last byte of the answer, or the failure. */
  readonly endedAt: number;
  readonly failure: RequestFailure | null;
}

export interface Tally {
  readonly sent: number;
  readonly failed: number;
  readonly causes: Readonly<Partial<Record<FailureCause, number>>>;
  /** The first ones, with milliseconds since the first request was due. */
  readonly firstFailures: readonly (RequestFailure & { readonly afterMs: number })[];
  /** Milliseconds of answered requests; null: none was answered. */
  readonly p50: number | null;
  readonly p99: number | null;
  readonly longest: number | null;
  readonly slowest: readonly { readonly ms: number; readonly dueAfterMs: number }[];
  /** The longest time in which a request was always due and none was answered. */
  readonly pause: { readonly ms: number; readonly afterMs: number };
}

const listedFailures = 10;
const listedSlowest = 20;

export function tallyOf(records: readonly RequestRecord[]): Tally {
  const began = records.reduce((least, { dueAt }) => Math.min(least, dueAt), Number.POSITIVE_INFINITY);
  const latencies: number[] = [];
  const failures: (RequestFailure & { readonly afterMs: number })[] = [];
  const causes: Partial<Record<FailureCause, number>> = {};
  for (const { dueAt, endedAt, failure } of records) {
    if (failure === null) {
      latencies.push(endedAt - dueAt);
      continue;
    }
    causes[failure.cause] = (causes[failure.cause] ?? 0) + 1;
    failures.push({ ...failure, afterMs: endedAt - began });
  }
  failures.sort((one, other) => one.afterMs - other.afterMs);
  const share = (of: number): number | null => (latencies.length === 0 ? null : percentile(latencies, of));
  const pause = longestPause(records);
  return {
    sent: records.length,
    failed: failures.length,
    causes,
    firstFailures: failures.slice(0, listedFailures),
    p50: share(0.5),
    p99: share(0.99),
    longest: share(1),
    slowest: records
      .filter(({ failure }) => failure === null)
      .map(({ dueAt, endedAt }) => ({ ms: endedAt - dueAt, dueAfterMs: dueAt - began }))
      .sort((one, other) => other.ms - one.ms)
      .slice(0, listedSlowest),
    pause: { ms: pause.ms, afterMs: pause.ms === 0 ? 0 : pause.at - began },
  };
}

/**
 * Starts when a request becomes due, or at an answer while others are due; ends at the next answer, not at a failure.
 */
export function longestPause(records: readonly RequestRecord[]): { ms: number; at: number } {
  const moments: { at: number; change: 'due' | 'answered' | 'failed' }[] = [];
  for (const { dueAt, endedAt, failure } of records) {
    moments.push({ at: dueAt, change: 'due' });
    moments.push({ at: endedAt, change: failure === null ? 'answered' : 'failed' });
  }
  // What becomes due exactly at an answer did not wait before it.
  moments.sort((one, other) => one.at - other.at || Number(one.change === 'due') - Number(other.change === 'due'));
  let waiting = 0;
  let since = 0;
  let longest = { ms: 0, at: 0 };
  const end = (at: number): void => {
    if (at - since > longest.ms) longest = { ms: at - since, at: since };
  };
  for (const { at, change } of moments) {
    if (change === 'due') {
      if (waiting === 0) since = at;
      waiting += 1;
      continue;
    }
    waiting -= 1;
    if (change === 'answered') {
      end(at);
      since = at;
    } else if (waiting === 0) {
      end(at);
    }
  }
  return longest;
}
