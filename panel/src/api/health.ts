import { useQuery } from '@tanstack/react-query';
import { useApi } from '../session/session.ts';
import { queryKeys } from './query-keys.ts';
import type { Attached, Health } from './types.ts';

/** Polled every two seconds, also while events arrive: the verdict must be fresh. */
export function useHealth() {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.health,
    queryFn: async ({ signal }): Promise<Health> => (await api.GET('/health', { signal })).data,
    refetchInterval: 2_000,
  });
}

/** Facts of attached mode; null: the service writes the configuration itself; undefined: not known yet. */
export function useAttached(): Attached | null | undefined {
  return useHealth().data?.attached;
}
