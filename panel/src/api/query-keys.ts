import { type QueryClient, useQueryClient } from '@tanstack/react-query';

export type Subject =
  | 'acme'
  | 'api-keys'
  | 'audit'
  | 'backups'
  | 'blocked-ip'
  | 'blocked-ips'
  | 'blocked-sparks'
  | 'blocked-texts'
  | 'certificates'
  | 'check'
  | 'config'
  | 'entry-map'
  | 'health'
  | 'insight'
  | 'notices'
  | 'reloads'
  | 'site-servers'
  | 'site-tls'
  | 'sites'
  | 'sources'
  | 'trusted-ips'
  | 'upstreams'
  | 'view-counts'
  | 'views'
  | 'webhooks';

type Key = readonly [Subject, ...unknown[]];

export const queryKeys = {
  acme: ['acme'],
  acmeOrders: (id: string): Key => ['acme', id],
  apiKeys: ['api-keys'],
  audit: (filter: object): Key => ['audit', filter],
  backups: ['backups'],
  blockedList: (query: object): Key => ['blocked-ips', query],
  /** Apart from the list: a search by text reads every entry in the service, so no event repeats it. */
  blockedTextSearch: (query: object): Key => ['blocked-texts', query],
  /** Apart from the list: no event changes them. */
  blockedSparks: (query: object, first: number, last: number): Key => ['blocked-sparks', query, first, last],
  blockedDetail: (ip: string | null): Key => ['blocked-ip', 'detail', ip],
  blockedEntry: (ip: string | null): Key => ['blocked-ip', 'entry', ip],
  blockedInside: (network: string): Key => ['blocked-ip', 'inside', network],
  removal: (ips: readonly string[]): Key => ['blocked-ip', 'removal', ips],
  certificates: (filter: object): Key => ['certificates', filter],
  check: (ip: string | null): Key => ['check', ip],
  configText: ['config', 'text'],
  configDiff: (backup: string | null): Key => ['config', 'diff', backup],
  entryMap: (layer: string, network: string | null): Key => ['entry-map', layer, network],
  health: ['health'],
  insight: (...parts: readonly unknown[]): Key => ['insight', ...parts],
  notices: ['notices'],
  reloads: ['reloads'],
  serverStates: (domain: string): Key => ['site-servers', domain],
  siteTls: (domain: string): Key => ['site-tls', domain],
  sites: ['sites'],
  sources: ['sources'],
  trusted: ['trusted-ips'],
  upstreams: ['upstreams'],
  /** Apart from the list: no event repeats it. */
  viewCount: (query: object): Key => ['view-counts', query],
  views: ['views'],
  webhooks: ['webhooks'],
} as const satisfies Readonly<Record<string, Key | ((...parts: never[]) => Key)>>;

const changedWith = {
  blocking: ['blocked-ips', 'blocked-texts', 'blocked-ip', 'check', 'upstreams', 'health'],
  acme: ['acme', 'certificates', 'health'],
  candidates: ['insight'],
  certificates: ['certificates', 'acme', 'site-tls', 'health'],
  configuration: ['config', 'reloads', 'backups', 'site-servers', 'health'],
  binding: ['api-keys', 'health', 'blocked-ips', 'blocked-texts', 'blocked-ip', 'sources'],
  keys: ['api-keys', 'health'],
  notices: ['notices'],
  sites: ['sites', 'site-servers', 'site-tls', 'certificates', 'config', 'reloads', 'backups', 'health'],
  siteTls: ['site-tls', 'health'],
  trust: ['trusted-ips', 'check', 'health'],
  upstreams: ['upstreams', 'config', 'reloads', 'backups', 'site-servers', 'health'],
  views: ['views'],
  webhooks: ['webhooks'],
} as const satisfies Readonly<Record<string, readonly Subject[]>>;

export function useInvalidation(what: keyof typeof changedWith): () => Promise<void> {
  const queries = useQueryClient();
  return () => invalidate(queries, new Set(changedWith[what]));
}

/** A hidden tab asks for them when it is shown. @param subjects null: all */
export async function invalidate(queries: QueryClient, subjects: ReadonlySet<string> | null): Promise<void> {
  await queries.invalidateQueries({
    refetchType: document.visibilityState === 'hidden' ? 'none' : 'active',
    predicate: ({ queryKey: [subject] }) => subjects === null || subjects.has(String(subject)),
  });
}
