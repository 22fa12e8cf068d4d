import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useApi } from '../session/session.ts';
import { usePolling } from './polling.ts';
import { patient } from './request.ts';
import { type Consent, consentOf } from './sites.ts';
import type { ReloadAnswer, ReloadPage } from './types.ts';

const historyPage = 25;

export function useConfig() {
  const api = useApi();
  return useQuery({
    queryKey: ['config', 'text'],
    queryFn: async ({ signal }) => (await api.GET('/api/config', { signal, ...patient })).data,
    refetchInterval: usePolling(),
  });
}

/**
 * Renders the template anew, so it is asked when somebody looks, and again only when he asks or something changed.
 *
 * @param backup its id: what its restore would change. Null: what a reload would
 */
export function useConfigDiff(backup: string | null) {
  const api = useApi();
  const query = backup === null ? {} : { backup };
  return useQuery({
    queryKey: ['config', 'diff', backup],
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
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async (consent: Consent = {}): Promise<ReloadAnswer> =>
      (await api.POST('/api/config/reload', { params: consentOf(consent), ...patient })).data,
    onSettled: refresh,
  });
}

export function useReloads() {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: ['reloads'],
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
    queryKey: ['backups'],
    queryFn: async ({ signal }) => (await api.GET('/api/config/backups', { signal })).data,
    refetchInterval: usePolling(),
  });
}

export function useRestore() {
  const api = useApi();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async (id: string): Promise<ReloadAnswer> =>
      (await api.POST('/api/config/backups/{id}/restore', { params: { path: { id } }, ...patient })).data,
    onSettled: refresh,
  });
}

function useRefresh(): () => Promise<unknown> {
  const queries = useQueryClient();
  const old = ['config', 'reloads', 'backups', 'site-servers', 'health'];
  return () => Promise.all(old.map((key) => queries.invalidateQueries({ queryKey: [key] })));
}
