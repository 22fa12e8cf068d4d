import { useQuery } from '@tanstack/react-query';
import { useApi } from '../session/session.ts';
import type { Health } from './types.ts';

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
