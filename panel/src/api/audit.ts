import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useApi } from '../session/session.ts';
import { usePolling } from './polling.ts';
import { queryKeys } from './query-keys.ts';
import type { ApiClient } from './request.ts';
import type { AuditPage } from './types.ts';

export interface AuditFilter {
  readonly operation?: string;
  readonly key?: string;
  readonly ip_address?: string;
  readonly since?: string;
  readonly until?: string;
}

const pageSize = 100;

export function useAudit(filter: AuditFilter) {
  const api = useApi();
  const polling = usePolling();
  return useInfiniteQuery({
    queryKey: queryKeys.audit(filter),
    queryFn: ({ pageParam, signal }) => fetchAudit(api, filter, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    // A list with older pages keeps its rows in place; its user refreshes it.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : polling),
  });
}

/** The newest records about an address. Needs the scope `admin`. */
export function useEntryAudit(ip: string, enabled: boolean) {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.audit({ ip_address: ip, newest: true }),
    queryFn: async ({ signal }) => (await fetchAudit(api, { ip_address: ip }, null, signal)).items,
    enabled,
    staleTime: 10_000,
  });
}

async function fetchAudit(
  api: ApiClient,
  filter: AuditFilter,
  cursor: string | null,
  signal: AbortSignal,
): Promise<AuditPage> {
  const query = { limit: pageSize, ...filter, ...(cursor === null ? {} : { cursor }) };
  return (await api.GET('/api/audit', { params: { query }, signal })).data;
}
