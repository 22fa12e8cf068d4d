import { useQuery } from '@tanstack/react-query';
import { useApi } from '../session/session.ts';
import type { Health } from './types.ts';

export const healthKey = ['health'] as const;

/** Asked every two seconds: whether blocking is enforced is no matter of a moment ago. */
export function useHealth() {
  const api = useApi();
  return useQuery({
    queryKey: healthKey,
    queryFn: ({ signal }) => api.json<Health>('GET', '/health', { signal, alsoAnswers: [503], patience: 8_000 }),
    refetchInterval: 2_000,
  });
}
