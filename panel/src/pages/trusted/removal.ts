import { useDistrust, useTrust } from '../../api/trusted-ips.ts';
import type { TrustedIp } from '../../api/types.ts';
import { toast, toastProblem } from '../../parts/toasts.tsx';
import { runtimeWords } from '../blocked/runtime-words.ts';
import { trustedUntil } from './trust-duration.ts';

interface Removal {
  readonly remove: (entry: TrustedIp) => Promise<void>;
  readonly busyWith: string | null;
}

export function useTrustRestore(): (entry: TrustedIp) => Promise<void> {
  const trust = useTrust();
  return async ({ ip_address: ip, note, expires_at }) => {
    try {
      const answer = await trust.mutateAsync({ ip, note, end: { expires_at } });
      const title = `${ip} is trusted again${trustedUntil(answer.expires_at)}`;
      toast({ title, ...runtimeWords(answer), about: ip });
    } catch (error) {
      toastProblem(`Could not restore ${ip}`, error);
    }
  };
}

export function useRemoval(): Removal {
  const distrust = useDistrust();
  const undo = useTrustRestore();
  const remove = async (entry: TrustedIp): Promise<void> => {
    try {
      const { tone, words } = runtimeWords(await distrust.mutateAsync(entry.ip_address));
      toast({
        title: `${entry.ip_address} is no longer trusted`,
        words: tone === 'good' ? 'Its blocks take effect again.' : words,
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
