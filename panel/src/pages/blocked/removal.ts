// Removing, and taking it back: what is blocked again has the reason, the author and the end that it had.

import { ApiProblem, ApiUnreachable } from '../../../../src/client/client.ts';
import { block, fetchEntry, unblock, useRefreshBlocked } from '../../api/blocked-ips.ts';
import { type ApiClient, patient } from '../../api/request.ts';
import type { BlockedIp, BlockRequest, BulkAnswer } from '../../api/types.ts';
import { toast, toastProblem } from '../../parts/toasts.tsx';
import { useMay, useSession } from '../../session/session.ts';
import { blockWords } from './block/block-words.ts';
import { blockedAgainWords, bulkRemovalWords, named, removedOf, unblockWords } from './removal-words.ts';
import { isTooWide } from './too-wide.ts';

const most = 100_000;

export function useRemoval(): (entries: readonly BlockedIp[]) => Promise<void> {
  const admin = useMay('admin');
  const { api, clock } = useSession();
  const refresh = useRefreshBlocked();

  const addAgain = async (add: BlockRequest[]): Promise<BulkAnswer> => {
    const answer = await change(api, { add });
    if (!admin || !answer.rejected.some(isTooWide)) return answer;
    // What was there a moment ago is meant, however wide it is.
    return change(api, { add: add.map((one) => ({ ...one, allow_wide: true })) });
  };
  const undo = async (entries: readonly BlockedIp[]): Promise<void> => {
    try {
      const again = entries.filter((entry) => !hasEnded(entry, clock.now())).map(asItWas);
      const answer = again.length === 0 ? null : await addAgain(again);
      const [first] = entries;
      const about = entries.length === 1 && first !== undefined ? { about: first.ip_address } : {};
      toast({ ...blockedAgainWords(entries, again.length, answer), ...about });
    } catch (error) {
      toastProblem(`${named(entries)} could not be blocked again`, error);
    } finally {
      refresh();
    }
  };

  return async (entries) => {
    const way = (back: readonly BlockedIp[]) => ({ label: 'Undo', run: () => void undo(back) });
    try {
      const [first] = entries;
      if (entries.length === 1 && first !== undefined) {
        // The list may be older than a change of this entry.
        const { ip_address: about } = first;
        const entry = await entryNow(api, about);
        const action = entry === null ? {} : { action: way([entry]) };
        toast({ ...unblockWords(await unblock(api, about)), about, ...action });
      } else {
        const answer = await change(api, { remove: entries.map(({ ip_address }) => ip_address) });
        // What somebody else unblocked meanwhile is not blocked again by taking this back.
        const removed = removedOf(entries, answer);
        const action = removed === null || removed.length === 0 ? {} : { action: way(removed) };
        toast({ ...bulkRemovalWords(entries, answer), ...action });
      }
    } catch (error) {
      toastProblem(`${named(entries)} could not be removed`, error);
    } finally {
      refresh();
    }
  };
}

/** Takes a block back: a new entry is removed, one that was there is put back as it was (`before`). */
export function useUndoBlock(): (ip: string, before: BlockedIp | null) => void {
  const admin = useMay('admin');
  const { api, clock } = useSession();
  const refresh = useRefreshBlocked();
  // What was there a moment ago is meant, however wide it is, and whoever trusts it.
  const all = admin ? { allow_wide: true, force: true } : {};
  const undo = async (ip: string, before: BlockedIp | null): Promise<void> => {
    try {
      if (before === null || hasEnded(before, clock.now()))
        toast({ ...unblockWords(await unblock(api, ip)), about: ip });
      else
        toast({
          ...blockWords((await block(api, { ...asItWas(before), ...all })).answer),
          title: `${ip} is blocked as before`,
          about: ip,
        });
    } catch (error) {
      toastProblem(`The block of ${ip} could not be taken back`, error);
    } finally {
      refresh();
    }
  };
  return (ip, before) => void undo(ip, before);
}

/** Null: not known, so that there is no way back to it. */
async function entryNow(api: ApiClient, ip: string): Promise<BlockedIp | null> {
  try {
    return await fetchEntry(api, ip);
  } catch (error) {
    if (error instanceof ApiProblem || error instanceof ApiUnreachable) return null;
    throw error;
  }
}

async function change(api: ApiClient, body: { readonly add?: BlockRequest[]; readonly remove?: string[] }) {
  if ((body.add?.length ?? 0) + (body.remove?.length ?? 0) > most) throw new Error(`more than ${most} at once`);
  return (await api.POST('/api/blocked-ips/batch', { body, ...patient })).data;
}

function asItWas({ ip_address, reason, blocked_by, expires_at }: BlockedIp): BlockRequest {
  return { ip_address, reason, expires_at, ...(blocked_by === null ? {} : { blocked_by }) };
}

/** What would have ended by itself meanwhile is not blocked again. */
function hasEnded({ expires_at }: BlockedIp, now: number): boolean {
  return expires_at !== null && Date.parse(expires_at) <= now;
}
