import { useQuery } from '@tanstack/react-query';
import { useApi } from '../session/session.ts';
import { queryKeys } from './query-keys.ts';

/** By no event: each change of an entry would be one. */
const everyMs = 60_000;

/** @param poll false: the names matter, not the counts */
export function useSources({ poll = false, enabled = true } = {}) {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.sources,
    queryFn: async ({ signal }) => (await api.GET('/api/sources', { signal })).data,
    enabled,
    staleTime: poll ? 0 : everyMs,
    ...(poll ? { refetchInterval: everyMs } : {}),
  });
}
