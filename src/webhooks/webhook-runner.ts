// One webhook's deliveries: one at a time and in order, each retried until it is received, or abandoned after a day.
// Progress is in the database, so that a restart repeats the same delivery under the same id.
import { pause } from '../concurrency/pause.ts';
import type { Emit } from '../events/facts.ts';
import type { WebhookBatch, WebhookRow, WebhooksStore } from '../store/webhooks-store.ts';
import { causeText, type Log } from '../telemetry/log.ts';
import { deliveryOf, type SendRequest, send } from './webhook-delivery.ts';
import type { WebhookObserver } from './webhook-observer.ts';

const mostEvents = 100;
/** Five seconds, ten, twenty … an hour, in all about a day. */
const firstPauseMs = 5_000;
const longestPauseMs = 3_600_000;
const givenUpAfterMs = 86_400_000;
/** Webhooks that fail together do not retry together. */
const jitter = 0.1;
/** While the database fails, which is logged once. */
const databaseRetryMs = 5_000;
/** Reported then, more than a minute after the first: a receiver may restart. */
const reportedFailures = 5;
/** Events of other types are skipped in steps: each is a write. */
const skippedAtOnce = 500;

interface WebhookRunnerDeps {
  readonly id: string;
  readonly store: Pick<WebhooksStore, 'get' | 'batch' | 'update'>;
  readonly request: SendRequest;
  readonly log: Log;
  readonly observer: Pick<WebhookObserver, 'tried'>;
  readonly emit: Emit;
  readonly now: () => Date;
  readonly random?: () => number;
}

export class WebhookRunner {
  readonly #deps: WebhookRunnerDeps;
  readonly #stop = new AbortController();
  readonly #loop: Promise<void>;
  #wake = new AbortController();
  #failing = false;
  /** In this run: while the database rejects the result of an attempt, the attempt and its report would repeat. */
  #reported: 'failing' | 'recovered' | null = null;

  constructor(deps: WebhookRunnerDeps) {
    this.#deps = deps;
    this.#loop = this.#run();
  }

  /** There is more, or the webhook was changed. */
  wake(): void {
    this.#wake.abort();
  }

  /** Aborts the delivery in progress; the next start sends it again. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.wake();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      this.#wake = new AbortController();
      try {
        const waitMs = await this.#once();
        this.#failing = false;
        if (waitMs > 0) await this.#pause(waitMs);
      } catch (error) {
        if (signal.aborted) return;
        if (!this.#failing)
          this.#deps.log.error('Webhook could not be processed; retrying', {
            id: this.#deps.id,
            cause: causeText(error),
          });
        this.#failing = true;
        await this.#pause(databaseRetryMs);
      }
    }
  }

  /** Makes one delivery if due. Returns how long to wait for the next, unless woken. */
  async #once(): Promise<number> {
    const { store, now } = this.#deps;
    const hook = await store.get(this.#deps.id);
    if (hook === null || !hook.enabled) return Number.POSITIVE_INFINITY;
    const wait = hook.next_attempt_at === null ? 0 : Date.parse(hook.next_attempt_at) - now().getTime();
    // A clock that was set back must not delay it by more than the longest pause.
    if (wait > 0 && wait <= longestPauseMs * (1 + jitter)) return wait;
    const batch = await store.batch(hook, mostEvents);
    if (batch.events.length === 0 && hook.missed + batch.dropped === 0) {
      // All events of the delivery have types that were deselected meanwhile.
      const begun = hook.batchEnd !== null;
      if (begun || batch.end - hook.position >= skippedAtOnce)
        await store.update(hook, { position: batch.end, batch_end: null });
      return begun ? 0 : Number.POSITIVE_INFINITY;
    }
    await this.#deliver(hook, batch);
    return 0;
  }

  async #deliver(hook: WebhookRow, batch: WebhookBatch): Promise<void> {
    const { store, log, now, request, observer } = this.#deps;
    const missed = hook.missed + batch.dropped;
    // Before sending: after a crash it is sent again under the same id, so the receiver recognises it.
    if (hook.batchEnd === null) await store.update(hook, { batch_end: batch.end });
    const why = await send(hook, deliveryOf(hook, batch, missed, now()), now(), request, this.#stop.signal);
    const at = now().toISOString();
    if (why === null) {
      observer.tried(hook.id, 'delivered');
      if (hook.attempts > 0) log.info('Webhook delivery works again', { id: hook.id, attempts: hook.attempts });
      const change = {
        position: batch.end,
        batch_end: null,
        attempts: 0,
        first_failed_at: null,
        next_attempt_at: null,
        last_success_at: at,
      };
      // Before it is stored: a crash repeats the report instead of losing it.
      if (hook.attempts >= reportedFailures) this.#reportRecovered();
      // Only the events that this delivery reported as lost: more may have been lost meanwhile.
      await store.update(hook, change, -hook.missed);
      return;
    }
    const attempts = hook.attempts + 1;
    const since = hook.first_failed_at ?? at;
    if (attempts === 1) log.warn('Webhook delivery failed; retrying', { id: hook.id, why });
    const failure = { last_error: why, last_error_at: at };
    if (now().getTime() - Date.parse(since) >= givenUpAfterMs) {
      observer.tried(hook.id, 'given_up');
      log.error('Webhook delivery abandoned', { id: hook.id, events: batch.events.length, why });
      const change = {
        ...failure,
        position: batch.end,
        batch_end: null,
        // The next delivery is retried for a day of its own, and starts with the long pause.
        attempts,
        first_failed_at: at,
        next_attempt_at: this.#after(attempts),
      };
      // The loss of such a report is no news: it would be reported once a day, for ever.
      const dropped = batch.dropped + batch.events.filter(({ type }) => type !== 'webhook.failing').length;
      if (dropped > 0) this.#reportFailing(why, since, dropped);
      await store.update(hook, change, batch.dropped + batch.events.length);
      return;
    }
    observer.tried(hook.id, 'failed');
    if (attempts === reportedFailures && this.#reported !== 'failing') this.#reportFailing(why, since, 0);
    await store.update(hook, { ...failure, attempts, first_failed_at: since, next_attempt_at: this.#after(attempts) });
  }

  #reportFailing(why: string, since: string, dropped: number): void {
    this.#reported = 'failing';
    this.#deps.emit('webhook.failing', { id: this.#deps.id, why, failing_since: since, dropped });
  }

  #reportRecovered(): void {
    if (this.#reported === 'recovered') return;
    this.#reported = 'recovered';
    this.#deps.emit('webhook.recovered', { id: this.#deps.id });
  }

  #after(attempts: number): string {
    const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** (attempts - 1));
    const random = this.#deps.random ?? Math.random;
    return new Date(this.#deps.now().getTime() + pause * (1 + jitter * random())).toISOString();
  }

  async #pause(ms: number): Promise<void> {
    // The maximum of setTimeout. Without a due delivery, only `wake` ends the pause.
    await pause(Math.min(ms, 2 ** 31 - 1), { signal: this.#wake.signal, ref: false });
  }
}
