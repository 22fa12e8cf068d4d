import { type QueryClient, useQuery } from '@tanstack/react-query';
import { useSession } from '../session/session.ts';
import { type History, withSample } from '../traffic/history.ts';
import { keepHistory, takeHistory } from '../traffic/kept-history.ts';
import { readMetrics } from '../traffic/metrics-text.ts';
import { sampleOf } from '../traffic/sample.ts';
import { queryKeys } from './query-keys.ts';

const sampleMs = 2_500;

export function useTraffic() {
  const { api, clock } = useSession();
  return useQuery({
    queryKey: queryKeys.traffic,
    queryFn: async ({ client, queryKey, signal }): Promise<History> => {
      const { data } = await api.GET('/metrics', { parseAs: 'text', signal });
      const before = client.getQueryData<History>(queryKey) ?? takeHistory(sessionStorage);
      return withSample(before, sampleOf(readMetrics(String(data)), clock.now() / 1_000));
    },
    refetchInterval: sampleMs,
    staleTime: sampleMs,
    // The charts continue when the overview is opened again.
    gcTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
}

/** For the next page of this tab, when this one goes. */
export function keepTraffic(queries: QueryClient): void {
  const history = queries.getQueryData<History>(queryKeys.traffic);
  if (history !== undefined) keepHistory(sessionStorage, history);
}
