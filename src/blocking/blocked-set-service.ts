// What the HTTP layer uses of the blocked set. Implemented by `BlockedSet`.

import type { BlockAnswer, BlockedIpDetail, BlockedIpPage, UnblockAnswer } from '../api/blocked-ips.ts';
import type { BulkAnswer, Rejection, SyncAnswer } from '../api/blocked-ips-bulk.ts';
import type { CheckAnswer } from '../api/check.ts';
import type { IpEntry } from '../domain/ip.ts';
import type { TrustExpiry } from '../store/trusted-ips-store.ts';
import type { BlockRequest, BulkItem, Caller } from './answers.ts';

export interface BlockedListQuery {
  readonly limit: number;
  readonly cursor: string | null;
  /** Entries passed over behind the cursor. */
  readonly offset: number;
  /** By address; or by `text`, a part of what the entry says about itself. */
  readonly q: string | null;
  readonly text: string | null;
  readonly expiring: boolean;
  /** Aborts when the client is gone; long work ends with its reason. */
  readonly signal?: AbortSignal;
}

export interface BatchRequest {
  readonly add: readonly { readonly index: number; readonly request: BlockRequest }[];
  readonly remove: readonly { readonly index: number; readonly entry: IpEntry }[];
  /** What the edge refused already; the service adds its own (both lists, trust). */
  readonly rejected: readonly Rejection[];
}

export interface BatchOptions {
  /** Block wide networks too, whatever the elements say. */
  readonly allowWide?: boolean;
  /** Count what would be done, and do nothing. */
  readonly dryRun?: boolean;
}

export interface ReplaceOptions extends BatchOptions {
  readonly allowShrink: boolean;
}

export interface BlockedSetService {
  /**
   * Blocks one address or network. `created` tells 201 from 200; `changed`: a field of the entry is not what it was.
   * Errors: covered by trust, too wide, or no room in the set (409), database or file (503).
   */
  block(request: BlockRequest, caller: Caller): Promise<{ created: boolean; changed: boolean; answer: BlockAnswer }>;
  /** Errors: 1100 when it has no row of its own, with `covered_by` and `stray_removed`. */
  unblock(entry: IpEntry, caller: Caller): Promise<UnblockAnswer>;
  batch(request: BatchRequest, caller: Caller, options?: BatchOptions): Promise<BulkAnswer>;
  /** Replaces the set. The source is read to its end before anything changes; if it throws, nothing changed. */
  replaceAll(source: AsyncIterable<readonly BulkItem[]>, options: ReplaceOptions, caller: Caller): Promise<BulkAnswer>;
  /** `acceptMapFile`: rewrite the file although it is another database's, or more than half of it would go. */
  sync(caller: Caller, options?: { readonly acceptMapFile?: boolean }): Promise<SyncAnswer>;
  list(query: BlockedListQuery): Promise<BlockedIpPage>;
  /** Canonical texts of all entries in address order, page by page. */
  listTexts(): AsyncIterable<readonly string[]>;
  /** Errors: 1100 without a row of its own, with `covered_by`. */
  get(entry: IpEntry): Promise<BlockedIpDetail>;
  check(entry: IpEntry): Promise<CheckAnswer>;
}

export interface TrustChange {
  /** Absent: the old one stays; null: none. */
  readonly note?: string | null | undefined;
  readonly expiry: TrustExpiry;
}
