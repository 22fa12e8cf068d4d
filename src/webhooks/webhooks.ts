// Webhooks: kept in the database, delivered by a runner each.

import type { Webhook, WebhookAnswer } from '../api/webhooks.ts';
import type { Caller } from '../blocking/answers.ts';
import { auditedChange } from '../blocking/write/audit-notes.ts';
import { Mutex } from '../concurrency/mutex.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { EventRing } from '../events/event-ring.ts';
import type { Tell } from '../events/facts.ts';
import type { AuditedChange } from '../store/audit-rows.ts';
import type { WebhookBacklog, WebhookRow, WebhooksStore } from '../store/webhooks-store.ts';
import type { Log } from '../telemetry/log.ts';
import type { SendRequest } from './webhook-delivery.ts';
import { unobservedWebhooks, type WebhookObserver } from './webhook-observer.ts';
import { WebhookOutbox } from './webhook-outbox.ts';
import { WebhookRunner } from './webhook-runner.ts';
import { newWebhookSecret } from './webhook-signature.ts';

// Webhooks as the API knows them: who changes one stands in the audit, with where it delivers to, though not with what of
// its URL may be a secret.

export type WebhooksService = ReturnType<typeof webhooksService>;

export function webhooksService(webhooks: Webhooks) {
  return {
    list: () => webhooks.list(),
    /** Errors: 1100. */
    get: (id: string) => webhooks.get(id),
    /** `secret` of the answer: the one that was made, shown this once; else null. Errors: 409 when there are too many. */
    put: (request: WebhookRequest, caller: Caller) => {
      const { id, url, types, enabled } = request;
      const details = { origin: new URL(url).origin, events: types, enabled };
      return webhooks.put(request, authorOf(caller, 'set_webhook', id, details));
    },
    /** Errors: 1100. */
    remove: (id: string, caller: Caller) => webhooks.remove(id, authorOf(caller, 'remove_webhook', id)),
  };
}

function authorOf(caller: Caller, operation: string, target: string, details?: Record<string, unknown>): WebhookAuthor {
  const about = details === undefined ? { target } : { target, details };
  const { keyName, requestId } = caller;
  return { keyName, requestId, audited: auditedChange(operation, caller, about) };
}

/** Each has a connection and a loop of its own. */
const mostWebhooks = 20;

export interface WebhookRequest {
  readonly id: string;
  readonly url: string;
  /** Null: all. */
  readonly types: readonly string[] | null;
  /** Absent: the one it has; a new one is made for a new hook. */
  readonly secret?: string | undefined;
  readonly enabled: boolean;
}

/** Who changes it, as far as it matters here. */
interface WebhookAuthor {
  readonly keyName: string;
  readonly requestId: string;
  readonly audited: AuditedChange;
}

export class Webhooks {
  readonly #store: WebhooksStore;
  readonly #outbox: WebhookOutbox;
  readonly #tell: Tell;
  readonly #log: Log;
  readonly #now: () => Date;
  readonly #request: SendRequest;
  readonly #observer: WebhookObserver;
  readonly #runners = new Map<string, WebhookRunner>();
  #started = false;
  /** One change at a time: each ends and begins a runner. */
  readonly #mutex = new Mutex();

  constructor(options: {
    readonly store: WebhooksStore;
    readonly ring: EventRing;
    readonly tell: Tell;
    readonly log: Log;
    readonly now: () => Date;
    readonly request?: SendRequest;
    readonly observer?: WebhookObserver;
    readonly gatherMs?: number;
  }) {
    this.#store = options.store;
    this.#tell = options.tell;
    this.#log = options.log;
    this.#now = options.now;
    this.#request = options.request ?? ((url, init) => fetch(url, init));
    this.#observer = options.observer ?? unobservedWebhooks;
    this.#outbox = new WebhookOutbox({
      ring: options.ring,
      store: options.store,
      log: options.log,
      wanted: () => this.#runners.size > 0,
      onMore: () => {
        for (const runner of this.#runners.values()) runner.wake();
      },
      ...(options.gatherMs === undefined ? {} : { gatherMs: options.gatherMs }),
    });
  }

  /** Goes on with what an earlier run of the service did not deliver. */
  async start(): Promise<void> {
    this.#started = true;
    for (const hook of await this.#store.list()) this.#run(hook);
  }

  /** What was not delivered is delivered by the next start. */
  async stop(): Promise<void> {
    this.#started = false;
    await this.#mutex.drained();
    // First, while the outbox still knows that somebody wants it.
    await this.#outbox.stop();
    await Promise.all([...this.#runners.values()].map((runner) => runner.stop()));
    this.#runners.clear();
  }

  async list(): Promise<readonly Webhook[]> {
    const records: Webhook[] = [];
    for (const hook of await this.#store.list()) records.push(await this.#shown(hook));
    return records;
  }

  /** What waits for each that is enabled. @throws StoreError */
  async backlogs(): Promise<readonly ({ readonly id: string } & WebhookBacklog)[]> {
    const enabled = (await this.#store.list()).filter((hook) => hook.enabled);
    const backlogs: ({ readonly id: string } & WebhookBacklog)[] = [];
    for (const hook of enabled) backlogs.push({ id: hook.id, ...(await this.#store.backlog(hook)) });
    return backlogs;
  }

  async get(id: string): Promise<Webhook> {
    const hook = await this.#store.get(id);
    if (hook === null) throw unknownHook('get webhook', id);
    return await this.#shown(hook);
  }

  /** `secret` of the answer: shown this once, when it was made here; else null. */
  put(request: WebhookRequest, author: WebhookAuthor): Promise<{ created: boolean; answer: WebhookAnswer }> {
    return this.#mutex.run(() => this.#put(request, author));
  }

  remove(id: string, author: WebhookAuthor): Promise<{ readonly id: string }> {
    return this.#mutex.run(() => this.#remove(id, author));
  }

  async #put(request: WebhookRequest, author: WebhookAuthor): Promise<{ created: boolean; answer: WebhookAnswer }> {
    // What was told before it is none of its events.
    await this.#outbox.flush();
    const before = await this.#store.get(request.id);
    // What is under way was begun with the old settings. It stays among the runners, stopped, until another takes its
    // place: without any the outbox passes events by.
    await this.#runners.get(request.id)?.stop();
    const known = request.secret ?? before?.secret;
    const secret = known ?? newWebhookSecret();
    const done = await this.#store
      .put({ ...request, secret }, mostWebhooks, this.#now(), author.audited)
      .catch((error: unknown) => {
        if (before !== null) this.#runInstead(before);
        throw error;
      });
    if (done === null) {
      throw new ServiceError(
        codes.Conflict,
        'set webhook',
        `there are ${mostWebhooks} webhooks already, and no more are kept; remove one first`,
      );
    }
    this.#runInstead(done.row);
    this.#done('set_webhook', request.id, author);
    this.#tell('webhook.set', { id: request.id, enabled: request.enabled, by: author.keyName });
    const shown = known === undefined ? secret : null;
    return { created: done.created, answer: { ...(await this.#shown(done.row)), secret: shown } };
  }

  async #remove(id: string, author: WebhookAuthor): Promise<{ readonly id: string }> {
    const removed = await this.#store.remove(id, this.#now(), author.audited);
    if (removed === null) throw unknownHook('remove webhook', id);
    await this.#stopRunner(id);
    this.#observer.removed(id);
    this.#done('remove_webhook', id, author);
    this.#tell('webhook.removed', { id, by: author.keyName });
    return { id };
  }

  #run(hook: WebhookRow): void {
    if (!this.#started || !hook.enabled) return;
    this.#observer.began(hook.id);
    const parts = {
      store: this.#store,
      request: this.#request,
      log: this.#log,
      now: this.#now,
      observer: this.#observer,
    };
    this.#runners.set(hook.id, new WebhookRunner(hook.id, parts));
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

  #done(operation: string, id: string, { keyName, requestId }: WebhookAuthor): void {
    this.#log.info('Operation done', { operation, webhook: id, key: keyName, request_id: requestId });
  }

  /** Never its secret. */
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
