import { useDistrust, useTrust } from '../../api/trust.ts';
import type { TrustedIp } from '../../api/types.ts';
import { toast, toastProblem } from '../../parts/toasts.tsx';
import { runtimeWords } from '../blocked/runtime-words.ts';
import { trustedUntil } from './trust-duration.ts';

export interface Removal {
  readonly remove: (entry: TrustedIp) => Promise<void>;
  /** The address that is being removed; null: none. */
  readonly busyWith: string | null;
}

/** Takes an address out at once, and offers the way back: with the note and end it had. */
export function useRemoval(): Removal {
  const trust = useTrust();
  const distrust = useDistrust();
  const undo = async ({ ip_address: ip, note, expires_at }: TrustedIp): Promise<void> => {
    try {
      const answer = await trust.mutateAsync({ ip, note, end: { expires_at } });
      toast({ title: `${ip} is trusted again${trustedUntil(answer.expires_at)}`, ...runtimeWords(answer) });
    } catch (error) {
      toastProblem(`${ip} is still not trusted`, error);
    }
  };
  const remove = async (entry: TrustedIp): Promise<void> => {
    try {
      const { tone, words } = runtimeWords(await distrust.mutateAsync(entry.ip_address));
      toast({
        title: `${entry.ip_address} is not trusted any more`,
        words: tone === 'good' ? 'A block of it holds from now on.' : words,
        tone,
        action: { label: 'Undo', run: () => void undo(entry) },
      });
    } catch (error) {
      toastProblem(`${entry.ip_address} is still trusted`, error);
    }
  };
  return { remove, busyWith: distrust.isPending ? distrust.variables : null };
}
