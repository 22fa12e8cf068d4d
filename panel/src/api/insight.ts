import { keepPreviousData, useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { isProblem, problemCodes } from '../../../src/client/problem-codes.ts';
import { useApi } from '../session/session.ts';
import { queryKeys, useInvalidation } from './query-keys.ts';
import { type ApiClient, patient } from './request.ts';
import type { InsightSeries } from './types.ts';

export type SeriesBy = 'none' | 'site' | 'source';
export type SeriesMetric = 'denied' | 'requests' | 'addresses' | 'entries';

/** The service reads HAProxy's counters every ten seconds; figures of a longer range change more slowly. */
const everyMs = (range: string): number => (range === '1h' ? 10_000 : range === '24h' ? 30_000 : 60_000);
/** Of what has a new point or a new order once a minute. */
const everyMinuteMs = 60_000;

export function useInsight(range: string) {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.insight('summary', range),
    queryFn: async ({ signal }) => (await api.GET('/api/insight', { params: { query: { range } }, signal })).data,
    refetchInterval: everyMs(range),
    // Its `range_seconds` says of which range it is.
    placeholderData: keepPreviousData,
  });
}

/** The entries that never matched: how many, in how many days. The service counts them once an hour, which may take long. */
export function useNeverMatched(enabled: boolean) {
  const api = useApi();
  const range = '24h';
  return useQuery({
    queryKey: queryKeys.insight('summary', range),
    queryFn: async ({ signal }) =>
      (await api.GET('/api/insight', { ...patient, params: { query: { range } }, signal })).data,
    enabled,
    refetchInterval: everyMinuteMs,
    select: (summary) => summary.never_matched,
  });
}

export function useSeries(metric: SeriesMetric, by: SeriesBy, range: string, enabled = true) {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.insight('series', metric, by, range),
    queryFn: async ({ signal }): Promise<InsightSeries> =>
      (await api.GET('/api/insight/series', { params: { query: { metric, by, range } }, signal })).data,
    enabled,
    refetchInterval: everyMinuteMs,
  });
}

/** The addresses with most denied requests. */
export function useKnocking(range: string, limit: number) {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.insight('knocking', range, limit),
    queryFn: async ({ signal }) =>
      (await api.GET('/api/insight/knocking', { params: { query: { range, limit, sort: 'hits' } }, signal })).data,
    refetchInterval: everyMinuteMs,
  });
}

export type KnockingOrder = 'hits' | 'last_hit';
const knockingPage = 50;

/** All addresses that were denied, page by page. */
export function useKnockingPages(range: string, sort: KnockingOrder) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: queryKeys.insight('knocking', 'pages', range, sort),
    queryFn: async ({ pageParam, signal }) => {
      const query = { range, sort, limit: knockingPage, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return (await api.GET('/api/insight/knocking', { params: { query }, signal })).data;
    },
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    // Rows must not move while more of them are being read.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : everyMinuteMs),
    placeholderData: keepPreviousData,
  });
}

/** So many clients of an entry are read. */
export const mostOfEntry = 100;

/** The clients that this entry denied last, those with most denied requests in 24 hours first. */
export function useEntryHits(entry: string) {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.insight('knocking', 'entry', entry),
    queryFn: async ({ signal }) => {
      const query = { entry, range: '24h', sort: 'hits', limit: mostOfEntry } as const;
      return (await api.GET('/api/insight/knocking', { params: { query }, signal })).data;
    },
    refetchInterval: 30_000,
  });
}

export function useCandidates() {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.insight('candidates'),
    queryFn: async ({ signal }) => (await api.GET('/api/insight/candidates', { signal })).data,
    refetchInterval: everyMinuteMs,
  });
}

export function useCandidateChange<Input, Answer>(change: (api: ApiClient, input: Input) => Promise<Answer>) {
  const api = useApi();
  const invalidate = useInvalidation('candidates');
  return useMutation({ mutationFn: (input: Input) => change(api, input), onSettled: () => invalidate() });
}

/** @param ip its address; of IPv6 its /64 @param seconds from now on; 0: it may be a candidate again */
export async function ignoreCandidate(
  api: ApiClient,
  { ip, seconds }: { readonly ip: string; readonly seconds: number },
) {
  const params = { path: { ip_address: ip } };
  return (await api.PUT('/api/insight/candidates/{ip_address}', { params, body: { ignored_for_seconds: seconds } }))
    .data;
}

/** Of the last 24 hours. */
export function useSiteTraffic() {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.insight('sites'),
    queryFn: async ({ signal }) => (await api.GET('/api/insight/sites', { signal })).data,
    refetchInterval: everyMinuteMs,
  });
}

/** The service reads all entries for it. */
export function useSourceEffects(range: string) {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.insight('sources', range),
    queryFn: async ({ signal }) =>
      (await api.GET('/api/insight/sources', { params: { query: { range } }, signal })).data,
    refetchInterval: 60_000,
    staleTime: 30_000,
  });
}

export function useAttacks(enabled: boolean) {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.insight('attacks'),
    queryFn: async ({ signal }) => (await api.GET('/api/insight/attacks', { signal })).data.items,
    enabled,
    // Events report a begin and an end, but not the figures between.
    refetchInterval: ({ state }) => (state.data?.some(({ ended_at: end }) => end === null) ? 30_000 : false),
  });
}

export function useAttack(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.insight('attacks', id),
    queryFn: async ({ signal }) =>
      (await api.GET('/api/insight/attacks/{id}', { params: { path: { id } }, signal })).data,
    refetchInterval: ({ state }) => (state.data?.ended_at === null ? 30_000 : false),
  });
}

/** Denied requests are not counted: a setting says so. */
export function isInsightOff(error: unknown): boolean {
  return isProblem(error, problemCodes.insightOff);
}

/** The service has started and reads what it stored. */
export function isInsightLoading(error: unknown): boolean {
  return isProblem(error, problemCodes.insightLoading);
}
