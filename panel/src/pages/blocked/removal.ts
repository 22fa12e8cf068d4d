// Removing, and taking it back: what is blocked again has the reason, the author and the end that it had.

import { unblock, useRefreshBlocked } from '../../api/blocked-ips.ts';
import { type ApiClient, patient } from '../../api/request.ts';
import type { BlockedIp, BlockRequest } from '../../api/types.ts';
import { toast, toastProblem } from '../../parts/toasts.tsx';
import { useApi } from '../../session/session.ts';
import { runtimeWords } from './runtime-words.ts';

const most = 100_000;

export function useRemoval(): (entries: readonly BlockedIp[]) => Promise<void> {
  const api = useApi();
  const refresh = useRefreshBlocked();

  const undo = async (entries: readonly BlockedIp[]): Promise<void> => {
    try {
      const report = await change(api, { add: entries.filter((entry) => !hasEnded(entry)).map(asItWas) });
      toast({ title: `${named(entries)} blocked again`, ...runtimeWords(report) });
    } catch (error) {
      toastProblem(`${named(entries)} could not be blocked again`, error);
    } finally {
      refresh();
    }
  };

  return async (entries) => {
    try {
      const [first] = entries;
      const report =
        entries.length === 1 && first !== undefined
          ? await unblock(api, first.ip_address)
          : await change(api, { remove: entries.map(({ ip_address }) => ip_address) });
      const { tone, words } = runtimeWords(report);
      const still = 'still_blocked_by' in report ? report.still_blocked_by : [];
      toast({
        title: still.length > 0 ? `${named(entries)} is still blocked` : `${named(entries)} no longer blocked`,
        tone: still.length > 0 ? 'warn' : tone,
        words:
          still.length > 0
            ? `Its own entry is gone, but ${still.join(', ')} covers it.`
            : tone === 'good'
              ? 'Every worker of the proxy has let go of it.'
              : words,
        action: { label: 'Undo', run: () => void undo(entries) },
      });
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

function named(entries: readonly BlockedIp[]): string {
  const [first] = entries;
  return entries.length === 1 && first !== undefined
    ? first.ip_address
    : `${entries.length.toLocaleString()} addresses`;
}
