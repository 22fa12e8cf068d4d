import { useQuery } from '@tanstack/react-query';
import { useSession } from '../session/session.ts';
import { emptyHistory, type History, withSample } from '../traffic/history.ts';
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
      const before = client.getQueryData<History>(queryKey) ?? emptyHistory;
      return withSample(before, sampleOf(readMetrics(String(data)), clock.now() / 1_000));
    },
    refetchInterval: sampleMs,
    staleTime: sampleMs,
    // The charts continue when the overview is opened again.
    gcTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
}
