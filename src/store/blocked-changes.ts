import type { BlockedIp } from '../api/blocked-entries.ts';
import type { IpEntry } from '../domain/ip.ts';

/** How a request sets the expiry; docs/api.md. Times in the form of `Date.toISOString`. */
export type ExpiryChange =
  /** No time was given: the block becomes permanent. */
  | { kind: 'permanent' }
  /** `expires_at`: stored as given. */
  | { kind: 'at'; at: string }
  /** `duration_seconds`: the later expiry wins, and permanent stays permanent. */
  | { kind: 'later-of'; until: string }
  /** A list element without a time: an existing entry keeps its expiry, a new one is permanent. */
  | { kind: 'keep' };

/** Which claims are meant, by their exact texts; absent: any. */
export interface ClaimFilter {
  readonly reason?: string | undefined;
  readonly blockedBy?: string | undefined;
}

export type BlockedChange =
  | {
      op: 'add';
      entry: IpEntry;
      /** Absent: an existing entry keeps its own. Null: removes it. */
      reason?: string | null | undefined;
      blockedBy?: string | undefined;
      /** For a new entry without `blockedBy`. */
      defaultBlockedBy?: string | undefined;
      expiry: ExpiryChange;
      /** Whose claim it is; absent: `manual`. */
      source?: number | undefined;
    }
  /** Drops the claim of `source`; absent: all claims of kind `manual` or `agent`. `only`: unless they differ from it. */
  | { op: 'remove'; entry: IpEntry; source?: number | undefined; only?: ClaimFilter | undefined }
  /** Removes only if the entry has expired by `now`: it may have been extended since the lookup. */
  | { op: 'expire'; entry: IpEntry; now: string };

/** One source wants the address blocked. */
export interface Claim {
  readonly source: number;
  /** `blocked_at`: when this source claimed it. */
  readonly row: BlockedIp;
}

export type BlockedAddition = Extract<BlockedChange, { op: 'add' }>;
export type BlockedRemoval = Extract<BlockedChange, { op: 'remove' }>;

export type BlockedEffect =
  /**
   * `created`: the address was not blocked, or only by what had expired. `changed`: a field of the source's claim
   * differs; true of a new claim too. `row`: of the claim that ends last.
   */
  | {
      op: 'add';
      created: boolean;
      changed: boolean;
      row: BlockedIp;
      /** All claims to the address, the one that ends last first; absent: only `manual` claims it. */
      claims?: readonly Claim[];
    }
  | {
      op: 'remove' | 'expire';
      /** Null: it was not blocked, or it still is. */
      removed: BlockedIp | null;
      /** The claims that a removal dropped from an address that is still blocked. */
      dropped?: readonly BlockedIp[];
      /** The claims by which it is still blocked after a removal. */
      stillClaimedBy?: readonly Claim[];
    };

/** Texts that are blocked after a transaction and were not before, and the reverse. */
export interface NetChange {
  added: string[];
  removed: string[];
}

/**
 * The row after an addition; `existing` (of `rowInForce`) itself if nothing changes. `now`: for a new row's
 * `blocked_at`.
 */
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

/** Whether an `expire` at `now` removes the row. */
export function isExpired(row: BlockedIp, now: string): boolean {
  return row.expires_at !== null && row.expires_at <= now;
}

/**
 * What an addition at `now` builds on. An expired row counts as absent: if its expiry were kept, the new block would be
 * removed with the row, a moment later.
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

/** Text order is time order in the only accepted form. */
function laterOf(a: string, b: string): string {
  if (a > b) return a;
  return b;
}
