import { useQuery } from '@tanstack/react-query';
import { useApi } from '../session/session.ts';
import { queryKeys } from './query-keys.ts';
import type { Attached, Health } from './types.ts';

/**
 * Between two requests, also while events arrive: the verdict must be fresh, and a service that hangs sends no event. One
 * that ends closes the stream of events, which repeats the request at once.
 */
const everyMs = 3_000;

export function useHealth() {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.health,
    queryFn: async ({ signal }): Promise<Health> => (await api.GET('/health', { signal })).data,
    refetchInterval: everyMs,
  });
}

/** Facts of attached mode; null: the service writes the configuration itself; undefined: not known yet. */
export function useAttached(): Attached | null | undefined {
  return useHealth().data?.attached;
}
