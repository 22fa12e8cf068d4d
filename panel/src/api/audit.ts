import { useInfiniteQuery } from '@tanstack/react-query';
import { useApi } from '../session/session.ts';
import type { ApiClient } from './request.ts';

export interface AuditRecord {
  readonly id: number;
  readonly at: string;
  readonly operation: string;
  readonly key: string | null;
  readonly source: string | null;
  readonly request_id: string | null;
  readonly ip_address: string | null;
  readonly target: string | null;
  readonly details: Readonly<Record<string, unknown>> | null;
  readonly outcome: 'done' | 'partly' | 'refused' | 'failed' | 'unknown';
  readonly status: number | null;
  readonly code: number | null;
  readonly finished_at: string | null;
  readonly runtime_map_updated: boolean | null;
  readonly runtime_map_failures_total: number | null;
  readonly reload_scheduled: boolean | null;
  readonly result: Readonly<Record<string, unknown>> | null;
}

export interface AuditPage {
  readonly items: readonly AuditRecord[];
  readonly next_cursor: string | null;
}

/** What is absent does not narrow. */
export interface AuditFilter {
  readonly operation?: string;
  readonly key?: string;
  readonly ip_address?: string;
  /** ISO 8601. */
  readonly since?: string;
  readonly until?: string;
}

const pageSize = 100;

/** Newest first, further back page by page. */
export function useAudit(filter: AuditFilter) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam, signal }) => fetchAudit(api, filter, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
  });
}

async function fetchAudit(
  api: ApiClient,
  filter: AuditFilter,
  cursor: string | null,
  signal: AbortSignal,
): Promise<AuditPage> {
  const query = { limit: pageSize, ...filter, ...(cursor === null ? {} : { cursor }) };
  // Not in the document yet.
  const path = '/api/audit' as '/openapi.json';
  return (await api.GET(path, { params: { query }, signal } as never)).data as unknown as AuditPage;
}
