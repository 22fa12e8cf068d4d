import type { BulkAnswer, Rejection } from '../api/blocked-ips-bulk.ts';
import type { RuntimeMapFailure, RuntimeReport } from '../api/changes.ts';
import type { IpEntry } from '../domain/ip.ts';
import type { BlockedEffect } from '../store/blocked-ips-store.ts';

export const nothingChanged: ChangeCounts = Object.freeze({ added: 0, updated: 0, removed: 0, unchanged: 0 });

export function countsOf(effects: readonly BlockedEffect[]): ChangeCounts {
  const counts = { ...nothingChanged };
  for (const effect of effects) {
    if (effect.op !== 'add') counts[effect.removed === null ? 'unchanged' : 'removed'] += 1;
    else if (effect.created) counts.added += 1;
    else counts[effect.changed ? 'updated' : 'unchanged'] += 1;
  }
  return counts;
}

/** The caller of an operation; every log line of the operation names it. */
export interface Caller {
  readonly keyName: string;
  readonly requestId: string;
  /** The peer's address, or `unix`. */
  readonly source: string;
  /** `performance.now()` of the request's arrival; the two seconds of promise 3 start here. */
  readonly receivedAt: number;
  /** Called with the id of each audit row of the operation; the row is durable with the change. */
  readonly audited?: (row: number) => void;
}

export type Expiry =
  | { readonly kind: 'permanent' }
  | { readonly kind: 'at'; readonly at: Date }
  | { readonly kind: 'duration'; readonly seconds: number }
  /** A list element with an expiry: the later of the current one and this; permanent stays permanent. */
  | { readonly kind: 'not-before'; readonly at: Date }
  /** A list element without a time: an existing entry keeps its expiry. */
  | { readonly kind: 'keep' };

export interface BlockRequest {
  readonly entry: IpEntry;
  /** Absent: the existing reason is kept. */
  readonly reason?: string | null | undefined;
  readonly blockedBy?: string | undefined;
  readonly expiry: Expiry;
  /** Store it although a trusted entry covers it. */
  readonly force: boolean;
  /** Block a network that is wide or contains a complete special range. */
  readonly allowWide?: boolean | undefined;
}

export type ChangeCounts = Readonly<Pick<BulkAnswer, 'added' | 'updated' | 'removed' | 'unchanged'>>;

export type BulkItem =
  /** `line`: of a text list, counted from 1; array elements have none. */
  | { readonly ok: true; readonly request: BlockRequest; readonly line?: number }
  | { readonly ok: false; readonly rejection: Rejection };

const shownFailures = 100;

/**
 * @param reloadScheduled the current worker is not verified, even if no address can be named.
 * @param total of which `failures` may be only the first
 */
export function runtimeReport(
  failures: readonly RuntimeMapFailure[],
  reloadScheduled: boolean,
  total: number = failures.length,
): RuntimeReport {
  return {
    runtime_map_updated: total === 0 && !reloadScheduled,
    runtime_map_failures: failures.slice(0, shownFailures),
    runtime_map_failures_total: total,
    reload_scheduled: reloadScheduled,
  };
}
