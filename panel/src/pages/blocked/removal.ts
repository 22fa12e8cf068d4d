// Removing, and taking it back: what is blocked again has the reason, the author and the end that it had.

import { fetchEntry, unblock, useRefreshBlocked } from '../../api/blocked-ips.ts';
import { type ApiClient, patient } from '../../api/request.ts';
import type { BlockedIp, BlockRequest } from '../../api/types.ts';
import { toast, toastProblem } from '../../parts/toasts.tsx';
import { useApi } from '../../session/session.ts';
import { blockedAgainWords, bulkRemovalWords, named, removedOf, unblockWords } from './removal-words.ts';

const most = 100_000;

export function useRemoval(): (entries: readonly BlockedIp[]) => Promise<void> {
  const api = useApi();
  const refresh = useRefreshBlocked();

  const undo = async (entries: readonly BlockedIp[]): Promise<void> => {
    try {
      const again = entries.filter((entry) => !hasEnded(entry)).map(asItWas);
      const answer = again.length === 0 ? null : await change(api, { add: again });
      toast(blockedAgainWords(entries, again.length, answer));
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
        const entry = await fetchEntry(api, first.ip_address).catch(() => first);
        toast({ ...unblockWords(await unblock(api, first.ip_address)), action: way([entry]) });
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

async function change(api: ApiClient, body: { readonly add?: BlockRequest[]; readonly remove?: string[] }) {
  if ((body.add?.length ?? 0) + (body.remove?.length ?? 0) > most) throw new Error(`more than ${most} at once`);
  return (await api.POST('/api/blocked-ips/batch', { body, ...patient })).data;
}

function asItWas({ ip_address, reason, blocked_by, expires_at }: BlockedIp): BlockRequest {
  return { ip_address, reason, expires_at, ...(blocked_by === null ? {} : { blocked_by }) };
}

/** What would have ended by itself meanwhile is not blocked again. */
function hasEnded({ expires_at }: BlockedIp): boolean {
  return expires_at !== null && Date.parse(expires_at) <= Date.now();
}
