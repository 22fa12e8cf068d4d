// One request for many entries. It never shortens a block, and replaces a reason only on request.
import type { BlockedIp, BlockRequest } from '../../../api/types.ts';

export interface Edit {
  /** Empty: reasons stay. */
  readonly reason: string;
  /** Also of entries that have another reason. */
  readonly replacesReasons: boolean;
  /** From now on, in seconds; null: permanent; `keep`: the expiry stays. */
  readonly end: number | null | 'keep';
}

/** What to send; entries that stay as they are are left out. @param now the service's clock, milliseconds since 1970 */
export function editRequests(entries: readonly BlockedIp[], edit: Edit, now: number): BlockRequest[] {
  return entries.flatMap((entry) => {
    const reason = reasonOf(entry, edit);
    const end = endOf(entry, edit, now);
    if (reason === null && end === null) return [];
    // With its expiry as it is: a claim that is new would be permanent without one.
    return [{ ip_address: entry.ip_address, ...reason, ...(end ?? { expires_at: entry.expires_at }) }];
  });
}

/** The entries that have another reason. */
export function otherReasons(entries: readonly BlockedIp[], reason: string): number {
  return entries.filter((entry) => (entry.reason ?? '') !== '' && entry.reason !== reason.trim()).length;
}

function reasonOf(entry: BlockedIp, { reason, replacesReasons }: Edit): { readonly reason: string } | null {
  const typed = reason.trim();
  if (typed === '' || entry.reason === typed) return null;
  return (entry.reason ?? '') === '' || replacesReasons ? { reason: typed } : null;
}

function endOf({ expires_at: end }: BlockedIp, edit: Edit, now: number) {
  // What is permanent cannot be extended.
  if (edit.end === 'keep' || end === null) return null;
  if (edit.end === null) return { expires_at: null };
  return Date.parse(end) >= now + edit.end * 1_000 ? null : { duration_seconds: edit.end };
}
