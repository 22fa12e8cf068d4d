import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually, untilPasses } from '../../testkit/conditions.ts';
import { stubApp } from '../../testkit/http/stub-services.ts';
import { silentLog } from '../../testkit/silent-log.ts';
import { stopTime } from '../../testkit/stop-time.ts';
import { EventFeed } from '../events/event-feed.ts';
import { EventRing } from '../events/event-ring.ts';
import { type App, type AppOptions, createApp } from './app.ts';
import { listen } from './listen.ts';
import type { Services } from './services.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

interface Reader {
  readonly response: IncomingMessage;
  readonly events: EventSourceMessage[];
  text: string;
  ended: boolean;
  close(): void;
}

/** Events only, over a real connection. The name of each key is its scope. */
async function serving(options: AppOptions = {}, mostEvents = 100) {
  const ring = new EventRing({ log: silentLog, now: () => new Date(), boot: 'b001', mostEvents });
  const revoked = new Set<string>();
  const services = {
    keys: {
      authenticate: async (key: string) => (revoked.has(key) ? null : { name: key, scopes: [key] }),
      revoke: async (name: string) => {
        revoked.add(name);
        const [created_at, revoked_at] = ['2026-11-20T12:00:00.000Z', '2026-11-20T13:00:00.000Z'];
        return { name, scopes: [name], created_at, revoked_at, expires_at: null, source: null, last_used_at: null };
      },
    },
    events: new EventFeed(ring),
    operations: { ended: () => undefined },
    log: silentLog,
  } as unknown as Services;
  const app: App = createApp(services, options);
  const listening = await listen(app, { host: '127.0.0.1', port: 0 });
  ends.push(() => listening.close(100));
  const { port } = app.server.address() as AddressInfo;

  async function read(query = '', headers: Record<string, string> = {}, key = 'admin'): Promise<Reader> {
    const request = httpRequest({
      host: '127.0.0.1',
      port,
      path: `/api/events${query}`,
      headers: { authorization: `Bearer ${key}`, ...headers },
      agent: false,
    });
    request.on('error', () => undefined);
    request.end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const events: EventSourceMessage[] = [];
    const parser = createParser({ onEvent: (event) => void events.push(event) });
    const reader: Reader = { response, events, text: '', ended: false, close: () => request.destroy() };
    response.setEncoding('utf8').on('data', (text: string) => {
      reader.text += text;
      parser.feed(text);
    });
    response.on('error', () => undefined);
    response.on('close', () => {
      reader.ended = true;
    });
    return reader;
  }
  return { ring, app, read, revoked, listening };
}

const typesOf = ({ events }: Reader) => events.map(({ event }) => event);

describe('GET /api/events', () => {
  it('streams new events as server-sent events with ids', async () => {
    const { ring, read } = await serving();
    ring.append('worker.gone', { pid: 1 });
    const reader = await read();
    expect(reader.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    await untilPasses(() => expect(reader.text).toBe('retry: 2000\nid: b001-1\n\n'));
    ring.append('worker.gone', { pid: 2 });
    ring.append('trust.removed', { ip_address: '192.0.2.1', by: 'a\nb', runtime_map_updated: true });
    await untilPasses(() => expect(reader.events).toHaveLength(2));
    expect(reader.events[0]).toMatchObject({ id: 'b001-2', event: 'worker.gone' });
    expect(JSON.parse(reader.events[1]!.data)).toMatchObject({ id: 'b001-3', data: { by: 'a\nb' } });
  });

  it('resumes after the last id, by header or parameter, without loss or repetition', async () => {
    const { ring, read } = await serving();
    for (const pid of [1, 2, 3]) ring.append('worker.gone', { pid });
    for (const reader of [await read('', { 'last-event-id': 'b001-1' }), await read('?last_event_id=b001-1')]) {
      await untilPasses(() => expect(reader.events.map(({ id }) => id)).toEqual(['b001-2', 'b001-3']));
    }
  });

  it.each([
    ['of an earlier run', 'b000-2'],
    ['that is not in the ring any more', 'b001-1'],
    ['that was never given out', 'b001-99'],
  ])('reports a gap after an id %s, and continues with new events', async (_what, id) => {
    const { ring, read } = await serving({}, 2);
    for (const pid of [1, 2, 3, 4, 5]) ring.append('worker.gone', { pid });
    const reader = await read('', { 'last-event-id': id });
    ring.append('worker.gone', { pid: 6 });
    await untilPasses(() =>
      expect(reader.events.map((event) => [event.event, event.id])).toEqual([
        ['gap', 'b001-5'],
        ['worker.gone', 'b001-6'],
      ]),
    );
    expect(JSON.parse(reader.events[0]!.data)).toMatchObject({ type: 'gap', id: 'b001-5' });
  });

  it('streams only the requested types, and advances the position past others', async () => {
    const { ring, read } = await serving({ streams: { heartbeat: 20 } });
    const reader = await read('?types=service.stopping,worker.gone');
    ring.append('worker.appeared', { pid: 1, role: 'current' });
    ring.append('worker.gone', { pid: 1 });
    ring.append('worker.appeared', { pid: 2, role: 'current' });
    await untilPasses(() => expect(reader.text).toMatch(/: \nid: b001-3\n\n$/));
    expect(typesOf(reader)).toEqual(['worker.gone']);
  });

  it('has fewer fields for a read key than for an admin key', async () => {
    const { ring, read } = await serving();
    const [reader, admin] = [await read('', {}, 'read'), await read()];
    ring.append('key.revoked', { name: 'ci', by: 'admin' });
    ring.append('worker.gone', { pid: 1 });
    await untilPasses(() => expect(typesOf(reader)).toEqual(['worker.gone']));
    await untilPasses(() => expect(typesOf(admin)).toEqual(['key.revoked', 'worker.gone']));
  });

  it('ends when its key expires, without later events', async () => {
    const { ring, read, revoked } = await serving({ streams: { keyCheck: 20 } });
    const [reader, other] = [await read('', {}, 'read'), await read()];
    revoked.add('read');
    await untilPasses(() => expect(reader.ended).toBe(true));
    ring.append('worker.gone', { pid: 1 });
    await untilPasses(() => expect(typesOf(other)).toEqual(['worker.gone']));
    expect(reader.events).toEqual([]);
    expect(reader.response.complete).toBe(true);
  });

  it('ends as soon as its key is revoked, before the next key check', async () => {
    const { app, read } = await serving({ streams: { keyCheck: 600_000 } });
    const [reader, other] = [await read('', {}, 'read'), await read()];
    const headers = { authorization: 'Bearer admin' };
    expect((await app.inject({ method: 'DELETE', url: '/api/keys/read', headers })).statusCode).toBe(200);
    await untilPasses(() => expect(reader.ended).toBe(true));
    expect(other.ended).toBe(false);
  });

  it('reports that the service stops, and ends at once', async () => {
    const { read, listening } = await serving();
    const reader = await read();
    // No connection was cut: the stream ended by itself.
    expect(await listening.close(600_000)).toBe(0);
    await untilPasses(() => expect(reader.ended).toBe(true));
    expect(typesOf(reader)).toEqual(['service.stopping']);
  });

  it('lasts longer than the idle time-out of connections', async () => {
    const { ring, read } = await serving({
      timeouts: { connection: 1_000, request: 1_000, headers: 500 },
      streams: { heartbeat: 100 },
    });
    const reader = await read();
    // A busy machine is silent for a while too, but not for a second.
    await untilPasses(() => expect(reader.text.match(/^: $/gm)?.length).toBeGreaterThanOrEqual(25));
    ring.append('worker.gone', { pid: 1 });
    await untilPasses(() => expect(typesOf(reader)).toEqual(['worker.gone']));
  });

  it('is closed for a client that reads nothing, without delaying others', async () => {
    const { app, ring, read } = await serving({ streams: { heartbeat: 20, stalled: 100 } }, 5_000);
    using time = stopTime();
    const slow = await read();
    slow.response.pause();
    const quick = await read();
    const reasons = ['x'.repeat(1_000)];
    const connections = () =>
      new Promise<number>((resolve) => app.server.getConnections((_error, count) => resolve(count)));
    let emitted = 0;
    // Fills the buffers. A client that reads nothing does not notice the end of its connection.
    for (let round = 0; round < 200 && (await connections()) > 1; round += 1) {
      for (let n = 0; n < 200; n += 1) ring.append('health.changed', { status: 'degraded', was: 'ok', reasons });
      emitted += 200;
      await eventually('the other one has it all', () => quick.events.length === emitted);
      await time.pass(20);
    }
    expect(await connections()).toBe(1);
    ring.append('worker.gone', { pid: 1 });
    await untilPasses(() => expect(typesOf(quick)).toContain('worker.gone'));
    expect(quick.ended).toBe(false);
  });

  it('is limited in number, in total and more strictly per key, until another stream ends', async () => {
    const { read } = await serving({ limits: { connections: 16 } });
    const [first, second] = [await read(), await read()];
    const third = await read();
    expect([first, second, third].map(({ response }) => response.statusCode)).toEqual([200, 200, 503]);
    const [other, another] = [await read('', {}, 'read'), await read('', {}, 'block')];
    expect([other, another].map(({ response }) => response.statusCode)).toEqual([200, 200]);
    expect((await read('', {}, 'another')).response.statusCode).not.toBe(200);
    first.close();
    await untilPasses(async () => expect((await read()).response.statusCode).toBe(200));
  });

  it('is not evicted for a new connection, even if it seems idle', async () => {
    const { ring, read } = await serving({ limits: { connections: 16 }, streams: { heartbeat: 60_000 } });
    const reader = await read();
    const others = await Promise.all(Array.from({ length: 30 }, () => read('?types=nothing').catch(() => null)));
    expect(others).toHaveLength(30);
    ring.append('worker.gone', { pid: 1 });
    await untilPasses(() => expect(typesOf(reader)).toEqual(['worker.gone']));
  });

  it.each(['?types=', '?types=entry.blocked,nothing', '?last_event_id=x', '?last_event_id=b001-1%0Adata:', '?since=1'])(
    'refuses %s',
    async (query) => {
      const { app } = stubApp();
      expect(
        (await app.inject({ url: `/api/events${query}`, headers: { authorization: 'Bearer right-key' } })).statusCode,
      ).toBe(400);
    },
  );

  it('rejects an invalid last id, and answers HEAD without a stream', async () => {
    const { app } = stubApp();
    const headers = { authorization: 'Bearer right-key' };
    const bad = await app.inject({ url: '/api/events', headers: { ...headers, 'last-event-id': 'b001-1; drop' } });
    expect([bad.statusCode, bad.json().errors[0].name]).toEqual([400, 'Last-Event-ID']);
    expect((await app.inject({ method: 'HEAD', url: '/api/events', headers })).statusCode).toBe(200);
  });
});
