// Deliveries and waiting events of webhooks, by name.
import type { DeliveryResult, WebhookBacklog, WebhookObserver } from '../webhooks/webhook-observer.ts';
import type { Instruments } from './instruments.ts';

const results: readonly DeliveryResult[] = ['delivered', 'failed', 'given_up'];

export class WebhookMetrics implements WebhookObserver {
  readonly #tries;
  readonly #pending;
  readonly #missed;
  readonly #oldest;

  constructor(instruments: Instruments) {
    this.#tries = instruments.counter('webhook_deliveries_total', 'Delivery attempts by result.', [
      'webhook',
      'result',
    ]);
    this.#pending = instruments.gauge(
      'webhook_pending_events',
      'Undelivered events of a webhook; absent while the database cannot be read.',
      ['webhook'],
    );
    this.#missed = instruments.gauge(
      'webhook_missed_events',
      'Lost events of a webhook that were not reported to it yet; absent while the database cannot be read.',
      ['webhook'],
    );
    this.#oldest = instruments.gauge(
      'webhook_oldest_pending_timestamp_seconds',
      'Time of the oldest undelivered event of a webhook; absent if there is none.',
      ['webhook'],
    );
  }

  began(webhook: string): void {
    for (const result of results) this.#tries.inc({ webhook, result }, 0);
  }

  tried(webhook: string, result: DeliveryResult): void {
    this.#tries.inc({ webhook, result });
  }

  /** Removes the series of a removed webhook. */
  removed(webhook: string): void {
    for (const result of results) this.#tries.remove({ webhook, result });
  }

  /** @param backlogs null: the database could not be read, or was too slow */
  refresh(backlogs: readonly WebhookBacklog[] | null): void {
    for (const gauge of [this.#pending, this.#missed, this.#oldest]) gauge.reset();
    for (const { id, pending, missed, oldestAt } of backlogs ?? []) {
      this.#pending.set({ webhook: id }, pending);
      this.#missed.set({ webhook: id }, missed);
      if (oldestAt !== null) this.#oldest.set({ webhook: id }, Date.parse(oldestAt) / 1_000);
    }
  }
}
