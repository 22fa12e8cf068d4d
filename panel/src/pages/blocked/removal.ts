import { ApiProblem, ApiUnreachable } from '../../../../src/client/client.ts';
import { block, fetchEntry, unblock, useRefreshBlocked } from '../../api/blocked-ips.ts';
import { type ApiClient, patient } from '../../api/request.ts';
import type { BlockedIp, BlockRequest, BulkAnswer } from '../../api/types.ts';
import { toast, toastProblem } from '../../parts/toasts.tsx';
import { useAllowed, useSession } from '../../session/session.ts';
import { blockWords } from './block/block-words.ts';
import { blockedAgainWords, bulkRemovalWords, named, removedOf, unblockWords } from './removal-words.ts';

const maxBatch = 100_000;

export function useRemoval(): (entries: readonly BlockedIp[]) => Promise<void> {
  const admin = useAllowed('admin');
  const { api, clock } = useSession();
  const refresh = useRefreshBlocked();

  const undo = async (entries: readonly BlockedIp[]): Promise<void> => {
    try {
      const again = entries.filter((entry) => !hasExpired(entry, clock.now())).map(restoreRequest);
      const answer = again.length === 0 ? null : await change(api, { add: again }, admin);
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
        toast({ ...unblockWords(await unblock(api, about)), about, ...action });
      } else {
        const answer = await change(api, { remove: entries.map(({ ip_address }) => ip_address) });
        // An entry that another client unblocked meanwhile must stay unblocked after Undo.
        const removed = removedOf(entries, answer);
        const action = removed === null || removed.length === 0 ? {} : { action: undoAction(removed) };
        toast({ ...bulkRemovalWords(entries, answer), ...action });
      }
    } catch (error) {
      toastProblem(`Could not remove ${named(entries)}`, error);
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
        toast({ ...unblockWords(await unblock(api, ip)), about: ip });
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

/** @param allowWide of entries that existed a moment ago, so that their width is intended; needs the scope `admin` */
async function change(
  api: ApiClient,
  body: { readonly add?: BlockRequest[]; readonly remove?: string[] },
  allowWide = false,
): Promise<BulkAnswer> {
  if ((body.add?.length ?? 0) + (body.remove?.length ?? 0) > maxBatch)
    throw new Error(`at most ${maxBatch.toLocaleString('en')} entries can be changed at once`);
  const params = allowWide ? { params: { query: { allow_wide: true } } } : {};
  return (await api.POST('/api/blocked-ips/batch', { body, ...patient, ...params })).data;
}

function restoreRequest({ ip_address, reason, blocked_by, expires_at }: BlockedIp): BlockRequest {
  return { ip_address, reason, expires_at, ...(blocked_by === null ? {} : { blocked_by }) };
}

function hasExpired({ expires_at }: BlockedIp, now: number): boolean {
  return expires_at !== null && Date.parse(expires_at) <= now;
}
