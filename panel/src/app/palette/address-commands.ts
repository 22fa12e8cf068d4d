// What can be done about the address in the palette, which its verdict decides.

import type { CheckAnswer, Scope } from '../../api/types.ts';
import { addressKind } from '../../parts/address-kind.ts';
import type { Command } from './commands.ts';

/** A dialog that the palette leaves behind. */
export interface AddressAction {
  readonly kind: 'block' | 'trust' | 'unblock';
  readonly ip: string;
}

interface Deps {
  /** Undefined: not known, so nothing is offered that may be wrong. */
  readonly answer: Pick<CheckAnswer, 'verdict' | 'by'> | undefined;
  readonly allowed: (scope: Scope) => boolean;
  readonly open: (action: AddressAction) => void;
  readonly goTo: (page: '/check' | '/blocked' | '/trusted', search: Readonly<Record<string, string>>) => void;
}

export function addressCommands(ip: string, { answer, allowed, open, goTo }: Deps): readonly Command[] {
  const { verdict, by = null } = answer ?? {};
  const command = (kind: AddressAction['kind'], target: string, label: string, about?: string): Command => ({
    id: kind,
    group: 'Address',
    label: `${label}…`,
    ...(about === undefined ? {} : { about }),
    run: () => open({ kind, ip: target }),
  });
  const find = (label: string, page: '/blocked' | '/trusted', search: Readonly<Record<string, string>>): Command => ({
    ...{ id: 'find', group: 'Address', label },
    run: () => goTo(page, search),
  });
  const unblocks = verdict === 'blocked' && by !== null && allowed('block');
  const blocks = (verdict === 'allowed' || verdict === 'partly') && allowed('block');
  const trusts = verdict !== undefined && verdict !== 'trusted' && allowed('admin');
  return [
    {
      id: 'check',
      group: 'Address',
      label: `Check ${ip}`,
      about: 'The verdict of the database and of each HAProxy worker',
      run: () => goTo('/check', { ip }),
    },
    ...(unblocks
      ? [command('unblock', by, `Unblock ${by}`, by === ip ? undefined : `All of the network that contains ${ip}`)]
      : []),
    ...(blocks ? [command('block', ip, `Block ${addressKind(ip)} ${ip}`)] : []),
    ...(trusts ? [command('trust', ip, `Trust ${ip}`, 'It is never denied')] : []),
    verdict === 'trusted' && by !== null
      ? find(`Show ${by} in the trusted addresses`, '/trusted', { q: by })
      : verdict === 'blocked' && by !== null
        ? find(`Show ${by} in the blocked addresses`, '/blocked', { entry: by })
        : find(`Find ${ip} in the blocked addresses`, '/blocked', { q: ip }),
  ];
}
