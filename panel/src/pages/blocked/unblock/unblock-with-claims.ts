import { useMutation } from '@tanstack/react-query';
import { block, unblock, undoUnblock, useRefreshBlocked } from '../../../api/blocked-ips.ts';
import { useInvalidation } from '../../../api/query-keys.ts';
import type { Claim } from '../../../api/types.ts';
import { toast, toastProblem } from '../../../parts/toasts.tsx';
import { useAllowed, useSession } from '../../../session/session.ts';
import { blockWords } from '../block/block-words.ts';
import { unblockWords, undoneWords } from '../removal-words.ts';

interface UnblockRequest {
  readonly ip: string;
  /** Empty: no trust. */
  readonly trustFor: string;
  readonly dropped: readonly Claim[];
}

/**
 * An administrator's Undo is that of the service, which restores all claims or none. After an unblock that trusts the
 * address, and for other keys, Undo makes each dropped claim again: a block ends that trust too.
 */
export function useUnblockWithClaims() {
  const { api, clock } = useSession();
  const admin = useAllowed('admin');
  const refresh = useRefreshBlocked();
  const refreshTrust = useInvalidation('trust');

  const undo = async (ip: string, claims: readonly Claim[], requestId: string | null): Promise<void> => {
    try {
      const undone = requestId === null ? null : await undoUnblock(api, ip, requestId);
      if (undone !== null) {
        toast({ ...undoneWords(ip, undone), about: ip });
        return;
      }
      const left = claims.filter(({ expires_at: end }) => end === null || Date.parse(end) > clock.now());
      for (const { source, kind, reason, blocked_by, expires_at } of left) {
        const body = { ip_address: ip, reason, expires_at, ...(blocked_by === null ? {} : { blocked_by }) };
        // The entry existed a moment ago, so its width is intended.
        const wide = admin ? { allow_wide: true } : {};
        const { answer } = await block(api, { ...body, ...wide }, kind === 'manual' ? undefined : source);
        toast({ ...blockWords(answer), title: `Claim of ${source} to ${ip} restored`, about: ip });
      }
      if (left.length === 0) toast({ title: 'Nothing to restore: these claims have ended', tone: 'warn', about: ip });
    } catch (error) {
      toastProblem(`Could not restore the claims to ${ip}`, error);
    } finally {
      refresh();
      void refreshTrust();
    }
  };

  return useMutation({
    mutationFn: ({ ip, trustFor }: UnblockRequest) => unblock(api, ip, trustFor),
    onSuccess: ({ answer, requestId }, { ip, trustFor, dropped }) => {
      const exact = admin && trustFor === '' ? requestId : null;
      const run = (): void => void undo(ip, dropped, exact);
      const action = dropped.length === 0 ? {} : { action: { label: 'Undo', run } };
      toast({ ...unblockWords(answer), about: ip, ...action });
    },
    onSettled: () => {
      refresh();
      void refreshTrust();
    },
  });
}
