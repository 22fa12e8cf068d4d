import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useApi } from '../session/session.ts';
import type { Api } from './request.ts';
import type {
  BlockAnswer,
  BlockedIpDetail,
  BlockedIpPage,
  BlockRequest,
  BulkAnswer,
  SyncAnswer,
  UnblockAnswer,
} from './types.ts';

export const blockedKey = ['blocked-ips'] as const;

export interface BlockedQuery {
  readonly q: string;
  readonly expiring: boolean;
}

export function fetchBlockedPage(
  api: Api,
  { q, expiring }: BlockedQuery,
  cursor: string | null,
  limit: number,
  signal?: AbortSignal,
): Promise<BlockedIpPage> {
  const query = { limit, cursor, q: q === '' ? null : q, expiring: expiring ? true : null };
  return api.json('GET', '/api/blocked-ips', { query, signal });
}

const path = (ip: string): string => `/api/blocked-ips/${encodeURIComponent(ip)}`;

/** The row and, for each worker, whether it holds the entry. Asked only while somebody looks. */
export function useBlockedDetail(ip: string | null) {
  const api = useApi();
  return useQuery({
    queryKey: ['blocked-ip', ip],
    queryFn: ({ signal }) => api.json<BlockedIpDetail>('GET', path(ip ?? ''), { signal }),
    enabled: ip !== null,
  });
}

/** Whatever changes what is blocked: lists, checks and health are asked anew. */
export function useBlockedChange<Input, Answer>(change: (api: Api, input: Input) => Promise<Answer>) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => change(api, input),
    onSettled: () => {
      for (const key of ['blocked-ips', 'blocked-ip', 'check', 'health'])
        void queries.invalidateQueries({ queryKey: [key] });
    },
  });
}

export const block = (api: Api, request: BlockRequest): Promise<BlockAnswer> =>
  api.json('POST', '/api/blocked-ips', { body: request });

export const unblock = (api: Api, ip: string): Promise<UnblockAnswer> => api.json('DELETE', path(ip));

/** At most 100,000 in all. */
export const batch = (
  api: Api,
  body: { readonly add?: readonly (string | BlockRequest)[]; readonly remove?: readonly string[] },
  signal?: AbortSignal,
): Promise<BulkAnswer> => api.json('POST', '/api/blocked-ips/batch', { body, signal, patience: 0 });

export const sync = (api: Api): Promise<SyncAnswer> => api.json('POST', '/api/blocked-ips/sync', { patience: 0 });
