import type { BlockedIp, BlockedIpDetail } from '../api/blocked-entries.ts';
import type { BlockAnswer, UnblockAnswer } from '../api/blocked-ips.ts';
import type { BulkAnswer, Rejection, SyncAnswer } from '../api/blocked-ips-bulk.ts';
import type { Caller } from '../api/caller.ts';
import type { CheckAnswer } from '../api/check.ts';
import type { IpEntry } from '../domain/ip.ts';
import type { ListOrder } from '../store/columns/column-pages.ts';
import type { HitSnapshot } from '../store/columns/hit-columns.ts';
import type { NotHit } from '../store/match-counts.ts';
import type { TrustExpiry } from '../store/trusted-ips-store.ts';

export type Expiry =
  | { readonly kind: 'permanent' }
  | { readonly kind: 'at'; readonly at: Date }
  | { readonly kind: 'duration'; readonly seconds: number }
  /** A list element with an expiry: the later of the current one and this; permanent stays permanent. */
  | { readonly kind: 'not-before'; readonly at: Date }
  /** A list element without a time: an existing entry keeps its expiry. */
  | { readonly kind: 'keep' };

/** The body of a block, parsed. */
export interface RequestedBlock {
  readonly entry: IpEntry;
  /** Absent: the existing reason is kept. */
  readonly reason?: string | null | undefined;
  readonly blockedBy?: string | undefined;
  readonly expiry: Expiry;
  /** Store it although a trusted entry covers it. */
  readonly force: boolean;
  /** Block a network that is wide or contains a complete special range. */
  readonly allowWide?: boolean | undefined;
  /** Whose claim it is; absent: of the key's source, or `manual`. Not in lists, which have one source. */
  readonly source?: string | undefined;
}

export type BulkItem =
  /** `line`: of a text list, counted from 1; array elements have none. */
  | { readonly ok: true; readonly request: RequestedBlock; readonly line?: number }
  | { readonly ok: false; readonly rejection: Rejection };

/** Only what is claimed so, by exact texts; null: all. */
export interface ClaimedQuery {
  readonly source?: string;
  readonly reason?: string;
  readonly blocked_by?: string;
  /** Only entries that have not been hit. */
  readonly notHit?: NotHit;
}

/** Only these entries; absent: any. */
export interface EntryQuery {
  readonly family?: 4 | 6;
  /** Prefixes shorter than this. */
  readonly widerThan?: number;
  readonly blockedSince?: Date;
  /** Needs the `hits` of the query. */
  readonly hitSince?: Date;
}

/** As in the API, without hits. */
export interface BlockedPage {
  readonly items: readonly BlockedIp[];
  readonly next_cursor: string | null;
  readonly total: number;
}

export interface BlockedListQuery {
  readonly order: ListOrder;
  /** Not together with `q`, `text`, and the reason or author of `claimed`, like another order than that of addresses. */
  readonly entries: EntryQuery;
  readonly limit: number;
  readonly cursor: string | null;
  readonly offset: number;
  /** By address; `text`: by a part of the reason or of `blocked_by`. */
  readonly q: string | null;
  readonly text: string | null;
  readonly expiring: boolean;
  readonly claimed: ClaimedQuery | null;
  /** For an order of hits, or a filter by them. */
  readonly hits?: HitSnapshot | undefined;
  /** Aborts when the client disconnects; bulk work then rejects with its reason. */
  readonly signal?: AbortSignal;
}

export interface BatchRequest {
  readonly add: readonly { readonly index: number; readonly request: RequestedBlock }[];
  readonly remove: readonly { readonly index: number; readonly entry: IpEntry }[];
  /** Rejected by the HTTP layer; the service adds its own rejections (both lists, trust). */
  readonly rejected: readonly Rejection[];
}

/** `trustFor`: seconds for which the address is trusted too, so that lists that claim it do not block it. */
export interface Unblock extends SourceQuery {
  readonly trustFor?: number | undefined;
}

/** `dropped`: false if only the trust is new, because lists have the only claims. */
export interface Unblocked {
  readonly dropped: boolean;
  readonly answer: UnblockAnswer;
}

interface SourceQuery {
  readonly source?: string | undefined;
}

/** `source`: whose claims are changed; absent: of the key's source, or `manual`. */
export interface BatchOptions extends SourceQuery {
  /** Block wide networks too, regardless of the elements. */
  readonly allowWide?: boolean;
  readonly dryRun?: boolean;
}

export interface ReplaceOptions extends BatchOptions {
  readonly allowShrink: boolean;
}

export interface BlockedSetService {
  /** `created`: answer 201, not 200. Errors: trusted, too wide or over the limit (409), database or file (503). */
  block(request: RequestedBlock, caller: Caller): Promise<{ created: boolean; changed: boolean; answer: BlockAnswer }>;
  /**
   * Errors: 1100 without anything to drop, with `covered_by` and `stray_removed`; 6035 when only lists claim it.
   * @param how `source`: whose claim is dropped; absent: of the key's source, or of `manual` and all agents
   */
  unblock(entry: IpEntry, caller: Caller, how?: Unblock): Promise<Unblocked>;
  batch(request: BatchRequest, caller: Caller, options?: BatchOptions): Promise<BulkAnswer>;
  /** Replaces the claims of one source. The stream is read completely before anything changes; if it throws, nothing changed. */
  replaceAll(items: AsyncIterable<readonly BulkItem[]>, options: ReplaceOptions, caller: Caller): Promise<BulkAnswer>;
  /** `acceptMapFile`: rewrite the file although it belongs to another database, or would lose more than half. */
  sync(caller: Caller, options?: { readonly acceptMapFile?: boolean }): Promise<SyncAnswer>;
  list(query: BlockedListQuery): Promise<BlockedPage>;
  /** Canonical texts of all entries, or of those that are claimed so, in address order, page by page. */
  listTexts(claimed?: ClaimedQuery | null): AsyncIterable<readonly string[]>;
  get(entry: IpEntry): Promise<Omit<BlockedIpDetail, 'hits'>>;
  check(entry: IpEntry): Promise<CheckAnswer>;
}

export interface TrustChange {
  /** Absent: kept; null: none. */
  readonly note?: string | null | undefined;
  readonly expiry: TrustExpiry;
}
