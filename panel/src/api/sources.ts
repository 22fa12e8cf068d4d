import { useQuery } from '@tanstack/react-query';
import { useApi } from '../session/session.ts';
import { queryKeys } from './query-keys.ts';

/** The service counts all entries for each answer, so it is asked once a minute at most, and by no event. */
export const countedEvery = 60_000;

/** @param poll false: the names matter, not the counts */
export function useSources({ poll = false, enabled = true } = {}) {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.sources,
    queryFn: async ({ signal }) => (await api.GET('/api/sources', { signal })).data,
    enabled,
    staleTime: poll ? 0 : countedEvery,
    ...(poll ? { refetchInterval: countedEvery } : {}),
  });
}
