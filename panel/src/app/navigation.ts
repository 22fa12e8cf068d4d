import type { PanelPage } from '../../../src/http/panel-pages.ts';
import type { Scope } from '../api/types.ts';
import {
  ActivityIcon,
  BlockIcon,
  ChartIcon,
  ClockIcon,
  FileIcon,
  GridIcon,
  HeartIcon,
  InboundIcon,
  KeyIcon,
  LayersIcon,
  LockIcon,
  SearchIcon,
  SendIcon,
  ServerIcon,
  WarningIcon,
} from '../parts/icons.tsx';

export interface Destination {
  readonly path: PanelPage;
  readonly label: string;
  readonly icon: typeof ActivityIcon;
  readonly needs: Scope;
  /** The label in the bottom bar of a phone. */
  readonly short?: string;
  /** False: attached to an operator's HAProxy, the service has nothing to show there. */
  readonly whenAttached?: false;
  /** The second key of its shortcut, after `g`. */
  readonly key?: string;
}

interface NavigationGroup {
  /** Null: without a heading. */
  readonly label: string | null;
  readonly pages: readonly Destination[];
}

export const navigationGroups: readonly NavigationGroup[] = [
  {
    label: null,
    pages: [{ path: '/', label: 'Overview', icon: ActivityIcon, needs: 'read', key: 'o' }],
  },
  {
    label: 'Traffic',
    pages: [
      { path: '/denied', label: 'Denied requests', icon: ChartIcon, needs: 'read', key: 'd' },
      { path: '/candidates', label: 'Candidates', icon: WarningIcon, needs: 'read', key: 'n' },
    ],
  },
  {
    label: 'Protection',
    pages: [
      { path: '/blocked', label: 'Blocked addresses', icon: BlockIcon, needs: 'read', short: 'Blocked', key: 'b' },
      { path: '/map', label: 'Map', icon: GridIcon, needs: 'read', key: 'm' },
      { path: '/trusted', label: 'Trusted addresses', icon: HeartIcon, needs: 'read', key: 't' },
      { path: '/sources', label: 'Sources', icon: LayersIcon, needs: 'read', key: 'l' },
    ],
  },
  {
    label: 'Proxy',
    pages: [
      { path: '/sites', label: 'Sites', icon: ServerIcon, needs: 'read', whenAttached: false, key: 's' },
      { path: '/certificates', label: 'Certificates', icon: LockIcon, needs: 'read', key: 'c' },
      { path: '/upstreams', label: 'In front of HAProxy', icon: InboundIcon, needs: 'read', key: 'u' },
      { path: '/configuration', label: 'Configuration', icon: FileIcon, needs: 'admin', key: 'f' },
    ],
  },
  {
    label: 'System',
    pages: [
      { path: '/activity', label: 'Activity', icon: ClockIcon, needs: 'read', key: 'a' },
      { path: '/webhooks', label: 'Webhooks', icon: SendIcon, needs: 'admin', key: 'w' },
      { path: '/keys', label: 'API keys', icon: KeyIcon, needs: 'admin', key: 'k' },
    ],
  },
];

export interface Offered {
  readonly admin: boolean;
  /** Whether the service is attached to an operator's HAProxy. */
  readonly attached: boolean;
}

/** Which of them the menu, the palette and the keys offer. */
export function offeredOf(pages: readonly Destination[], { admin, attached }: Offered): readonly Destination[] {
  return pages.filter(
    ({ needs, whenAttached }) => (needs !== 'admin' || admin) && (whenAttached !== false || !attached),
  );
}

/** The search field of the header leads to it. */
const checkPage: Destination = { path: '/check', label: 'Check an address', icon: SearchIcon, needs: 'read' };

export const destinations: readonly Destination[] = [...navigationGroups.flatMap(({ pages }) => pages), checkPage];

/** Those of the bottom bar: its fifth place opens the menu. */
const onPhone: readonly PanelPage[] = ['/', '/blocked', '/candidates', '/map'];

export const phonePages: readonly Destination[] = onPhone.flatMap((path) =>
  destinations.filter((page) => page.path === path),
);
