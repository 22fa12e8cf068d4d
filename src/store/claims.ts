// Who wants an address blocked. It is blocked while at least one claim lives; `blocked_ips` carries the one that ends
// last (ADR 0057).

import type { BlockedIp } from '../api/blocked-entries.ts';
import {
  type BlockedAddition,
  type BlockedChange,
  type BlockedEffect,
  type BlockedRemoval,
  type Claim,
  isExpired,
  rowAfterAdd,
} from './blocked-changes.ts';

/** Created by the migration; the source of every change that names none. */
export const MANUAL = 1;

/** All claims to one blocked address. */
export interface Claimed {
  /** Blocked without a gap since then. */
  readonly since: string;
  /** The one that ends last first. */
  readonly claims: readonly [Claim, ...Claim[]];
}

/** Sources of kind `list`: a dropped claim would come back with the next one, so an unblock without a source keeps it. */
export type Lists = ReadonlySet<number>;

/** As `blocked_ips` has it. */
export function carriedRow({ since, claims: [{ row }] }: Claimed): BlockedIp {
  return row.blocked_at === since ? row : { ...row, blocked_at: since };
}

/** All that `blocked_ips` has of the claim that it carries. */
export interface Carried {
  readonly row: BlockedIp;
  readonly source: number;
  /** Null: `blocked_at`. */
  readonly claimedAt: string | null;
}

export function carried(claimed: Claimed): Carried {
  const { source } = claimed.claims[0];
  return { row: carriedRow(claimed), source, claimedAt: carriedAt(claimed) };
}

/** The same with the key of a new row. */
export function insertedRow(key: Buffer, claimed: Claimed): Carried & { readonly key: Buffer } {
  return { key, ...carried(claimed) };
}

function carriedAt({ since, claims: [{ row }] }: Claimed): string | null {
  return row.blocked_at === since ? null : row.blocked_at;
}

/** Whether the row stays as it is except for `others`: of most addresses that a further source claims. */
export function carriesTheSame(before: Claimed, after: Claimed): boolean {
  const [a, b] = [before.claims[0].row, after.claims[0].row];
  return (
    before.since === after.since &&
    before.claims[0].source === after.claims[0].source &&
    a.blocked_at === b.blocked_at &&
    a.expires_at === b.expires_at &&
    a.reason === b.reason &&
    a.blocked_by === b.blocked_by
  );
}

/** Rows of `claims` that it has. */
export function furtherClaims(claimed: Claimed | null): number {
  return claimed === null ? 0 : claimed.claims.length - 1;
}

/** As most addresses are: nothing but a row. */
export function isPlain({ since, claims }: Claimed): boolean {
  return claims.length === 1 && claims[0].source === MANUAL && claims[0].row.blocked_at === since;
}

export function plain(row: BlockedIp): Claimed {
  return { since: row.blocked_at, claims: [{ source: MANUAL, row }] };
}

/** What `change` at `now` makes of the address; `claimed` itself if nothing changes. */
export function applyChange(
  claimed: Claimed | null,
  change: BlockedChange,
  now: string,
  lists: Lists,
): { effect: BlockedEffect; after: Claimed | null } {
  if (change.op === 'add') return claimed === null ? addNew(change, now) : add(claimed, change, now);
  if (claimed === null) return { effect: { op: change.op, removed: null }, after: null };
  const at = change.op === 'expire' ? change.now : now;
  const dropped = claimed.claims.filter((claim) =>
    change.op === 'expire' ? isExpired(claim.row, at) : isDropped(claim, change, lists),
  );
  const live = claimed.claims.filter((claim) => !dropped.includes(claim) && !isExpired(claim.row, at));
  const claims = inOrder(live);
  const after = claims === null ? null : live.length === claimed.claims.length ? claimed : { ...claimed, claims };
  const removed = after === null ? carriedRow(claimed) : null;
  const others = claims === null ? {} : { dropped: dropped.map(({ row }) => row), stillClaimedBy: claims };
  return { effect: { op: change.op, removed, ...(change.op === 'remove' && others) }, after };
}

type Added = { effect: BlockedEffect; after: Claimed };

/** Most additions of a long list. */
function addNew(change: BlockedAddition, now: string): Added {
  const row = rowAfterAdd(null, change, now);
  const after: Claimed = { since: now, claims: [{ source: change.source ?? MANUAL, row }] };
  const claimedBy = isPlain(after) ? {} : { claims: after.claims };
  return { effect: { op: 'add', created: true, changed: true, row, ...claimedBy }, after };
}

function add(claimed: Claimed, change: BlockedAddition, now: string): Added {
  const source = change.source ?? MANUAL;
  const live = claimed.claims.filter(({ row }) => !isExpired(row, now));
  // An expired claim counts as absent: if its end were kept, the new one would be dropped with it, a moment later.
  const own = live.find((claim) => claim.source === source);
  const row = rowAfterAdd(own?.row ?? null, change, now);
  const changed = row !== own?.row;
  const created = live.length === 0;
  const claims = inOrder([...live.filter((claim) => claim !== own), { source, row }])!;
  const same = !changed && live.length === claimed.claims.length;
  const after = same ? claimed : { since: created ? now : claimed.since, claims };
  const claimedBy = isPlain(after) ? {} : { claims: after.claims };
  return { effect: { op: 'add', created, changed, row: carriedRow(after), ...claimedBy }, after };
}

function isDropped({ source, row }: Claim, { source: asked, only = {} }: BlockedRemoval, lists: Lists): boolean {
  if (only.reason !== undefined && row.reason !== only.reason) return false;
  if (only.blockedBy !== undefined && row.blocked_by !== only.blockedBy) return false;
  return asked === undefined ? !lists.has(source) : source === asked;
}

/** `claimed` with the author's claim of `manual` moved to another source; `claimed` itself if there is none. */
export function claimsMoved(claimed: Claimed, author: string, to: number): Claimed {
  const moved = claimed.claims.find(({ source, row }) => source === MANUAL && row.blocked_by === author);
  if (moved === undefined || to === MANUAL) return claimed;
  const others = claimed.claims.filter((claim) => claim !== moved && claim.source !== to);
  const [last] = inOrder([{ ...moved, source: to }, ...claimed.claims.filter(({ source }) => source === to)])!;
  return { ...claimed, claims: inOrder([...others, last])! };
}

/** The claim that ends last first, and of each source only the one that ends later; for rows that disagree. */
export function putInOrder({ since, claims }: Claimed): Claimed {
  const [first, ...others] = inOrder(claims)!;
  const kept = others.filter(
    ({ source }, place) => ![first, ...others.slice(0, place)].some((c) => c.source === source),
  );
  return { since, claims: [first, ...kept] };
}

function inOrder(claims: readonly Claim[]): Claimed['claims'] | null {
  const [first, ...others] = claims.length > 1 ? claims.toSorted(endsLastFirst) : claims;
  return first === undefined ? null : [first, ...others];
}

/** Of equal ends, the older first. Text order is time order. */
function endsLastFirst(a: Claim, b: Claim): number {
  const [endA, endB] = [a.row.expires_at, b.row.expires_at];
  if (endA !== endB) {
    if (endA === null) return -1;
    if (endB === null) return 1;
    return endA > endB ? -1 : 1;
  }
  if (a.row.blocked_at !== b.row.blocked_at) return a.row.blocked_at < b.row.blocked_at ? -1 : 1;
  return a.source - b.source;
}
