// Copies events from the ring into the database, for the webhooks, in batches, so that a burst of blocks costs one
// transaction and no block waits for it. A crash loses what was not yet copied; the audit log has the changes.

import type { EventRing } from '../events/event-ring.ts';
import type { WebhooksStore } from '../store/webhooks-store.ts';
import { causeText, type Log } from '../telemetry/log.ts';

const gatherMs = 250;
const eventsAtOnce = 250;
const failurePauseMs = 2_000;

interface WebhookOutboxDeps {
  readonly ring: EventRing;
  readonly store: Pick<WebhooksStore, 'append' | 'forgetDelivered'>;
  readonly log: Log;
  /** Whether any webhook wants events. */
  readonly wanted: () => boolean;
  /** There is more to deliver. */
  readonly onMore: () => void;
  readonly gatherMs?: number;
}

export class WebhookOutbox {
  readonly #deps: WebhookOutboxDeps;
  readonly #gatherMs: number;
  readonly #unsubscribe: () => void;
  #position: number;
  #timer: NodeJS.Timeout | null = null;
  #flushing: Promise<void> = Promise.resolve();
  #failing = false;
  #stopped = false;

  constructor(deps: WebhookOutboxDeps) {
    this.#deps = deps;
    this.#gatherMs = deps.gatherMs ?? gatherMs;
    this.#position = 0;
    this.#unsubscribe = deps.ring.onAppended(() => this.#soon(this.#gatherMs));
  }

  /** Writes the events so far. Never throws: a failed write is retried. */
  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#flushing = this.#flushing.then(() => this.#write());
    await this.#flushing;
  }

  /** Writes the last events, which the next start delivers. */
  async stop(): Promise<void> {
    this.#unsubscribe();
    this.#stopped = true;
    await this.flush();
  }

  #soon(ms: number): void {
    this.#timer ??= setTimeout(() => void this.flush(), ms).unref();
  }

  async #write(): Promise<void> {
    try {
      if (!this.#deps.wanted()) {
        this.#position = this.#deps.ring.last;
        return;
      }
      let wrote = false;
      for (;;) {
        const { events, missed } = this.#deps.ring.after(this.#position, eventsAtOnce);
        const [oldest] = events;
        const newest = events.at(-1);
        if (oldest === undefined || newest === undefined) break;
        const lost = missed ? oldest.seq - this.#position - 1 : 0;
        if (lost > 0)
          this.#deps.log.error('Events lost for webhooks: they arrived faster than they could be stored', {
            events: lost,
          });
        await this.#deps.store.append(
          events.map(({ type, text }) => ({ type, json: text })),
          lost,
        );
        this.#position = newest.seq;
        wrote = true;
      }
      if (wrote) this.#deps.onMore();
      await this.#deps.store.forgetDelivered();
      this.#failing = false;
    } catch (error) {
      if (!this.#failing)
        this.#deps.log.error('Events could not be stored for webhooks; retrying', { cause: causeText(error) });
      this.#failing = true;
      if (!this.#stopped) this.#soon(failurePauseMs);
    }
  }
}
