import { useQuery } from '@tanstack/react-query';
import { useApi } from '../session/session.ts';

export const trustedKey = ['trusted-ips'] as const;

export function useTrusted() {
  const api = useApi();
  return useQuery({
    queryKey: trustedKey,
    queryFn: async ({ signal }) => (await api.GET('/api/trusted-ips', { signal })).data,
  });
}
