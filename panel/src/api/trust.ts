import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useApi } from '../session/session.ts';
import type { TrustAnswer } from './types.ts';

/** When it ends; null: never; neither: as before, and never for a new one. */
export interface TrustEnd {
  readonly expires_at?: string | null;
  readonly duration_seconds?: number;
}

export interface Trust {
  readonly ip: string;
  /** Null: none; absent: as before. */
  readonly note?: string | null;
  readonly end?: TrustEnd;
}

export function useTrust() {
  const api = useApi();
  const refresh = useRefresh();
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
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async (ip: string) =>
      (await api.DELETE('/api/trusted-ips/{ip_address}', { params: { path: { ip_address: ip } } })).data,
    onSettled: refresh,
  });
}

function useRefresh(): () => Promise<unknown> {
  const queries = useQueryClient();
  return () =>
    Promise.all(['trusted-ips', 'check', 'health'].map((key) => queries.invalidateQueries({ queryKey: [key] })));
}
