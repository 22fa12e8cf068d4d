// What the proxy counts, as a picture of the last minutes: the service's metrics, asked while somebody looks.
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../session/session.ts';
import { emptyHistory, type History, withSample } from '../traffic/history.ts';
import { readMetrics } from '../traffic/metrics-text.ts';
import { sampleOf } from '../traffic/sample.ts';

export const sampleMs = 2_500;

export function useTraffic() {
  const { api, clock } = useSession();
  return useQuery({
    queryKey: ['traffic'],
    queryFn: async ({ client, queryKey, signal }): Promise<History> => {
      const { data } = await api.GET('/metrics', { parseAs: 'text', signal });
      const before = client.getQueryData<History>(queryKey) ?? emptyHistory;
      return withSample(before, sampleOf(readMetrics(String(data)), clock.now() / 1_000));
    },
    refetchInterval: sampleMs,
    staleTime: sampleMs,
    // The picture goes on when somebody comes back to it.
    gcTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
}
