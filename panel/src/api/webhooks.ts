import { useMutation, useQuery } from '@tanstack/react-query';
import { useApi } from '../session/session.ts';
import { queryKeys, useInvalidation } from './query-keys.ts';
import type { NewWebhook, Webhook } from './types.ts';

/** No event reports how deliveries proceed. */
const everyMs = 2_000;

export function useWebhooks(refetchInterval = everyMs) {
  const api = useApi();
  return useQuery({
    queryKey: queryKeys.webhooks,
    queryFn: async ({ signal }): Promise<readonly Webhook[]> => (await api.GET('/api/webhooks', { signal })).data.items,
    refetchInterval,
  });
}

export interface WebhookSettings {
  readonly id: string;
  readonly url: string;
  /** Null: all. */
  readonly events: readonly string[] | null;
  readonly enabled: boolean;
  /** Null: keep the current one; for a new webhook the service generates one. */
  readonly secret: string | null;
}

export function useSetWebhook() {
  const api = useApi();
  const refresh = useInvalidation('webhooks');
  return useMutation({
    mutationFn: async ({ id, secret, events, ...settings }: WebhookSettings): Promise<NewWebhook> => {
      const list = events === null ? null : [...events];
      const body = { ...settings, events: list, ...(secret === null ? {} : { secret }) };
      return (await api.PUT('/api/webhooks/{id}', { params: { path: { id } }, body })).data;
    },
    onSettled: refresh,
    // The secret is shown once and not cached.
    gcTime: 0,
  });
}

export function useRemoveWebhook() {
  const api = useApi();
  const refresh = useInvalidation('webhooks');
  return useMutation({
    mutationFn: async (id: string) => (await api.DELETE('/api/webhooks/{id}', { params: { path: { id } } })).data,
    onSettled: refresh,
  });
}
