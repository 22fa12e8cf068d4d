import type { PanelPage } from '../../../src/http/panel-pages.ts';
import type { Scope } from '../api/types.ts';
import {
  ActivityIcon,
  BlockIcon,
  FileIcon,
  GaugeIcon,
  HeartIcon,
  InboundIcon,
  KeyIcon,
  LayersIcon,
  LockIcon,
  SearchIcon,
  SendIcon,
  ServerIcon,
} from '../parts/icons.tsx';

export interface Destination {
  readonly path: PanelPage;
  readonly label: string;
  readonly icon: typeof GaugeIcon;
  readonly needs: Scope;
}

export const destinations: readonly Destination[] = [
  { path: '/', label: 'Overview', icon: GaugeIcon, needs: 'read' },
  { path: '/blocked', label: 'Blocked addresses', icon: BlockIcon, needs: 'read' },
  { path: '/sources', label: 'Sources', icon: LayersIcon, needs: 'read' },
  { path: '/check', label: 'Check an address', icon: SearchIcon, needs: 'read' },
  { path: '/trusted', label: 'Trusted addresses', icon: HeartIcon, needs: 'read' },
  { path: '/sites', label: 'Sites', icon: ServerIcon, needs: 'read' },
  { path: '/certificates', label: 'Certificates', icon: LockIcon, needs: 'read' },
  { path: '/upstreams', label: 'In front of HAProxy', icon: InboundIcon, needs: 'read' },
  { path: '/configuration', label: 'Configuration', icon: FileIcon, needs: 'admin' },
  { path: '/activity', label: 'Activity', icon: ActivityIcon, needs: 'read' },
  { path: '/webhooks', label: 'Webhooks', icon: SendIcon, needs: 'admin' },
  { path: '/keys', label: 'API keys', icon: KeyIcon, needs: 'admin' },
];
