import { useQuery } from '@tanstack/react-query';
import { useApi } from '../session/session.ts';
import type { Attached, Health } from './types.ts';

export const healthKey = ['health'] as const;

/** Asked every two seconds: whether blocking is enforced is no matter of a moment ago. */
export function useHealth() {
  const api = useApi();
  return useQuery({
    queryKey: healthKey,
    queryFn: async ({ signal }): Promise<Health> => (await api.GET('/health', { signal })).data,
    refetchInterval: 2_000,
  });
}

/** The configuration that others write; null: it is written here; undefined: not known yet. */
export function useAttached(): Attached | null | undefined {
  return useHealth().data?.attached;
}
