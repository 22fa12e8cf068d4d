import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { useApi } from '../session/session.ts';
import { type Consent, consentOf } from './consent.ts';
import { usePolling } from './polling.ts';
import { queryKeys, useInvalidation } from './query-keys.ts';
import { patient } from './request.ts';
import type { ReloadAnswer, ReloadPage } from './types.ts';

const historyPage = 25;

export function useConfig() {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.configText,
    queryFn: async ({ signal }) => (await api.GET('/api/config', { signal, ...patient })).data,
    refetchInterval: usePolling(),
  });
}

/**
 * Each request renders the template, so it is not polled.
 *
 * @param backup id of the backup to compare with; null: the configuration that a reload would deploy
 */
export function useConfigDiff(backup: string | null) {
  const api = useApi();
  const query = backup === null ? {} : { backup };
  return useQuery({
    queryKey: queryKeys.configDiff(backup),
    queryFn: async ({ signal }) => (await api.GET('/api/config/diff', { params: { query }, signal, ...patient })).data,
    staleTime: 0,
  });
}

export function useValidate() {
  const api = useApi();
  return useMutation({ mutationFn: async () => (await api.POST('/api/config/validate', patient)).data });
}

export function useReload() {
  const api = useApi();
  const refresh = useInvalidation('configuration');
  return useMutation({
    mutationFn: async (consent: Consent = {}): Promise<ReloadAnswer> =>
      (await api.POST('/api/config/reload', { params: consentOf(consent), ...patient })).data,
    onSettled: refresh,
  });
}

export function useReloads() {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: queryKeys.reloads,
    queryFn: async ({ pageParam, signal }): Promise<ReloadPage> => {
      const query = { limit: historyPage, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return (await api.GET('/api/config/reloads', { params: { query }, signal })).data;
    },
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    refetchInterval: usePolling(),
  });
}

export function useBackups() {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.backups,
    queryFn: async ({ signal }) => (await api.GET('/api/config/backups', { signal })).data,
    refetchInterval: usePolling(),
  });
}

export function useRestore() {
  const api = useApi();
  const refresh = useInvalidation('configuration');
  return useMutation({
    mutationFn: async (id: string): Promise<ReloadAnswer> =>
      (await api.POST('/api/config/backups/{id}/restore', { params: { path: { id } }, ...patient })).data,
    onSettled: refresh,
  });
}
