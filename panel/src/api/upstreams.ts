import { useMutation, useQuery } from '@tanstack/react-query';
import { useApi } from '../session/session.ts';
import { type Consent, consentOf } from './consent.ts';
import { usePolling } from './polling.ts';
import { queryKeys, useInvalidation } from './query-keys.ts';
import { patient } from './request.ts';
import type { UpstreamRequest } from './types.ts';

export function useUpstreams() {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.upstreams,
    queryFn: async ({ signal }) => (await api.GET('/api/upstreams', { signal })).data,
    refetchInterval: usePolling(),
  });
}

interface UpstreamChange extends Consent {
  readonly name: string;
  readonly body: UpstreamRequest;
}

export function useSetUpstream() {
  const api = useApi();
  const refresh = useInvalidation('upstreams');
  return useMutation({
    mutationFn: async ({ name, body, ...consent }: UpstreamChange) => {
      const params = { path: { name }, ...consentOf(consent) };
      return (await api.PUT('/api/upstreams/{name}', { params, body, ...patient })).data;
    },
    onSettled: refresh,
  });
}

export function useRemoveUpstream() {
  const api = useApi();
  const refresh = useInvalidation('upstreams');
  return useMutation({
    mutationFn: async ({ name, ...consent }: { readonly name: string } & Consent) => {
      const params = { path: { name }, ...consentOf(consent) };
      return (await api.DELETE('/api/upstreams/{name}', { params, ...patient })).data;
    },
    onSettled: refresh,
  });
}

interface SentRequest {
  readonly peer: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
}

/** Which address HAProxy checks for a request; it changes nothing. */
export function useClientAddress() {
  const api = useApi();
  return useMutation({
    mutationFn: async ({ peer, headers }: SentRequest) =>
      (await api.POST('/api/client-address', { body: { peer, headers: [...headers] } })).data,
  });
}
