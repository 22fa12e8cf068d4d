import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { untilPasses } from '../../testkit/conditions.ts';
import { silentLog } from '../../testkit/silent-log.ts';
import { StoreFolder } from '../../testkit/store/store-folder.ts';
import { EventRing } from '../events/event-ring.ts';
import { FactBus } from '../events/facts.ts';
import type { Database } from '../store/open-database.ts';
import { WebhooksStore } from '../store/webhooks-store.ts';
import type { SendRequest } from './webhook-delivery.ts';
import type { DeliveryResult, WebhookObserver } from './webhook-observer.ts';
import { webhookSignature } from './webhook-signature.ts';
import { type WebhookRequest, Webhooks } from './webhooks.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
const start = Date.parse('2026-11-20T12:00:00.000Z');

interface Sent {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly init: RequestInit;
}

let folder: StoreFolder;
let database: Database;
let clock: number;
/** The receiver's responses in order; the last one repeats. */
let answers: (number | Error | 'hangs')[];
let sent: Sent[];
/** Runs before the receiver answers. */
let meanwhile: () => Promise<void>;
let logged: string[];
let running: Webhooks[];
let results: DeliveryResult[];
let removed: string[];
/** Events of webhooks, as `[type, dropped]`. */
let reported: [string, number?][];
let ring: EventRing;
let store: WebhooksStore;

beforeEach(async () => {
  folder = new StoreFolder();
  database = await folder.open();
  clock = start;
  answers = [204];
  sent = [];
  meanwhile = async () => undefined;
  logged = [];
  running = [];
  results = [];
  removed = [];
  reported = [];
});
afterEach(async () => {
  for (const webhooks of running) await webhooks.stop();
  await folder.remove();
});

const request: SendRequest = async (url, init) => {
  const headers = init.headers as Record<string, string>;
  sent.push({ url, headers, body: String(init.body), init });
  await meanwhile();
  const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
  if (answer === 'hangs') {
    return await new Promise((_resolve, reject) => {
      init.signal?.addEventListener('abort', () => reject(init.signal?.reason));
    });
  }
  if (answer instanceof Error) throw answer;
  return { status: answer, body: null };
};

async function started(
  options: { readonly most?: number; readonly database?: Database; readonly inRing?: number } = {},
): Promise<Webhooks> {
  const now = () => new Date(clock);
  const log = { info: () => undefined, warn: note, error: note };
  ring = new EventRing({ log: silentLog, now, ...(options.inRing && { mostEvents: options.inRing }) });
  const facts = new FactBus(silentLog);
  facts.listen(ring.listener);
  facts.listen(({ type, data }) => {
    if (type === 'webhook.failing') reported.push([type, data.dropped]);
    if (type === 'webhook.recovered') reported.push([type]);
  });
  store = new WebhooksStore(options.database ?? database, options.most);
  const webhooks = new Webhooks({ store, ring, emit: facts.emit, log, now, request, gatherMs: 5, observer });
  running.push(webhooks);
  await webhooks.start();
  return webhooks;
}
const observer: WebhookObserver = {
  began: () => undefined,
  tried: (_webhook, result) => void results.push(result),
  removed: (webhook) => void removed.push(webhook),
};
const note = (message: string, fields: object = {}) => void logged.push(`${message} ${JSON.stringify(fields)}`);

const author = { keyName: 'ops', requestId: 'r', source: '192.0.2.1', receivedAt: 0 };
const put = (webhooks: Webhooks, more: Partial<WebhookRequest> = {}) =>
  webhooks.put(
    { id: 'chat', url: 'https://hooks.example/x', types: ['worker.gone'], secret, enabled: true, ...more },
    author,
  );
const gone = (...pids: number[]) => {
  for (const pid of pids) ring.append('worker.gone', { pid });
};
const eventsOf = ({ body }: Sent) => JSON.parse(body).data.events as { type: string; data: Record<string, unknown> }[];
const pidsOf = (one: Sent) => eventsOf(one).map(({ type, data }) => (type === 'gap' ? 'gap' : data['pid']));
const settled = async (webhooks: Webhooks) =>
  await untilPasses(async () => expect(await webhooks.get('chat')).toMatchObject({ pending: 0, last_error: null }));

describe('a webhook', () => {
  it('receives events from its creation on, signed as in Standard Webhooks', async () => {
    const webhooks = await started();
    gone(1);
    await put(webhooks);
    gone(2);
    await untilPasses(() => expect(sent).toHaveLength(1));
    const { url, headers, body, init } = sent[0]!;
    expect([url, init.method, init.redirect]).toEqual(['https://hooks.example/x', 'POST', 'manual']);
    expect(JSON.parse(body)).toEqual({
      type: 'events',
      timestamp: new Date(start).toISOString(),
      data: { events: [{ id: expect.any(String), type: 'worker.gone', at: expect.any(String), data: { pid: 2 } }] },
    });
    const key = Buffer.from(secret.slice(6), 'base64');
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    expect(headers['webhook-timestamp']).toBe(String(start / 1_000));
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
    await settled(webhooks);
    expect(await webhooks.get('chat')).toMatchObject({ last_success_at: new Date(start).toISOString() });
  });

  it('signs like the example of Standard Webhooks', () => {
    // https://github.com/standard-webhooks/standard-webhooks: its libraries are tested with this.
    const signature = webhookSignature(
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      1_614_265_330,
      '{"test": 2432232314}',
    );
    expect(signature).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it('receives only its types, and a burst in deliveries of a hundred, in order', async () => {
    const webhooks = await started();
    await put(webhooks);
    const pids = Array.from({ length: 250 }, (_, n) => n + 1);
    for (const pid of pids) {
      ring.append('worker.appeared', { pid, role: 'current' });
      gone(pid);
    }
    await untilPasses(() => expect(sent.flatMap(pidsOf)).toHaveLength(250));
    expect(sent.flatMap(pidsOf)).toEqual(pids);
    expect(Math.max(...sent.map((one) => eventsOf(one).length))).toBeLessThanOrEqual(100);
    expect(new Set(sent.map(({ headers }) => headers['webhook-id'])).size).toBe(sent.length);
  });

  it.each([
    ['an error', new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) })],
    ['a port that fetch refuses', new TypeError('fetch failed', { cause: new Error('bad port') })],
    ['a redirect', 302],
    ['an answer of 500', 500],
  ])('is retried after %s, with the same delivery under the same id, until it is received', async (_what, failure) => {
    const webhooks = await started();
    answers = [failure, failure, 200];
    await put(webhooks);
    gone(1);
    await untilPasses(async () => expect((await webhooks.get('chat')).last_error).not.toBeNull());
    expect(await webhooks.get('chat')).toMatchObject({ pending: 1, last_success_at: null });
    expect((await webhooks.get('chat')).last_error).toMatch(/ECONNREFUSED|reserved for another protocol|302|500/);
    // Later events wait, and do not shorten the pause.
    gone(2);
    await untilPasses(async () => expect((await webhooks.get('chat')).pending).toBe(2));
    expect(sent).toHaveLength(1);
    for (const seconds of [6, 12]) {
      clock += seconds * 1_000;
      const before = sent.length;
      await untilPasses(() => {
        gone(9);
        expect(sent.length).toBeGreaterThan(before);
      });
    }
    await untilPasses(() => expect(sent.length).toBeGreaterThan(3));
    expect(sent.slice(0, 3).map(pidsOf)).toEqual([[1], [1], [1]]);
    expect(new Set(sent.slice(0, 3).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(pidsOf(sent[3]!)[0]).toBe(2);
    expect(logged.filter((line) => line.includes('retrying'))).toHaveLength(1);
    expect(JSON.stringify(logged)).not.toMatch(/whsec|hooks\.example/);
  });

  it('pauses longer and longer, an hour at most, and gives up after a day with a gap', async () => {
    const webhooks = await started();
    answers = [503];
    await put(webhooks);
    gone(1);
    const pauses: number[] = [];
    const givenUp = () => logged.some((line) => line.startsWith('Webhook delivery abandoned'));
    for (let tries = 1; !givenUp() && tries < 100; tries += 1) {
      await untilPasses(() => expect(sent).toHaveLength(tries));
      const next = await untilPasses(async () => {
        const { next_attempt_at: at } = await webhooks.get('chat');
        expect(Date.parse(at!)).toBeGreaterThan(clock);
        return Date.parse(at!);
      });
      pauses.push(next - clock);
      expect(reported).toHaveLength(pauses.length < 5 ? 0 : givenUp() ? 2 : 1);
      clock = next;
      // Any event wakes it; one of another type causes no delivery.
      ring.append('worker.appeared', { pid: 1, role: 'current' });
    }
    expect(pauses[0]).toBeGreaterThanOrEqual(5_000);
    expect(pauses[0]).toBeLessThanOrEqual(5_500);
    expect(pauses[3]).toBeGreaterThanOrEqual(40_000);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(3_960_000);
    expect(pauses.length).toBeGreaterThan(25);
    expect(givenUp()).toBe(true);
    expect(clock - start).toBeGreaterThanOrEqual(86_400_000);
    expect(clock - start).toBeLessThan(86_400_000 + 8_000_000);
    const { failing_since: since, ...shown } = await webhooks.get('chat');
    expect(shown).toMatchObject({ missed: 1, pending: 0, last_success_at: null });
    expect(Date.parse(since!)).toBeGreaterThanOrEqual(start);
    answers = [200];
    clock += 4_000_000;
    gone(7);
    await untilPasses(() => expect(pidsOf(sent.at(-1)!)).toEqual(['gap', 7]));
    await untilPasses(async () => expect(await webhooks.get('chat')).toMatchObject({ missed: 0, failing_since: null }));
    expect(eventsOf(sent.at(-1)!)[0]).toMatchObject({ data: { missed: 1 } });
    expect(results).toEqual([...Array(pauses.length - 1).fill('failed'), 'given_up', 'delivered']);
    expect(reported).toEqual([['webhook.failing', 0], ['webhook.failing', 1], ['webhook.recovered']]);
  });

  it('that stays dead is reported for the events that it lost, not for the loss of these reports', async () => {
    const webhooks = await started();
    answers = [503];
    await put(webhooks, { types: null });
    const abandoned = () => results.filter((result) => result === 'given_up').length;
    for (let tries = 0; abandoned() < 3 && tries < 200; tries += 1) {
      const before = results.length;
      clock += 3_960_000;
      // An update of the webhook's own row wakes it; an event would be one to lose.
      if (tries === 0) gone(1);
      else await webhooks.stop().then(() => webhooks.start());
      await untilPasses(() => expect(results.length).toBeGreaterThan(before));
    }
    expect(abandoned()).toBe(3);
    expect(reported.filter(([type, dropped]) => type === 'webhook.failing' && dropped! > 0)).toHaveLength(1);
  });

  it('reports how many events wait and since when; a disabled one reports nothing', async () => {
    const webhooks = await started();
    expect(await webhooks.backlogs()).toEqual([]);
    await put(webhooks, { types: ['worker.gone', 'service.started'] });
    await put(webhooks, { id: 'off', enabled: false });
    expect(await webhooks.backlogs()).toEqual([{ id: 'chat', pending: 0, missed: 0, oldestAt: null }]);
    answers = [503];
    ring.append('worker.appeared', { pid: 1, role: 'current' });
    clock += 60_000;
    gone(1);
    const oldestAt = new Date(clock).toISOString();
    await untilPasses(() => expect(results).toEqual(['failed']));
    clock += 1_000;
    ring.append('service.started', { version: '1', proxy: '3' });
    await untilPasses(async () =>
      expect(await webhooks.backlogs()).toEqual([{ id: 'chat', pending: 2, missed: 0, oldestAt }]),
    );
    await webhooks.remove('chat', author);
    expect(removed).toEqual(['chat']);
  });

  it('continues after a restart: unreceived events are sent again, under the same id', async () => {
    const webhooks = await started();
    answers = ['hangs'];
    await put(webhooks);
    gone(1, 2);
    await untilPasses(() => expect(sent).toHaveLength(1));
    const first = sent[0]!;
    gone(3);
    await untilPasses(async () => expect((await webhooks.get('chat')).pending).toBe(3));
    // Like kill -9.
    const crashed = folder.crashed();
    try {
      answers = [200];
      await started({ database: await crashed.open() });
      await untilPasses(() => expect(sent.slice(1).flatMap(pidsOf)).toEqual([1, 2, 3]));
      expect([sent[1]!.headers['webhook-id'], pidsOf(sent[1]!)]).toEqual([first.headers['webhook-id'], pidsOf(first)]);
      await running.at(-1)!.stop();
    } finally {
      await crashed.remove();
    }
  });

  it('receives the last events of a stopped service at the next start', async () => {
    const webhooks = await started();
    await put(webhooks, { types: null });
    answers = ['hangs'];
    ring.append('service.stopping', {});
    await webhooks.stop();
    answers = [200];
    sent.length = 0;
    await started();
    await untilPasses(() => expect(sent.flatMap(eventsOf).map(({ type }) => type)).toContain('service.stopping'));
  });

  it('loses the oldest events beyond the limit, and is informed of the gap first', async () => {
    const webhooks = await started({ most: 10 });
    answers = [500];
    await put(webhooks);
    gone(1);
    await untilPasses(async () => expect((await webhooks.get('chat')).last_error).not.toBeNull());
    gone(...Array.from({ length: 14 }, (_, n) => n + 2));
    await untilPasses(async () => expect((await webhooks.get('chat')).pending).toBe(10));
    answers = [200];
    clock += 6_000;
    gone(16);
    await untilPasses(async () => expect((await webhooks.get('chat')).pending).toBe(0));
    const received = sent.slice(1).flatMap(pidsOf);
    expect(received[0]).toBe('gap');
    expect(received.slice(-3)).toEqual([14, 15, 16]);
    expect(received.filter((one) => one === 'gap')).toHaveLength(1);
    // Of any type: `webhook.set` is one of them.
    expect(Number(eventsOf(sent[1]!)[0]!.data['missed']) + received.length - 1).toBe(17);
  });

  it('is first informed how many events arrived too fast to be stored', async () => {
    const webhooks = await started({ inRing: 5 });
    await put(webhooks);
    await untilPasses(async () => expect(await count('webhook.set')).toBe(1));
    gone(...Array.from({ length: 12 }, (_, n) => n + 1));
    await untilPasses(() => expect(sent.flatMap(pidsOf)).toEqual(['gap', 8, 9, 10, 11, 12]));
    expect(eventsOf(sent[0]!)[0]).toMatchObject({ data: { missed: 7 } });
    expect(logged).toEqual([expect.stringContaining('faster than they could be stored {"events":7}')]);
    gone(13);
    await untilPasses(() => expect(sent.flatMap(pidsOf).slice(6)).toEqual([13]));
  });

  it('is informed of events lost during a delivery in the next one', async () => {
    const webhooks = await started();
    const { promise: lost, resolve } = Promise.withResolvers<void>();
    meanwhile = () => lost;
    await put(webhooks);
    gone(1);
    await untilPasses(() => expect(sent).toHaveLength(1));
    await store.append([{ type: 'worker.gone', json: '{"type":"worker.gone","data":{"pid":2}}' }], 3);
    resolve();
    await untilPasses(() => expect(sent.flatMap(pidsOf)).toEqual([1, 'gap', 2]));
    expect(eventsOf(sent[1]!)[0]).toMatchObject({ data: { missed: 3 } });
  });

  it('stores no events for disabled webhooks, and none that all have received', async () => {
    const webhooks = await started();
    await put(webhooks, { enabled: false });
    gone(1);
    await put(webhooks, { id: 'other', types: ['worker.appeared'] });
    gone(2);
    await untilPasses(async () => expect(await count()).toBeGreaterThan(0));
    expect(sent).toEqual([]);
    await put(webhooks);
    gone(3);
    await untilPasses(() => expect(sent.flatMap(pidsOf)).toEqual([3]));
    ring.append('worker.appeared', { pid: 4, role: 'current' });
    await untilPasses(() => expect(sent).toHaveLength(2));
    gone(5);
    await untilPasses(async () => expect(await count()).toBeLessThan(5));
  });

  it('that hangs delays no other webhook', async () => {
    const webhooks = await started();
    answers = ['hangs', 200];
    await put(webhooks);
    gone(1);
    await untilPasses(() => expect(sent).toHaveLength(1));
    await put(webhooks, { id: 'other', url: 'https://other.example/' });
    gone(2);
    await untilPasses(() => expect(sent.filter(({ url }) => url.includes('other')).flatMap(pidsOf)).toEqual([2]));
  });
});

describe('the settings of a webhook', () => {
  it('are not changed if they cannot be read, and deliveries continue with the current ones', async () => {
    const webhooks = await started();
    await put(webhooks);
    const read = vi.spyOn(store, 'get').mockRejectedValue(new Error('no descriptors'));
    await expect(put(webhooks, { types: null })).rejects.toThrow('no descriptors');
    read.mockRestore();
    gone(1);
    await untilPasses(() => expect(sent.flatMap(pidsOf)).toEqual([1]));
  });

  it.each([
    ['written', false],
    ['refused by the database', true],
  ])('lose no event while they are changed: %s', async (_what, refused) => {
    const webhooks = await started();
    await put(webhooks);
    const original = store.put.bind(store);
    const writing = vi.spyOn(store, 'put').mockImplementationOnce(async (...change) => {
      gone(1);
      await untilPasses(async () => expect(await count('worker.gone')).toBe(1));
      if (refused) throw new Error('disk full');
      return await original(...change);
    });
    const change = put(webhooks);
    await (refused ? expect(change).rejects.toThrow('disk full') : change);
    expect(writing).toHaveBeenCalledOnce();
    await untilPasses(() => expect(sent.flatMap(pidsOf)).toEqual([1]));
  });

  it('show a new secret once, and keep it if none is sent', async () => {
    const webhooks = await started();
    const { url } = { url: 'https://hooks.example/x' };
    const made = await webhooks.put({ id: 'own', url, types: null, enabled: true }, author);
    expect(made).toMatchObject({ created: true, answer: { secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/) } });
    const again = await webhooks.put({ id: 'own', url, types: ['worker.gone'], enabled: true }, author);
    expect(again).toMatchObject({ created: false, answer: { secret: null, events: ['worker.gone'] } });
    gone(1);
    await untilPasses(() => expect(sent.flatMap(pidsOf)).toContain(1));
    const { headers, body } = sent.at(-1)!;
    expect(headers['webhook-signature']).toBe(
      webhookSignature(made.answer.secret!, headers['webhook-id']!, Number(headers['webhook-timestamp']), body),
    );
    expect(JSON.stringify([await webhooks.list(), logged])).not.toContain(made.answer.secret);
  });

  it('exist for 20 webhooks at most, and no longer after one is removed', async () => {
    const webhooks = await started();
    for (let n = 0; n < 20; n += 1) await put(webhooks, { id: `hook-${n}`, enabled: false });
    await expect(put(webhooks)).rejects.toMatchObject({ code: 409 });
    await webhooks.remove('hook-3', author);
    await put(webhooks);
    await webhooks.remove('chat', author);
    gone(1);
    await expect(webhooks.remove('chat', author)).rejects.toMatchObject({ code: 1100 });
    await expect(webhooks.get('chat')).rejects.toMatchObject({ code: 1100 });
    expect(sent).toEqual([]);
  });
});

async function count(type?: string): Promise<number> {
  const { total } = await database.read
    .selectFrom('webhook_events')
    .$if(type !== undefined, (query) => query.where('type', '=', type!))
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}
