import { ApiProblem, ApiUnreachable } from '../../../../src/client/client.ts';
import { count } from '../../../../src/domain/counted.ts';
import { block, fetchEntry, unblock, useRefreshBlocked } from '../../api/blocked-ips.ts';
import { type ApiClient, patient } from '../../api/request.ts';
import type { BlockedIp, BlockRequest, BulkAnswer } from '../../api/types.ts';
import { claimsOf, unblockEffect } from '../../parts/source-words.ts';
import { toast, toastProblem } from '../../parts/toasts.tsx';
import { useAllowed, useSession, useSessionState } from '../../session/session.ts';
import { blockWords } from './block/block-words.ts';
import { blockedAgainWords, bulkRemovalWords, droppedOf, named, unblockWords } from './removal-words.ts';

const maxBatch = 100_000;

export function useRemoval(): (entries: readonly BlockedIp[]) => Promise<void> {
  const admin = useAllowed('admin');
  const { info } = useSessionState();
  const boundTo = info?.source ?? null;
  const { api, clock } = useSession();
  const refresh = useRefreshBlocked();

  const undo = async (entries: readonly BlockedIp[]): Promise<void> => {
    try {
      const again = entries.filter((entry) => !hasExpired(entry, clock.now()));
      let answer: BulkAnswer | null = null;
      for (const [source, add] of claimsBySource(again, boundTo, clock.now())) {
        answer = both(answer, await change(api, { add }, { allowWide: admin, source }));
      }
      const [first] = entries;
      const about = entries.length === 1 && first !== undefined ? { about: first.ip_address } : {};
      toast({ ...blockedAgainWords(entries, again.length, answer), ...about });
    } catch (error) {
      toastProblem(`Could not restore ${named(entries)}`, error);
    } finally {
      refresh();
    }
  };

  return async (entries) => {
    const undoAction = (back: readonly BlockedIp[]) => ({ label: 'Undo', run: () => void undo(back) });
    try {
      const [first] = entries;
      if (entries.length === 1 && first !== undefined) {
        // The list may be older than the last change of this entry.
        const { ip_address: about } = first;
        const entry = await currentEntry(api, about);
        const action = entry === null ? {} : { action: undoAction([entry]) };
        toast({ ...unblockWords((await unblock(api, about)).answer), about, ...action });
      } else {
        const answer = await change(api, { remove: entries.map(({ ip_address }) => ip_address) });
        // An entry that another client unblocked meanwhile must stay unblocked after Undo.
        const dropped = droppedOf(entries, answer, boundTo);
        const action = dropped === null || dropped.length === 0 ? {} : { action: undoAction(dropped) };
        toast({ ...bulkRemovalWords(entries, answer, boundTo), ...action });
      }
    } catch (error) {
      toastProblem(`Could not unblock ${named(entries)}`, error);
    } finally {
      refresh();
    }
  };
}

/** Undoes a block: removes a new entry, or restores the previous one (`before`). */
export function useUndoBlock(): (ip: string, before: BlockedIp | null) => void {
  const admin = useAllowed('admin');
  const { api, clock } = useSession();
  const refresh = useRefreshBlocked();
  // The entry existed a moment ago, so its width and the trust that covers it are intended.
  const all = admin ? { allow_wide: true, force: true } : {};
  const undo = async (ip: string, before: BlockedIp | null): Promise<void> => {
    try {
      if (before === null || hasExpired(before, clock.now()))
        toast({ ...unblockWords((await unblock(api, ip)).answer), about: ip });
      else
        toast({
          ...blockWords((await block(api, { ...restoreRequest(before), ...all })).answer),
          title: `Previous block of ${ip} restored`,
          about: ip,
        });
    } catch (error) {
      toastProblem(`Could not undo the block of ${ip}`, error);
    } finally {
      refresh();
    }
  };
  return (ip, before) => void undo(ip, before);
}

/** Null: unknown, so it cannot be restored. */
async function currentEntry(api: ApiClient, ip: string): Promise<BlockedIp | null> {
  try {
    return await fetchEntry(api, ip);
  } catch (error) {
    if (error instanceof ApiProblem || error instanceof ApiUnreachable) return null;
    throw error;
  }
}

/** What a removal dropped, by source; empty: of no source, so of the key's or `manual`. */
function claimsBySource(
  entries: readonly BlockedIp[],
  boundTo: string | null,
  now: number,
): ReadonlyMap<string, BlockRequest[]> {
  const bySource = new Map<string, BlockRequest[]>();
  for (const entry of entries) {
    const dropped = entry.claims === undefined ? claimsOf(entry) : unblockEffect(entry.claims, boundTo).dropped;
    for (const claim of dropped) {
      if (hasExpired(claim, now)) continue;
      const source = claim.kind === 'manual' ? '' : claim.source;
      const requests = bySource.get(source) ?? [];
      bySource.set(source, requests);
      requests.push(restoreRequest({ ...claim, ip_address: entry.ip_address }));
    }
  }
  return bySource;
}

/** Of batches that restore different claims. */
function both(one: BulkAnswer | null, other: BulkAnswer): BulkAnswer {
  if (one === null) return other;
  return {
    ...other,
    rejected_total: one.rejected_total + other.rejected_total,
    rejected: [...one.rejected, ...other.rejected],
    runtime_map_updated: one.runtime_map_updated && other.runtime_map_updated,
    runtime_map_failures: [...one.runtime_map_failures, ...other.runtime_map_failures],
    runtime_map_failures_total: one.runtime_map_failures_total + other.runtime_map_failures_total,
    reload_scheduled: one.reload_scheduled || other.reload_scheduled,
  };
}

/**
 * @param how `allowWide`: of entries that existed a moment ago, so that their width is intended; needs the scope `admin`
 */
async function change(
  api: ApiClient,
  body: { readonly add?: BlockRequest[]; readonly remove?: string[] },
  { allowWide = false, source = '' } = {},
): Promise<BulkAnswer> {
  if ((body.add?.length ?? 0) + (body.remove?.length ?? 0) > maxBatch)
    throw new Error(`at most ${count(maxBatch)} entries can be changed at once`);
  const query = { ...(allowWide ? { allow_wide: true } : {}), ...(source === '' ? {} : { source }) };
  return (await api.POST('/api/blocked-ips/batch', { body, ...patient, params: { query } })).data;
}

function restoreRequest({
  ip_address,
  reason,
  blocked_by,
  expires_at,
}: Omit<BlockedIp, 'blocked_at' | 'claims'>): BlockRequest {
  return { ip_address, reason, expires_at, ...(blocked_by === null ? {} : { blocked_by }) };
}

function hasExpired({ expires_at }: Pick<BlockedIp, 'expires_at'>, now: number): boolean {
  return expires_at !== null && Date.parse(expires_at) <= now;
}
