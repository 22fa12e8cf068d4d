import { useDistrust, useTrust } from '../../api/trusted-ips.ts';
import type { TrustedIp } from '../../api/types.ts';
import { toast, toastProblem } from '../../parts/toasts.tsx';
import { runtimeWords } from '../blocked/runtime-words.ts';
import { trustedUntil } from './trust-duration.ts';

export interface Removal {
  readonly remove: (entry: TrustedIp) => Promise<void>;
  /** The address that is being removed; null: none. */
  readonly busyWith: string | null;
}

/** Puts a changed or removed entry back, with the note and end it had. */
export function useTrustAsItWas(): (entry: TrustedIp) => Promise<void> {
  const trust = useTrust();
  return async ({ ip_address: ip, note, expires_at }) => {
    try {
      const answer = await trust.mutateAsync({ ip, note, end: { expires_at } });
      const title = `${ip} is trusted again${trustedUntil(answer.expires_at)}`;
      toast({ title, ...runtimeWords(answer), about: ip });
    } catch (error) {
      toastProblem(`${ip} could not be put back`, error);
    }
  };
}

/** Takes an address out at once, and offers the way back: with the note and end it had. */
export function useRemoval(): Removal {
  const distrust = useDistrust();
  const undo = useTrustAsItWas();
  const remove = async (entry: TrustedIp): Promise<void> => {
    try {
      const { tone, words } = runtimeWords(await distrust.mutateAsync(entry.ip_address));
      toast({
        title: `${entry.ip_address} is not trusted any more`,
        words: tone === 'good' ? 'A block of it holds from now on.' : words,
        tone,
        about: entry.ip_address,
        action: { label: 'Undo', run: () => void undo(entry) },
      });
    } catch (error) {
      toastProblem(`${entry.ip_address} is still trusted`, error);
    }
  };
  return { remove, busyWith: distrust.isPending ? distrust.variables : null };
}
