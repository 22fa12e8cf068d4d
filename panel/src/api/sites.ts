import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useApi } from '../session/session.ts';
import { usePolling } from './polling.ts';
import { patient } from './request.ts';
import type { ServerRequest } from './types.ts';

export function useSites() {
  const api = useApi();
  return useQuery({
    queryKey: ['sites'],
    queryFn: async ({ signal }) => (await api.GET('/api/sites', { signal })).data,
    refetchInterval: usePolling(),
  });
}

/** A site's servers as the proxy sees them now: no event tells of a server that went down, so it is asked again and again. */
export function useServerStates(domain: string, inSight: boolean) {
  const api = useApi();
  return useQuery({
    queryKey: ['site-servers', domain],
    queryFn: async ({ signal }) =>
      (await api.GET('/api/sites/{domain}/servers', { params: { path: { domain } }, signal })).data,
    refetchInterval: 5_000,
    enabled: inSight,
  });
}

/** Live by a safe reload before the answer. */
export function useSetSite() {
  const api = useApi();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async ({ domain, servers }: { readonly domain: string; readonly servers: readonly ServerRequest[] }) =>
      (await api.PUT('/api/sites/{domain}', { params: { path: { domain } }, body: { servers }, ...patient })).data,
    onSettled: refresh,
  });
}

export function useRemoveSite() {
  const api = useApi();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async (domain: string) =>
      (await api.DELETE('/api/sites/{domain}', { params: { path: { domain } }, ...patient })).data,
    onSettled: refresh,
  });
}

function useRefresh(): () => Promise<unknown> {
  const queries = useQueryClient();
  const old = ['sites', 'site-servers', 'config', 'reloads', 'backups', 'health'];
  return () => Promise.all(old.map((key) => queries.invalidateQueries({ queryKey: [key] })));
}
