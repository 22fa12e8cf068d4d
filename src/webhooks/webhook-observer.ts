export type { WebhookBacklog } from '../store/webhooks-store.ts';

/** Of one attempt. `failed`: retried. `given_up`: it failed for a day, and its events are dropped. */
export type DeliveryResult = 'delivered' | 'failed' | 'given_up';

export interface WebhookObserver {
  /** Its deliveries begin. */
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
