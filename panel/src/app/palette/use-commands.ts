import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useSites } from '../../api/sites.ts';
import { useViews } from '../../api/views.ts';
import { useAllowed, useSession } from '../../session/session.ts';
import { destinations, offeredOf } from '../navigation.ts';
import { useOffered } from '../use-offered.ts';
import { addressIn, type Command } from './commands.ts';

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

export function useAddressCommands(text: string, onBlock: (ip: string) => void): readonly Command[] {
  const navigate = useNavigate();
  const may = useAllowed('block');
  const ip = addressIn(text);
  if (ip === null) return [];
  const block: Command = { id: 'block', group: 'Address', label: `Block ${ip}…`, run: () => onBlock(ip) };
  return [
    {
      id: 'check',
      group: 'Address',
      label: `Check ${ip}`,
      about: 'The verdict of the database and of each HAProxy worker',
      run: () => void navigate({ to: '/check', search: { ip } }),
    },
    ...(may ? [block] : []),
    {
      id: 'find',
      group: 'Address',
      label: `Find ${ip} in the blocked addresses`,
      run: () => void navigate({ to: '/blocked', search: { q: ip } }),
    },
  ];
}
