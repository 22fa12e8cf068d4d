import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiProblem } from '../../../src/client/client.ts';
import { useApi } from '../session/session.ts';
import { type ApiClient, patient } from './request.ts';
import type {
  BlockAnswer,
  BlockedIp,
  BlockedIpPage,
  BlockRequest,
  BulkAnswer,
  SyncAnswer,
  UnblockAnswer,
} from './types.ts';

export const blockedKey = ['blocked-ips'] as const;
/** Of a list that is one pass through the whole table for the service: no event asks for it anew, only time and changes made here. */
export const searchedKey = ['blocked-texts'] as const;

export interface BlockedQuery {
  /** An address, the beginning of one, or a network; empty: all. */
  readonly q: string;
  /** A part of a reason or of who blocked it; empty: all. Not beside `q`. */
  readonly text: string;
  readonly expiring: boolean;
}

export interface BlockedPlace {
  readonly cursor: string | null;
  /** Entries passed over behind the cursor, or from the beginning. */
  readonly offset: number;
  readonly limit: number;
}

export async function fetchBlockedPage(
  api: ApiClient,
  { q, text, expiring }: BlockedQuery,
  { cursor, offset, limit }: BlockedPlace,
  signal: AbortSignal,
): Promise<BlockedIpPage> {
  const query = {
    limit,
    ...(cursor === null ? {} : { cursor }),
    ...(offset === 0 ? {} : { offset }),
    ...(q === '' ? {} : { q }),
    ...(text === '' ? {} : { text }),
    ...(expiring ? { expiring: true } : {}),
  };
  return (await api.GET('/api/blocked-ips', { params: { query }, signal })).data as BlockedIpPage;
}

/** The row as it is now. */
export async function fetchEntry(api: ApiClient, ip: string): Promise<BlockedIp> {
  return (await api.GET('/api/blocked-ips/{ip_address}', { params: { path: { ip_address: ip } } })).data as BlockedIp;
}

/** The entry of exactly this address, asked once for each; null data: it has none. A null `ip` asks nothing. */
export function useExistingEntry(ip: string | null) {
  const api = useApi();
  return useQuery({
    queryKey: ['blocked-ip', 'own', ip],
    queryFn: async (): Promise<BlockedIp | null> => {
      try {
        return await fetchEntry(api, ip ?? '');
      } catch (error) {
        if (error instanceof ApiProblem && error.status === 404) return null;
        throw error;
      }
    },
    enabled: ip !== null,
    // Somebody else may block it while the dialog is open.
    refetchInterval: 5_000,
    staleTime: 0,
    gcTime: 0,
  });
}

/** The row and, for each worker, whether it holds the entry. Asked only while somebody looks. */
export function useBlockedDetail(ip: string | null) {
  const api = useApi();
  return useQuery({
    queryKey: ['blocked-ip', ip],
    queryFn: async ({ signal }) => {
      const params = { path: { ip_address: ip ?? '' } };
      return (await api.GET('/api/blocked-ips/{ip_address}', { params, signal })).data;
    },
    enabled: ip !== null,
    refetchInterval: 3_000,
  });
}

/** Whatever changes what is blocked: lists, checks and health are asked anew. */
export function useBlockedChange<Input, Answer>(change: (api: ApiClient, input: Input) => Promise<Answer>) {
  const api = useApi();
  const refresh = useRefreshBlocked();
  return useMutation({ mutationFn: (input: Input) => change(api, input), onSettled: refresh });
}

export function useRefreshBlocked(): () => void {
  const queries = useQueryClient();
  return () => {
    for (const key of ['blocked-ips', 'blocked-texts', 'blocked-ip', 'check', 'health'])
      void queries.invalidateQueries({ queryKey: [key] });
  };
}

/** `created`: false where the address had an entry already, which was changed. */
export interface Blocked {
  readonly answer: BlockAnswer;
  readonly created: boolean;
}

export async function block(api: ApiClient, body: BlockRequest): Promise<Blocked> {
  const { data, response } = await api.POST('/api/blocked-ips', { body });
  return { answer: data, created: response.status === 201 };
}

export async function unblock(api: ApiClient, ip: string): Promise<UnblockAnswer> {
  return (await api.DELETE('/api/blocked-ips/{ip_address}', { params: { path: { ip_address: ip } } })).data;
}

export interface Batch {
  readonly add?: readonly (string | BlockRequest)[];
  readonly remove?: readonly string[];
}

/** At most 100,000 in all. */
export async function changeMany(api: ApiClient, body: Batch, signal?: AbortSignal): Promise<BulkAnswer> {
  const options = { body, ...patient, ...(signal === undefined ? {} : { signal }) };
  return (await api.POST('/api/blocked-ips/batch', options)).data;
}

/** What `changeMany` would answer now; nothing is changed. */
export async function tryMany(api: ApiClient, body: Batch, signal: AbortSignal): Promise<BulkAnswer> {
  const options = { body, ...patient, signal, params: { query: { dry_run: true } } };
  return (await api.POST('/api/blocked-ips/batch', options)).data;
}

export async function sync(api: ApiClient): Promise<SyncAnswer> {
  return (await api.POST('/api/blocked-ips/sync', patient)).data;
}
