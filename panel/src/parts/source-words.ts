// Who claims an address, and what an unblock would do about it.
import type { BlockedIp, Claim, Source } from '../api/types.ts';

export const manual = 'manual';

export const kindWords: Readonly<Record<Source['kind'], string>> = {
  manual: 'Operators',
  agent: 'Agent',
  list: 'List',
};

/** The API omits them if only `manual` claims the address. */
export function claimsOf({ claims, ...entry }: BlockedIp): readonly Claim[] {
  if (claims !== undefined) return claims;
  const { reason, blocked_by, blocked_at: claimed_at, expires_at } = entry;
  return [{ source: manual, kind: 'manual', reason, blocked_by, claimed_at, expires_at }];
}

/** Null: it claims nothing. @param source of the session's key; null: none, so `manual` */
export function ownClaim(entry: BlockedIp, source: string | null | undefined): Claim | null {
  return claimsOf(entry).find((claim) => claim.source === (source ?? manual)) ?? null;
}

/** What an edit changes, instead of the claim that ends last: as much of the entry as the own claim has, if there is one. */
export function ownPart(entry: BlockedIp, source: string | null | undefined): BlockedIp {
  const own = ownClaim(entry, source);
  if (own === null) return entry;
  const { reason, blocked_by, expires_at } = own;
  return { ...entry, reason, blocked_by, expires_at };
}

export function sourceNames(claims: readonly Claim[]): string {
  return [...new Set(claims.map(({ source }) => source))].join(', ');
}

interface UnblockEffect {
  readonly dropped: readonly Claim[];
  /** These keep the address blocked. */
  readonly kept: readonly Claim[];
}

/** @param boundTo the source of the session's key; null: none */
export function unblockEffect(claims: readonly Claim[], boundTo: string | null): UnblockEffect {
  const bound = boundTo === null || boundTo === manual ? null : boundTo;
  const drops = ({ source, kind }: Claim): boolean => (bound === null ? kind !== 'list' : source === bound);
  return { dropped: claims.filter(drops), kept: claims.filter((claim) => !drops(claim)) };
}
