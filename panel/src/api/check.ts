import { useQuery } from '@tanstack/react-query';
import { useApi } from '../session/session.ts';
import { queryKeys } from './query-keys.ts';
import type { CheckAnswer } from './types.ts';

export function useCheck(ip: string | null) {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.check(ip),
    queryFn: async ({ signal }): Promise<CheckAnswer> => {
      const params = { path: { ip_address: ip ?? '' } };
      return (await api.GET('/api/check/{ip_address}', { params, signal })).data;
    },
    enabled: ip !== null,
    refetchInterval: 5_000,
  });
}
