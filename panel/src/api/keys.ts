import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useApi } from '../session/session.ts';
import { usePolling } from './polling.ts';
import type { KeyRequest } from './types.ts';

export function useKeys() {
  const api = useApi();
  return useQuery({
    queryKey: ['keys'],
    queryFn: async ({ signal }) => (await api.GET('/api/keys', { signal })).data,
    refetchInterval: usePolling(),
  });
}

/** The answer has the key itself, this once: it stays with whoever asked and is kept by no query. */
export function useCreateKey() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (body: KeyRequest) => (await api.POST('/api/keys', { body })).data,
    onSettled: () => queries.invalidateQueries({ queryKey: ['keys'] }),
    gcTime: 0,
  });
}

export function useRevokeKey() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (name: string) => (await api.DELETE('/api/keys/{name}', { params: { path: { name } } })).data,
    onSettled: () => queries.invalidateQueries({ queryKey: ['keys'] }),
  });
}
