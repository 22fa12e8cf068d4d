import { useMutation, useQuery } from '@tanstack/react-query';
import { useApi } from '../session/session.ts';
import { usePolling } from './polling.ts';
import { queryKeys, useInvalidation } from './query-keys.ts';
import type { KeyRequest } from './types.ts';

export function useKeys() {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.apiKeys,
    queryFn: async ({ signal }) => (await api.GET('/api/keys', { signal })).data,
    refetchInterval: usePolling(),
  });
}

/** Only this answer contains the key itself; it is not cached. */
export function useCreateKey() {
  const api = useApi();
  const refresh = useInvalidation('keys');
  return useMutation({
    mutationFn: async (body: KeyRequest) => (await api.POST('/api/keys', { body })).data,
    onSettled: refresh,
    gcTime: 0,
  });
}

export function useBindKey() {
  const api = useApi();
  const refresh = useInvalidation('binding');
  return useMutation({
    mutationFn: async ({ name, source }: { readonly name: string; readonly source: string }) =>
      (await api.PUT('/api/keys/{name}/source', { params: { path: { name } }, body: { source } })).data,
    onSettled: refresh,
  });
}

export function useRevokeKey() {
  const api = useApi();
  const refresh = useInvalidation('keys');
  return useMutation({
    mutationFn: async (name: string) => (await api.DELETE('/api/keys/{name}', { params: { path: { name } } })).data,
    onSettled: refresh,
  });
}
