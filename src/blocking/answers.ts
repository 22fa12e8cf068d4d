// What the blocked-set service says after a change. The field names are those of the HTTP contract, so that
// what is answered, logged and tested is one and the same object.
import type { IpEntry } from '../domain/ip.ts';
import type { SpecialRange } from '../domain/special-ranges.ts';

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
  /** A list element with an end: the later of the current one and this; permanent stays permanent. */
  | { readonly kind: 'not-before'; readonly at: Date }
  /** A list element without a time: an existing entry keeps its end. */
  | { readonly kind: 'keep' };

export interface BlockRequest {
  readonly entry: IpEntry;
  /** Absent keeps the old one. */
  readonly reason?: string | null | undefined;
  readonly blockedBy?: string | undefined;
  readonly expiry: Expiry;
  /** Store it although a trusted entry covers it. */
  readonly force: boolean;
  /** Block a network that is wide or contains a whole special range. */
  readonly allowWide?: boolean | undefined;
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
  /** The special range that the entry lies in; absent where it lies in none. */
  readonly special?: SpecialRange;
  readonly overridden_by?: readonly string[];
  readonly trusted_inside?: readonly string[];
}

export interface UnblockAnswer extends RuntimeReport {
  readonly ip_address: string;
  readonly still_blocked_by: readonly string[];
}

/**
 * A line or element that was not applied, and what would be right. `code`, of the catalogue, where the element is well
 * formed and was not asked for explicitly: covered by trust, or a wide network.
 */
export type Rejection = { readonly value: string; readonly why: string; readonly code?: number } & (
  | { readonly line: number }
  | { readonly index: number; readonly list?: 'add' | 'remove' }
);

/** What became of the accepted elements; each is counted once. */
export interface ChangeCounts {
  readonly added: number;
  /** Entries that existed and of which a field changed. */
  readonly updated: number;
  readonly removed: number;
  /** Entries left exactly as they were, and removals of what had no entry. */
  readonly unchanged: number;
}

export interface BulkAnswer extends ChangeCounts, RuntimeReport {
  readonly rejected_total: number;
  /** The first 1,000. */
  readonly rejected: readonly Rejection[];
  /** Accepted entries inside a special range, the first 100, and how many; absent where there are none. */
  readonly special?: readonly SpecialEntry[];
  readonly special_total?: number;
  /** Addresses of `remove` that a blocked network still covers, the first 100, and how many; absent without removals. */
  readonly still_blocked?: readonly StillBlocked[];
  readonly still_blocked_total?: number;
  /** Nothing was changed: the counts are what the same request would do now. */
  readonly dry_run?: true;
  /** Those of `remove` that had no entry; absent where that is only counted, which is with more than 1,000 at once. */
  readonly not_blocked?: readonly string[];
}

export interface SpecialEntry {
  readonly ip_address: string;
  readonly special: SpecialRange;
}

export interface StillBlocked {
  readonly ip_address: string;
  /** The narrowest blocked network that covers it. */
  readonly by: string;
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
  /** `partly`: a network that no entry covers whole, with blocked entries inside. */
  readonly verdict: 'blocked' | 'trusted' | 'allowed' | 'partly';
  /** The entry that decides: of the blocked set, or of the trusted one. */
  readonly by: string | null;
  readonly reason: string | null;
  readonly expires_at: string | null;
  /**
   * True when every live worker was seen to say the same; false when one says otherwise; null when none could be asked,
   * and for `partly`, which no single lookup in a worker answers.
   */
  readonly enforced: boolean | null;
  /** Where no entry covers the network: blocked entries inside, the first 100 in order of addresses, and how many. */
  readonly blocked_inside: readonly string[];
  readonly blocked_inside_total: number;
  readonly workers: readonly WorkerVerdict[];
}

export interface WorkerVerdict {
  readonly pid: number;
  readonly verdict: 'blocked' | 'trusted' | 'allowed';
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
