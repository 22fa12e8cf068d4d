import { useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useApi } from '../session/session.ts';
import { usePolling } from './polling.ts';
import { type ApiClient, patient } from './request.ts';
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
    queryFn: ({ signal }) => fetchServerStates(api, domain, signal),
    refetchInterval: 5_000,
    enabled: inSight,
  });
}

/** Of several sites at once, less often: for a summary. */
export function useStatesOfSites(domains: readonly string[]) {
  const api = useApi();
  return useQueries({
    queries: domains.map((domain) => ({
      queryKey: ['site-servers', domain],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => fetchServerStates(api, domain, signal),
      refetchInterval: 15_000,
    })),
    combine: (results) =>
      results.map(({ data, error }, index) => ({
        domain: domains[index] ?? '',
        states: error === null ? data?.items : undefined,
      })),
  });
}

export async function fetchServerStates(api: ApiClient, domain: string, signal?: AbortSignal) {
  const options = { params: { path: { domain } }, ...(signal === undefined ? {} : { signal }) };
  return (await api.GET('/api/sites/{domain}/servers', options)).data;
}

/** For a change that may replace a live configuration which proxy-manager did not write: whether it is meant. */
export interface Consent {
  readonly replace?: boolean;
}

/** The query of such a change. */
export function consentOf({ replace = false }: Consent): { readonly query?: { replace_configuration: true } } {
  return replace ? { query: { replace_configuration: true } } : {};
}

/** Live by a safe reload before the answer. */
interface SiteChange extends Consent {
  readonly domain: string;
  readonly servers: readonly ServerRequest[];
}

export function useSetSite() {
  const api = useApi();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async ({ domain, servers, ...consent }: SiteChange) => {
      const params = { path: { domain }, ...consentOf(consent) };
      return (await api.PUT('/api/sites/{domain}', { params, body: { servers }, ...patient })).data;
    },
    onSettled: refresh,
  });
}

export function useRemoveSite() {
  const api = useApi();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async ({ domain, ...consent }: { readonly domain: string } & Consent) => {
      const params = { path: { domain }, ...consentOf(consent) };
      return (await api.DELETE('/api/sites/{domain}', { params, ...patient })).data;
    },
    onSettled: refresh,
  });
}

function useRefresh(): () => Promise<unknown> {
  const queries = useQueryClient();
  const old = ['sites', 'site-servers', 'config', 'reloads', 'backups', 'health'];
  return () => Promise.all(old.map((key) => queries.invalidateQueries({ queryKey: [key] })));
}
