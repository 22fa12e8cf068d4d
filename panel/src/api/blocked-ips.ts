import { useMutation, useQuery } from '@tanstack/react-query';
import { ApiProblem } from '../../../src/client/client.ts';
import { problemCodes } from '../../../src/client/problem-codes.ts';
import { useApi } from '../session/session.ts';
import { queryKeys, useInvalidation } from './query-keys.ts';
import { type ApiClient, patient } from './request.ts';
import type {
  BlockAnswer,
  BlockedIpDetail,
  BlockedIpPage,
  BlockRequest,
  BulkAnswer,
  SyncAnswer,
  UnblockAnswer,
  UndoAnswer,
} from './types.ts';

export const sortColumns = ['address', 'blocked_at', 'expires_at', 'hits', 'last_hit'] as const;
export type SortColumn = (typeof sortColumns)[number];

/** Empty texts are not sent. `filters/list-filter.ts` knows which of them the service takes together. */
export interface BlockedQuery {
  /** An address, the start of one, or a network. */
  readonly q: string;
  /** Part of a reason or of `blocked_by`. */
  readonly text: string;
  readonly expiring: boolean;
  /** Only what this source claims. */
  readonly source: string;
  readonly family: '' | 'ipv4' | 'ipv6';
  /** A prefix length. */
  readonly wider_than: string;
  /** A duration or a time. */
  readonly blocked_since: string;
  /** A duration in which they denied nothing. */
  readonly not_hit_for: string;
  /** A duration in which they denied a request. */
  readonly hit_within: string;
  /** Empty: by address. */
  readonly sort: '' | Exclude<SortColumn, 'address'>;
  readonly order: '' | 'desc';
}

export const allBlocked: BlockedQuery = {
  q: '',
  text: '',
  expiring: false,
  source: '',
  family: '',
  wider_than: '',
  blocked_since: '',
  not_hit_for: '',
  hit_within: '',
  sort: '',
  order: '',
};

interface BlockedPageRequest {
  readonly cursor: string | null;
  /** Entries to skip after the cursor, or from the start. */
  readonly offset: number;
  readonly limit: number;
  /** With the denied requests of each of the last 24 hours. */
  readonly spark?: boolean;
}

export async function fetchBlockedPage(
  api: ApiClient,
  { expiring, ...texts }: BlockedQuery,
  { cursor, offset, limit, spark = false }: BlockedPageRequest,
  signal: AbortSignal,
): Promise<BlockedIpPage> {
  const query = {
    limit,
    ...(cursor === null ? {} : { cursor }),
    ...(offset === 0 ? {} : { offset }),
    ...(expiring ? { expiring } : {}),
    ...(spark ? { spark } : {}),
    ...sentFields(texts),
  };
  return (await api.GET('/api/blocked-ips', { params: { query }, signal })).data;
}

type SentFields = {
  readonly [Name in Exclude<keyof BlockedQuery, 'expiring' | 'wider_than'>]?: Exclude<BlockedQuery[Name], ''>;
} & {
  readonly wider_than?: number;
};

function sentFields({ wider_than: wider, ...texts }: Omit<BlockedQuery, 'expiring'>): SentFields {
  const given = Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== ''));
  return { ...given, ...(wider === '' ? {} : { wider_than: Number(wider) }) };
}

/** Which claims `unblockSelected` drops. */
export interface Selected {
  readonly source?: string;
  readonly family?: 'ipv4' | 'ipv6';
  readonly wider_than?: number;
  readonly blocked_since?: string;
  readonly not_hit_for?: string;
}

/** It may take long: the service reads the columns of all entries again unless a request used them recently. */
export async function countBlocked(api: ApiClient, query: BlockedQuery, signal: AbortSignal): Promise<number> {
  const { expiring, ...texts } = query;
  const params = { query: { limit: 1, ...(expiring ? { expiring } : {}), ...sentFields(texts) } };
  return (await api.GET('/api/blocked-ips', { ...patient, params, signal })).data.total;
}

/** What `unblockSelected` would do now. */
export function useSelectedPreview(selected: Selected) {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.removal([JSON.stringify(selected)]),
    queryFn: async ({ signal }) =>
      (await api.DELETE('/api/blocked-ips', { ...patient, params: { query: { ...selected, dry_run: true } }, signal }))
        .data,
    staleTime: 0,
    gcTime: 0,
  });
}

/** All in one request. @param expect how many entries the preview counted; if they are not as many, nothing changes */
export async function unblockSelected(api: ApiClient, selected: Selected, expect: number): Promise<BulkAnswer> {
  return (await api.DELETE('/api/blocked-ips', { ...patient, params: { query: { ...selected, expect } } })).data;
}

export async function fetchEntry(api: ApiClient, ip: string): Promise<BlockedIpDetail> {
  return (await api.GET('/api/blocked-ips/{ip_address}', { params: { path: { ip_address: ip } } })).data;
}

/** Requests at once: the service asks every worker for each of them. */
const entriesAtOnce = 4;

/** As they are now; without those that are not blocked. */
export async function fetchEntries(
  api: ApiClient,
  ips: readonly string[],
): Promise<ReadonlyMap<string, BlockedIpDetail>> {
  const found = new Map<string, BlockedIpDetail | null>();
  const left = ips.values();
  // All take the next address from the same iterator.
  const fetchNext = async (): Promise<void> => {
    for (const ip of left) found.set(ip, await entryOrNull(api, ip));
  };
  await Promise.all(Array.from({ length: entriesAtOnce }, fetchNext));
  return new Map(
    ips.flatMap((ip) => {
      const entry = found.get(ip) ?? null;
      return entry === null ? [] : [[ip, entry] as const];
    }),
  );
}

async function entryOrNull(api: ApiClient, ip: string): Promise<BlockedIpDetail | null> {
  try {
    return await fetchEntry(api, ip);
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return null;
    throw error;
  }
}

/** The entry of exactly this address; null data: it has none. A null `ip` sends no request. */
export function useExistingEntry(ip: string | null) {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.blockedEntry(ip),
    queryFn: () => entryOrNull(api, ip ?? ''),
    enabled: ip !== null,
    // Another client may block it while the dialog is open.
    refetchInterval: 5_000,
    staleTime: 0,
    gcTime: 0,
  });
}

export function useBlockedDetail(ip: string | null) {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.blockedDetail(ip),
    queryFn: async ({ signal }) => {
      const params = { path: { ip_address: ip ?? '' } };
      return (await api.GET('/api/blocked-ips/{ip_address}', { params, signal })).data;
    },
    enabled: ip !== null,
    refetchInterval: 3_000,
  });
}

/** How many entries are inside the network, cover it or are it. */
export function useInside(network: string, enabled: boolean) {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.blockedInside(network),
    queryFn: ({ signal }) =>
      fetchBlockedPage(api, { ...allBlocked, q: network }, { cursor: null, offset: 0, limit: 1 }, signal),
    enabled,
    staleTime: 10_000,
  });
}

export function useBlockedChange<Input, Answer>(change: (api: ApiClient, input: Input) => Promise<Answer>) {
  const api = useApi();
  const refresh = useRefreshBlocked();
  return useMutation({ mutationFn: (input: Input) => change(api, input), onSettled: refresh });
}

/** Does not wait for the refetched lists: a mutation ends with its answer. */
export function useRefreshBlocked(): () => void {
  const invalidate = useInvalidation('blocking');
  return () => void invalidate();
}

/** `created`: false if the address already had an entry, which was changed. */
interface Blocked {
  readonly answer: BlockAnswer;
  readonly created: boolean;
}

interface Unblocked {
  readonly answer: UnblockAnswer;
  readonly requestId: string | null;
}

/** @param source whose claim it is; absent: of the key */
export async function block(api: ApiClient, body: BlockRequest, source?: string): Promise<Blocked> {
  const params = source === undefined ? {} : { params: { query: { source } } };
  const { data, response } = await api.POST('/api/blocked-ips', { body, ...params });
  return { answer: data, created: response.status === 201 };
}

/** @param trustFor how long the address is trusted too, such as 7d; empty: not at all */
export async function unblock(api: ApiClient, ip: string, trustFor = ''): Promise<Unblocked> {
  const params = { path: { ip_address: ip }, ...(trustFor === '' ? {} : { query: { trust_for: trustFor } }) };
  const { data, response } = await api.DELETE('/api/blocked-ips/{ip_address}', { params });
  return { answer: data, requestId: response.headers.get('x-request-id') };
}

/** Exactly, or not at all. Needs the scope `admin`. Null: the audit log has no entry of this request. */
export async function undoUnblock(api: ApiClient, ip: string, requestId: string): Promise<UndoAnswer | null> {
  const query = { operation: 'unblock', ip_address: ip, limit: 100 };
  const { items } = (await api.GET('/api/audit', { params: { query } })).data;
  const row = items.find((item) => item.request_id === requestId);
  if (row === undefined) return null;
  const params = { path: { id: String(row.id) } };
  return (await api.POST('/api/audit/{id}/undo', { ...patient, params })).data;
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

export async function tryMany(api: ApiClient, body: Batch, signal: AbortSignal): Promise<BulkAnswer> {
  const options = { body, ...patient, signal, params: { query: { dry_run: true } } };
  return (await api.POST('/api/blocked-ips/batch', options)).data;
}

/** What the removal of these entries would do now. */
export function useRemovalPreview(ips: readonly string[]) {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.removal(ips),
    queryFn: ({ signal }) => tryMany(api, { remove: ips }, signal),
    staleTime: 0,
    gcTime: 0,
  });
}

export async function sync(api: ApiClient): Promise<SyncAnswer> {
  return (await api.POST('/api/blocked-ips/sync', patient)).data;
}

/** Whether an element of a batch was rejected only for its width: `allow_wide` permits it. */
export function isTooWide(rejection: BulkAnswer['rejected'][number]): boolean {
  return rejection.code === problemCodes.wideNetwork;
}
