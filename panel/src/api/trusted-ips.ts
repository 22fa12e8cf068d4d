import { useMutation, useQuery } from '@tanstack/react-query';
import { useApi } from '../session/session.ts';
import { queryKeys, useInvalidation } from './query-keys.ts';
import type { TrustAnswer } from './types.ts';

/** Null: never. Neither field: unchanged, and never for a new entry. */
export interface TrustEnd {
  readonly expires_at?: string | null;
  readonly duration_seconds?: number;
}

interface Trust {
  readonly ip: string;
  /** Null: none; absent: unchanged. */
  readonly note?: string | null;
  readonly end?: TrustEnd;
}

export function useTrusted() {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.trusted,
    queryFn: async ({ signal }) => (await api.GET('/api/trusted-ips', { signal })).data,
  });
}

export function useTrust() {
  const api = useApi();
  const refresh = useInvalidation('trust');
  return useMutation({
    mutationFn: async ({ ip, note, end }: Trust): Promise<TrustAnswer> => {
      const params = { path: { ip_address: ip } };
      return (
        await api.PUT('/api/trusted-ips/{ip_address}', {
          params,
          body: { ...(note === undefined ? {} : { note }), ...end },
        })
      ).data;
    },
    onSettled: refresh,
  });
}

export function useDistrust() {
  const api = useApi();
  const refresh = useInvalidation('trust');
  return useMutation({
    mutationFn: async (ip: string) =>
      (await api.DELETE('/api/trusted-ips/{ip_address}', { params: { path: { ip_address: ip } } })).data,
    onSettled: refresh,
  });
}
