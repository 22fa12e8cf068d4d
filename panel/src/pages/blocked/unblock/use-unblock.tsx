import { type ReactNode, useState } from 'react';
import type { BlockedIp } from '../../../api/types.ts';
import { claimsOf, unblockEffect } from '../../../parts/source-words.ts';
import { useSessionState } from '../../../session/session.ts';
import { useRemoval } from '../removal.ts';
import { UnblockDialog } from './unblock-dialog.tsx';
import { UnblockManyDialog } from './unblock-many-dialog.tsx';

interface Unblock {
  /** At once, with Undo, what only `manual` claims; otherwise a dialog says first what will happen. */
  readonly unblock: (entries: readonly BlockedIp[]) => Promise<void>;
  readonly dialog: ReactNode;
}

export function useUnblock(): Unblock {
  const { info } = useSessionState();
  const remove = useRemoval();
  const [asked, setAsked] = useState<readonly BlockedIp[]>([]);
  const [first] = asked;
  const close = (): void => setAsked([]);
  const isPlain = (entry: BlockedIp): boolean =>
    entry.claims === undefined && unblockEffect(claimsOf(entry), info?.source ?? null).kept.length === 0;
  return {
    unblock: async (entries) => {
      if (entries.every(isPlain)) await remove(entries);
      else setAsked(entries);
    },
    dialog:
      first === undefined ? null : asked.length === 1 ? (
        <UnblockDialog ip={first.ip_address} onClose={close} />
      ) : (
        <UnblockManyDialog entries={asked} onConfirm={() => remove(asked)} onClose={close} />
      ),
  };
}
