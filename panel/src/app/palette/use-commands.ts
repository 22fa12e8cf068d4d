import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useCheck } from '../../api/check.ts';
import { useSites } from '../../api/sites.ts';
import { useViews } from '../../api/views.ts';
import { useAllowed, useSession } from '../../session/session.ts';
import { destinations, offeredOf } from '../navigation.ts';
import { useOffered } from '../use-offered.ts';
import { type AddressAction, addressCommands } from './address-commands.ts';
import { addressIn, type Command, verbIn } from './commands.ts';

const keywords: Readonly<Record<string, string>> = {
  '/': 'home dashboard health',
  '/blocked': 'list deny entries import export',
  '/trusted': 'allow exceptions',
  '/upstreams': 'upstreams cdn load balancer',
  '/configuration': 'reload validate backups',
  '/activity': 'events audit log history',
};

/** Without the commands for an address. */
export function useCommands(): readonly Command[] {
  const navigate = useNavigate();
  const session = useSession();
  const offered = useOffered();
  const { setColorScheme } = useMantineColorScheme();
  const other = useComputedColorScheme('light') === 'dark' ? 'light' : 'dark';
  const views = useViews().data ?? [];
  const sites = useSites();
  return [
    ...offeredOf(destinations, offered).map(
      ({ path, label }): Command => ({
        id: path,
        group: 'Pages',
        label,
        keywords: keywords[path] ?? '',
        run: () => void navigate({ to: path, search: {} }),
      }),
    ),
    ...views.map(
      ({ name, page, query }): Command => ({
        id: `view ${name}`,
        group: 'Saved views',
        label: name,
        about: query,
        run: () => void navigate({ to: page, search: Object.fromEntries(new URLSearchParams(query)) }),
      }),
    ),
    ...(offered.attached ? [] : (sites.data?.items ?? [])).map(
      ({ domain }): Command => ({
        id: `site ${domain}`,
        group: 'Sites',
        label: domain,
        run: () => void navigate({ to: '/sites', search: {} }),
      }),
    ),
    {
      id: 'theme',
      group: 'Actions',
      label: `Switch to the ${other} theme`,
      run: () => setColorScheme(other),
    },
    { id: 'sign out', group: 'Actions', label: 'Sign out', keywords: 'leave', run: () => session.signOut() },
  ];
}

/** The command that was typed first. */
export function useAddressCommands(text: string, open: (action: AddressAction) => void): readonly Command[] {
  const navigate = useNavigate();
  const ip = addressIn(text);
  const { data, error } = useCheck(ip);
  const scopes = { read: true, block: useAllowed('block'), admin: useAllowed('admin') };
  if (ip === null) return [];
  const verb = verbIn(text);
  const commands = addressCommands(ip, {
    // Not of the address before, and not an old verdict.
    answer: data?.ip_address === ip && error === null ? data : undefined,
    allowed: (scope) => scopes[scope],
    open,
    goTo: (to, search) => void navigate({ to, search }),
  });
  return commands.toSorted((a, b) => Number(b.id === verb) - Number(a.id === verb));
}
