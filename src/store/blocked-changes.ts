import type { BlockedIp } from '../api/blocked-ips.ts';
import type { IpEntry } from '../domain/ip.ts';

/** What a block says about its end; docs/api.md. Times are `Date.toISOString`'s. */
export type ExpiryChange =
  /** No time was given: the block becomes permanent. */
  | { kind: 'permanent' }
  /** `expires_at`: taken as given. */
  | { kind: 'at'; at: string }
  /** `duration_seconds`: the later end wins, and permanent stays permanent. */
  | { kind: 'later-of'; until: string }
  /** A list element without a time: an existing entry keeps its end, a new one is permanent. */
  | { kind: 'keep' };

export type BlockedChange =
  | {
      op: 'add';
      entry: IpEntry;
      /** Absent: an existing entry keeps its own. Null: it is taken away. */
      reason?: string | null | undefined;
      blockedBy?: string | undefined;
      /** Who is named for a new entry when `blockedBy` is absent. */
      defaultBlockedBy?: string | undefined;
      expiry: ExpiryChange;
    }
  | { op: 'remove'; entry: IpEntry }
  /** Removes only if the entry's end is at or before `now`: it may have been prolonged since it was looked up. */
  | { op: 'expire'; entry: IpEntry; now: string };

export type BlockedAddition = Extract<BlockedChange, { op: 'add' }>;

export type BlockedEffect =
  /**
   * `created`: there was no such row, or its time was over. `changed`: a field of the row is not what it was; true of a
   * new row too.
   */
  | { op: 'add'; created: boolean; changed: boolean; row: BlockedIp }
  | { op: 'remove' | 'expire'; removed: BlockedIp | null };

/** Texts that are blocked after a transaction and were not before it, and the reverse. */
export interface NetChange {
  added: string[];
  removed: string[];
}

/** The row after an addition; `existing`, of `rowInForce`, itself when nothing about it changes. `now`: for a new row's `blocked_at`. */
export function rowAfterAdd(existing: BlockedIp | null, change: BlockedAddition, now: string): BlockedIp {
  if (existing === null) {
    return {
      ip_address: change.entry.text,
      reason: change.reason ?? null,
      blocked_by: change.blockedBy ?? change.defaultBlockedBy ?? null,
      blocked_at: now,
      expires_at: endAfter(null, change.expiry),
    };
  }
  const reason = change.reason === undefined ? existing.reason : change.reason;
  const blocked_by = change.blockedBy ?? existing.blocked_by;
  const expires_at = endAfter(existing, change.expiry);
  const same = reason === existing.reason && blocked_by === existing.blocked_by && expires_at === existing.expires_at;
  return same ? existing : { ...existing, reason, blocked_by, expires_at };
}

/** Whether an `expire` at `now` takes the row away. */
export function isExpired(row: BlockedIp, now: string): boolean {
  return row.expires_at !== null && row.expires_at <= now;
}

/**
 * What an addition at `now` builds on. A row whose time is over counts as absent: were its end kept, what is blocked now
 * would be unblocked when the row is removed, a moment later.
 */
export function rowInForce(row: BlockedIp | null, now: string): BlockedIp | null {
  return row === null || isExpired(row, now) ? null : row;
}

function endAfter(existing: BlockedIp | null, expiry: ExpiryChange): string | null {
  switch (expiry.kind) {
    case 'permanent':
      return null;
    case 'at':
      return expiry.at;
    case 'later-of':
      if (existing === null) return expiry.until;
      if (existing.expires_at === null) return null;
      return laterOf(existing.expires_at, expiry.until);
    case 'keep':
      return existing?.expires_at ?? null;
  }
}

/** Text order is time order in the one form that the store takes. */
function laterOf(a: string, b: string): string {
  if (a > b) return a;
  return b;
}
