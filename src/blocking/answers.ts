// What the blocked-set service says after a change. The field names are those of the HTTP contract, so that
// what is answered, logged and tested is one and the same object.
import type { IpEntry } from '../domain/ip.ts';

/** Who asks, and since when; every log line of the operation names it. */
export interface Caller {
  readonly keyName: string;
  readonly requestId: string;
  /** Where from: the peer's address, or `unix`. */
  readonly source: string;
  /** `performance.now()` at which the request arrived: the two seconds of promise 3 count from here. */
  readonly receivedAt: number;
  /** Told the audit's row of each change that was made for it; it is durable with the change. */
  readonly audited?: (row: number) => void;
}

/** One address that one worker was not seen to hold (or, after a removal, was still seen to hold). */
export interface RuntimeMapFailure {
  readonly ip_address: string;
  /** pid of the worker; null when none could be addressed. */
  readonly worker: number | null;
  readonly command: string;
  readonly responses: readonly string[];
  readonly reason: string;
}

/** The truth about the running maps; part of the answer of each of the four operations. */
export interface RuntimeReport {
  /** True only when every live worker, draining ones too, was seen to be right. */
  readonly runtime_map_updated: boolean;
  /** The first 100. */
  readonly runtime_map_failures: readonly RuntimeMapFailure[];
  readonly runtime_map_failures_total: number;
  readonly reload_scheduled: boolean;
}

export type Expiry =
  | { readonly kind: 'permanent' }
  | { readonly kind: 'at'; readonly at: Date }
  | { readonly kind: 'duration'; readonly seconds: number }
  /** A line of a text list: it never changes what an entry already says about itself. */
  | { readonly kind: 'keep' };

export interface BlockRequest {
  readonly entry: IpEntry;
  /** Absent keeps the old one. */
  readonly reason?: string | null | undefined;
  readonly blockedBy?: string | undefined;
  readonly expiry: Expiry;
  readonly force: boolean;
}

export interface BlockedIp {
  readonly ip_address: string;
  readonly reason: string | null;
  readonly blocked_by: string | null;
  /** ISO 8601, UTC. */
  readonly blocked_at: string;
  readonly expires_at: string | null;
}

export interface BlockAnswer extends BlockedIp, RuntimeReport {
  readonly overridden_by?: readonly string[];
  readonly trusted_inside?: readonly string[];
}

export interface UnblockAnswer extends RuntimeReport {
  readonly ip_address: string;
  readonly still_blocked_by: readonly string[];
}

/** A line or element that was not applied, and what would be right. */
export type Rejection = { readonly value: string; readonly why: string } & (
  | { readonly line: number }
  | { readonly index: number; readonly list?: 'add' | 'remove' }
);

export interface BulkAnswer extends RuntimeReport {
  readonly added: number;
  readonly removed: number;
  readonly unchanged: number;
  readonly rejected_total: number;
  /** The first 1,000. */
  readonly rejected: readonly Rejection[];
  /** Those of `remove` that had no entry; absent where that is only counted, which is with more than 1,000 at once. */
  readonly not_blocked?: readonly string[];
}

export interface SyncAnswer {
  readonly runtime_map_synced: boolean;
  readonly total_ips: number;
  /** Repairs made in the current worker's map. */
  readonly added: number;
  readonly removed: number;
  /** What is still wrong, the first 100 of each. */
  readonly missing_ips: readonly string[];
  readonly unexpected_ips: readonly string[];
  readonly wrong_value_ips: readonly string[];
  readonly duplicate_ips: readonly string[];
  readonly draining_workers: readonly { readonly pid: number; readonly synced: boolean; readonly reason?: string }[];
  readonly map_file_updated: boolean;
  readonly reload_scheduled: boolean;
  readonly duration_ms: number;
  /** Why the running map could not be read or repaired, when that is so. */
  readonly reason?: string;
}

export interface CheckAnswer {
  readonly ip_address: string;
  readonly verdict: 'blocked' | 'trusted' | 'allowed';
  /** The entry that decides: of the blocked set, or of the trusted one. */
  readonly by: string | null;
  readonly reason: string | null;
  readonly expires_at: string | null;
  /** True when every live worker was seen to say the same; false when one says otherwise; null when none could be asked. */
  readonly enforced: boolean | null;
  readonly workers: readonly { readonly pid: number; readonly verdict: 'blocked' | 'trusted' | 'allowed' }[];
}

export interface WorkerHolding {
  readonly pid: number;
  readonly draining: boolean;
  /** null: it could not be asked. */
  readonly holds: boolean | null;
}

export interface BlockedIpDetail extends BlockedIp {
  readonly workers: readonly WorkerHolding[];
}

export interface BlockedIpPage {
  readonly items: readonly BlockedIp[];
  readonly next_cursor: string | null;
  readonly total: number;
}

/** One element of a bulk body as the edge understood it. */
export type BulkItem =
  /** `line`: of a text list, counted from 1; the elements of an array are counted as they come. */
  | { readonly ok: true; readonly request: BlockRequest; readonly line?: number }
  | { readonly ok: false; readonly rejection: Rejection };
