// Webhooks: stored in the database, delivered by a runner each.

import type { Webhook, WebhookAnswer } from '../api/webhooks.ts';
import type { Caller } from '../blocking/answers.ts';
import { auditedChange } from '../blocking/write/audit-notes.ts';
import { Mutex } from '../concurrency/mutex.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { EventRing } from '../events/event-ring.ts';
import type { Emit } from '../events/facts.ts';
import type { WebhookBacklog, WebhookRow, WebhooksStore } from '../store/webhooks-store.ts';
import type { Log } from '../telemetry/log.ts';
import type { SendRequest } from './webhook-delivery.ts';
import { unobservedWebhooks, type WebhookObserver } from './webhook-observer.ts';
import { WebhookOutbox } from './webhook-outbox.ts';
import { WebhookRunner } from './webhook-runner.ts';
import { newWebhookSecret } from './webhook-signature.ts';

/** Each has a connection and a loop of its own. */
const mostWebhooks = 20;

export interface WebhookRequest {
  readonly id: string;
  readonly url: string;
  /** Null: all. */
  readonly types: readonly string[] | null;
  /** Absent: keeps the current one; a new webhook gets a generated one. */
  readonly secret?: string | undefined;
  readonly enabled: boolean;
}

interface Deps {
  readonly store: WebhooksStore;
  readonly ring: EventRing;
  readonly emit: Emit;
  readonly log: Log;
  readonly now: () => Date;
  readonly request?: SendRequest;
  readonly observer?: WebhookObserver;
  readonly gatherMs?: number;
}

export type WebhooksService = Pick<Webhooks, 'list' | 'get' | 'put' | 'remove'>;

export class Webhooks {
  readonly #deps: Deps;
  readonly #store: WebhooksStore;
  readonly #observer: WebhookObserver;
  readonly #outbox: WebhookOutbox;
  readonly #runners = new Map<string, WebhookRunner>();
  #started = false;
  /** One change at a time: each stops and starts a runner. */
  readonly #mutex = new Mutex();

  constructor(deps: Deps) {
    const { ring, store, log, gatherMs, observer = unobservedWebhooks } = deps;
    this.#deps = deps;
    this.#store = store;
    this.#observer = observer;
    this.#outbox = new WebhookOutbox({
      ring,
      store,
      log,
      wanted: () => this.#runners.size > 0,
      onMore: () => {
        for (const runner of this.#runners.values()) runner.wake();
      },
      ...(gatherMs === undefined ? {} : { gatherMs }),
    });
  }

  /** Continues with events that an earlier run of the service did not deliver. */
  async start(): Promise<void> {
    this.#started = true;
    for (const hook of await this.#store.list()) this.#run(hook);
  }

  /** Undelivered events are delivered after the next start. */
  async stop(): Promise<void> {
    this.#started = false;
    await this.#mutex.drained();
    // First: without runners the outbox would skip the last events.
    await this.#outbox.stop();
    await Promise.all([...this.#runners.values()].map((runner) => runner.stop()));
    this.#runners.clear();
  }

  async list(): Promise<readonly Webhook[]> {
    const records: Webhook[] = [];
    for (const hook of await this.#store.list()) records.push(await this.#shown(hook));
    return records;
  }

  /** Undelivered events of each enabled webhook. @throws StoreError */
  async backlogs(): Promise<readonly WebhookBacklog[]> {
    const enabled = (await this.#store.list()).filter((hook) => hook.enabled);
    const backlogs: WebhookBacklog[] = [];
    for (const hook of enabled) backlogs.push(await this.#store.backlog(hook));
    return backlogs;
  }

  /** Errors: 1100. */
  async get(id: string): Promise<Webhook> {
    const hook = await this.#store.get(id);
    if (hook === null) throw unknownHook('get webhook', id);
    return await this.#shown(hook);
  }

  /** `secret` of the answer: a generated one, shown this once; else null. Errors: 409 when there are too many. */
  put(request: WebhookRequest, caller: Caller): Promise<{ created: boolean; answer: WebhookAnswer }> {
    return this.#mutex.run(() => this.#put(request, caller));
  }

  /** Errors: 1100. */
  remove(id: string, caller: Caller): Promise<{ readonly id: string }> {
    return this.#mutex.run(() => this.#remove(id, caller));
  }

  async #put(request: WebhookRequest, caller: Caller): Promise<{ created: boolean; answer: WebhookAnswer }> {
    // Excludes events from before the webhook.
    await this.#outbox.flush();
    const before = await this.#store.get(request.id);
    // A delivery in progress uses the old settings. The stopped runner stays in the map until its successor replaces
    // it: without runners the outbox skips events.
    await this.#runners.get(request.id)?.stop();
    const known = request.secret ?? before?.secret;
    const secret = known ?? newWebhookSecret();
    const { url, types: events, enabled } = request;
    // A webhook URL may contain a secret in its path or query.
    const details = { origin: new URL(url).origin, events, enabled };
    const audited = auditedChange('set_webhook', caller, { target: request.id, details });
    const done = await this.#store
      .put({ ...request, secret }, mostWebhooks, this.#deps.now(), audited)
      .catch((error: unknown) => {
        if (before !== null) this.#runInstead(before);
        throw error;
      });
    if (done === null) {
      throw new ServiceError(
        codes.Conflict,
        'set webhook',
        `the limit of ${mostWebhooks} webhooks is reached; remove one first`,
      );
    }
    this.#runInstead(done.row);
    const subject = { webhook: request.id };
    this.#deps.emit('operation.done', { operation: 'set_webhook', caller, subject, enabled });
    const shown = known === undefined ? secret : null;
    return { created: done.created, answer: { ...(await this.#shown(done.row)), secret: shown } };
  }

  async #remove(id: string, caller: Caller): Promise<{ readonly id: string }> {
    const removed = await this.#store.remove(
      id,
      this.#deps.now(),
      auditedChange('remove_webhook', caller, { target: id }),
    );
    if (removed === null) throw unknownHook('remove webhook', id);
    await this.#stopRunner(id);
    this.#observer.removed(id);
    this.#deps.emit('operation.done', { operation: 'remove_webhook', caller, subject: { webhook: id } });
    return { id };
  }

  #run(hook: WebhookRow): void {
    if (!this.#started || !hook.enabled) return;
    this.#observer.began(hook.id);
    const { request = (url, init) => fetch(url, init), log, now } = this.#deps;
    const deps = { id: hook.id, store: this.#store, request, log, now, observer: this.#observer };
    this.#runners.set(hook.id, new WebhookRunner(deps));
  }

  #runInstead(hook: WebhookRow): void {
    this.#runners.delete(hook.id);
    this.#run(hook);
  }

  async #stopRunner(id: string): Promise<void> {
    const runner = this.#runners.get(id);
    this.#runners.delete(id);
    await runner?.stop();
  }

  /** Without its secret. */
  async #shown(hook: WebhookRow): Promise<Webhook> {
    const { id, url, types, enabled, created_at, updated_at } = hook;
    const { last_success_at, last_error, last_error_at, next_attempt_at, first_failed_at } = hook;
    return {
      id,
      url,
      events: types,
      enabled,
      created_at,
      updated_at,
      last_success_at,
      last_error,
      last_error_at,
      next_attempt_at,
      failing_since: first_failed_at,
      ...(await this.#store.undelivered(hook)),
    };
  }
}

function unknownHook(op: string, id: string): ServiceError {
  return new ServiceError(codes.NotFound, op, `there is no webhook ${id}`);
}
