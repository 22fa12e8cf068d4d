import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useApi } from '../session/session.ts';
import type { NewWebhook, Webhook } from './types.ts';

/** No event tells how deliveries go. */
const everyMs = 2_000;

export function useWebhooks(refetchInterval = everyMs) {
  const api = useApi();
  return useQuery({
    queryKey: ['webhooks'],
    queryFn: async ({ signal }) => (await api.GET('/api/webhooks', { signal })).data.items as readonly Webhook[],
    refetchInterval,
  });
}

export interface WebhookSettings {
  readonly id: string;
  readonly url: string;
  /** Null: all. */
  readonly events: readonly string[] | null;
  readonly enabled: boolean;
  /** Null: the one it has; a new webhook gets one that the service makes. */
  readonly secret: string | null;
}

export function useSetWebhook() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ id, secret, events, ...settings }: WebhookSettings): Promise<NewWebhook> => {
      const list = events === null ? null : [...events];
      const body = { ...settings, events: list, ...(secret === null ? {} : { secret }) };
      return (await api.PUT('/api/webhooks/{id}', { params: { path: { id } }, body })).data as NewWebhook;
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['webhooks'] }),
    // The secret is shown once, and kept nowhere.
    gcTime: 0,
  });
}

export function useRemoveWebhook() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (id: string) => (await api.DELETE('/api/webhooks/{id}', { params: { path: { id } } })).data,
    onSettled: () => queries.invalidateQueries({ queryKey: ['webhooks'] }),
  });
}
