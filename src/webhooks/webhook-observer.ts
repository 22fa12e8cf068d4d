// What is counted of deliveries.

export type { WebhookBacklog } from '../store/webhooks-store.ts';

/** Of one try. `failed`: it is tried again. `given_up`: it failed for a day, and its events are gone. */
export type DeliveryResult = 'delivered' | 'failed' | 'given_up';

export interface WebhookObserver {
  /** From here on it delivers. */
  began(webhook: string): void;
  tried(webhook: string, result: DeliveryResult): void;
  removed(webhook: string): void;
}

/** Without metrics. */
export const unobservedWebhooks: WebhookObserver = {
  began: () => undefined,
  tried: () => undefined,
  removed: () => undefined,
};
