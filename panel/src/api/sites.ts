import { useMutation, useQueries, useQuery } from '@tanstack/react-query';
import { useApi } from '../session/session.ts';
import { type Consent, consentOf } from './consent.ts';
import { usePolling } from './polling.ts';
import { queryKeys, useInvalidation } from './query-keys.ts';
import { type ApiClient, patient } from './request.ts';
import type { SiteRequest } from './types.ts';

/** @param enabled false: only what is known already */
export function useSites({ enabled = true } = {}) {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.sites,
    queryFn: async ({ signal }) => (await api.GET('/api/sites', { signal })).data,
    enabled,
    refetchInterval: usePolling(),
  });
}

/** HAProxy's current view of a site's servers. Polled: no event reports a server that goes down. */
export function useServerStates(domain: string, visible: boolean) {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.serverStates(domain),
    queryFn: ({ signal }) => fetchServerStates(api, domain, signal),
    refetchInterval: 5_000,
    enabled: visible,
  });
}

export function useAllServerStates(domains: readonly string[]) {
  const api = useApi();
  return useQueries({
    queries: domains.map((domain) => ({
      queryKey: queryKeys.serverStates(domain),
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

interface SiteChange extends Consent {
  readonly domain: string;
  readonly site: SiteRequest;
}

export function useSetSite() {
  const api = useApi();
  const refresh = useInvalidation('sites');
  return useMutation({
    mutationFn: async ({ domain, site, ...consent }: SiteChange) => {
      const params = { path: { domain }, ...consentOf(consent) };
      return (await api.PUT('/api/sites/{domain}', { params, body: site, ...patient })).data;
    },
    onSettled: refresh,
  });
}

export function useRemoveSite() {
  const api = useApi();
  const refresh = useInvalidation('sites');
  return useMutation({
    mutationFn: async ({ domain, ...consent }: { readonly domain: string } & Consent) => {
      const params = { path: { domain }, ...consentOf(consent) };
      return (await api.DELETE('/api/sites/{domain}', { params, ...patient })).data;
    },
    onSettled: refresh,
  });
}
