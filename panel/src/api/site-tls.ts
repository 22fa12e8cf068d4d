import { useMutation, useQuery } from '@tanstack/react-query';
import { useApi } from '../session/session.ts';
import { queryKeys, useInvalidation } from './query-keys.ts';
import { type ApiClient, patient } from './request.ts';
import type { SiteTls, SiteTlsRequest } from './types.ts';

/** Undefined: not known. */
export function useSiteTls(domain: string, visible: boolean): SiteTls | undefined {
  const api = useApi();
  const { data, error } = useQuery({
    queryKey: queryKeys.siteTls(domain),
    queryFn: ({ signal }) => fetchSiteTls(api, domain, signal),
    enabled: visible,
    // A certificate may begin to be served, or a worker fall behind, without an event of this site.
    refetchInterval: 15_000,
  });
  return error === null ? data : undefined;
}

export async function fetchSiteTls(api: ApiClient, domain: string, signal?: AbortSignal): Promise<SiteTls> {
  const options = { params: { path: { domain } }, ...(signal === undefined ? {} : { signal }) };
  return (await api.GET('/api/sites/{domain}/tls', options)).data;
}

/** What the request does not name is kept. */
export function useSetSiteTls() {
  const api = useApi();
  const refresh = useInvalidation('siteTls');
  return useMutation({
    mutationFn: async ({ domain, body }: { readonly domain: string; readonly body: SiteTlsRequest }) => {
      const params = { path: { domain }, query: { keep_absent: true } as const };
      return (await api.PUT('/api/sites/{domain}/tls', { params, body, ...patient })).data;
    },
    onSettled: refresh,
  });
}
