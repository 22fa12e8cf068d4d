import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { isProblem, problemCodes } from '../../../src/client/problem-codes.ts';
import { useApi } from '../session/session.ts';
import { queryKeys } from './query-keys.ts';
import type { InsightSeries } from './types.ts';

export type SeriesBy = 'none' | 'site' | 'source';
export type SeriesMetric = 'denied' | 'requests' | 'entries';

/** The service reads HAProxy's counters every ten seconds; figures of a longer range change more slowly. */
const everyMs = (range: string): number => (range === '1h' || range === '24h' ? 10_000 : 60_000);

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

export function useSeries(metric: SeriesMetric, by: SeriesBy, range: string) {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.insight('series', metric, by, range),
    queryFn: async ({ signal }): Promise<InsightSeries> =>
      (await api.GET('/api/insight/series', { params: { query: { metric, by, range } }, signal })).data,
    // A new point comes once a minute.
    refetchInterval: 30_000,
  });
}

/** The addresses with most denied requests. */
export function useKnocking(range: string, limit: number) {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.insight('knocking', range, limit),
    queryFn: async ({ signal }) =>
      (await api.GET('/api/insight/knocking', { params: { query: { range, limit, sort: 'hits' } }, signal })).data,
    refetchInterval: everyMs(range),
  });
}

export function useCandidates() {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.insight('candidates'),
    queryFn: async ({ signal }) => (await api.GET('/api/insight/candidates', { signal })).data,
    refetchInterval: 30_000,
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
