// One request for many entries. It never shortens a block, and replaces a reason only on request. What an entry shows is
// the claim that ends last; an edit changes the own claim, and is judged by it.
import type { BlockedIp, BlockRequest } from '../../../api/types.ts';
import { ownClaim, ownPart } from '../../../parts/source-words.ts';

export interface Edit {
  /** Of the session's key; null: none. */
  readonly source: string | null;
  /** Empty: reasons stay. */
  readonly reason: string;
  /** Also of entries that have another reason. */
  readonly replacesReasons: boolean;
  /** From now on, in seconds; null: permanent; `keep`: the expiry stays. */
  readonly end: number | null | 'keep';
}

/**
 * In a batch, a duration never shortens a block. So this keeps the end of a claim; but if the claim is dropped before
 * the request arrives, no block without an end comes back.
 */
const keptEnd = { duration_seconds: 1 } as const;

/** What to send; entries that stay as they are are left out. @param now the service's clock, milliseconds since 1970 */
export function editRequests(entries: readonly BlockedIp[], edit: Edit, now: number): BlockRequest[] {
  return entries.flatMap((entry) => {
    const part = ownPart(entry, edit.source);
    const reason = reasonOf(part, edit);
    const end = endOf(part, edit, now);
    if (reason === null && end === null) return [];
    const { ip_address } = entry;
    if (ownClaim(entry, edit.source) !== null) return [{ ip_address, ...reason, ...(end ?? keptEnd) }];
    // A new claim has the shown reason and expiry too: without, it would be permanent, and hide the reason of the others.
    const shown = entry.reason === null ? {} : { reason: entry.reason };
    return [{ ip_address, ...shown, ...reason, ...(end ?? { expires_at: entry.expires_at }) }];
  });
}

/** The entries that have another reason. */
export function otherReasons(
  entries: readonly BlockedIp[],
  { reason, source }: Pick<Edit, 'reason' | 'source'>,
): number {
  return entries.filter((entry) => {
    const present = ownPart(entry, source).reason ?? '';
    return present !== '' && present !== reason.trim();
  }).length;
}

/** Those of which an edit would overwrite what another person wrote since. */
export function changedSince(
  before: readonly BlockedIp[],
  now: ReadonlyMap<string, BlockedIp>,
  source: string | null,
): readonly BlockedIp[] {
  const facts = (entry: BlockedIp): string => {
    const { reason, expires_at: end } = ownPart(entry, source);
    return JSON.stringify([ownClaim(entry, source) === null, reason, end]);
  };
  return before.filter((entry) => {
    const current = now.get(entry.ip_address);
    return current === undefined || facts(current) !== facts(entry);
  });
}

function reasonOf(part: BlockedIp, { reason, replacesReasons }: Edit): { readonly reason: string } | null {
  const typed = reason.trim();
  if (typed === '' || part.reason === typed) return null;
  return (part.reason ?? '') === '' || replacesReasons ? { reason: typed } : null;
}

function endOf({ expires_at: end }: BlockedIp, edit: Edit, now: number) {
  // What is permanent cannot be extended.
  if (edit.end === 'keep' || end === null) return null;
  if (edit.end === null) return { expires_at: null };
  return Date.parse(end) >= now + edit.end * 1_000 ? null : { duration_seconds: edit.end };
}
