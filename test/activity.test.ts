// The audit log, the event stream and webhooks.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import SqliteDatabase from 'better-sqlite3';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setClock, settableClock } from '../testkit/clock.ts';
import { eventually } from '../testkit/conditions.ts';
import { describeOnOneProxy, itInLongTests } from '../testkit/proxies.ts';
import { type JsonBody, RealService } from '../testkit/real-service.ts';
import { suspend } from '../testkit/suspend.ts';

describeOnOneProxy('activity', ({ bin }) => {
  let service: RealService;
  beforeAll(async () => {
    service = await RealService.start({ bin, environment: settableClock });
  });
  afterAll(() => service?.stop());

  let hoursPassed = 0;
  /** By the service's clock. */
  const anHourPasses = async (): Promise<void> => {
    hoursPassed += 1;
    await setClock(service.paths.prefix, hoursPassed * 3_600_000);
  };
  const audit = async (query = ''): Promise<JsonBody[]> => {
    const answer = await service.call('GET', `/api/audit${query}`);
    expect(answer.status).toBe(200);
    return answer.body['items'];
  };

  async function listen(headers: Record<string, string> = {}, key = service.key) {
    const request = httpRequest({
      host: '127.0.0.1',
      port: service.apiPort,
      path: '/api/events',
      headers: { authorization: `Bearer ${key}`, ...headers },
      agent: false,
    });
    request.on('error', () => undefined);
    request.end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const events: EventSourceMessage[] = [];
    const reader = { events, ended: false, close: () => request.destroy() };
    const parser = createParser({ onEvent: (event) => void events.push(event) });
    response.setEncoding('utf8').on('data', (text: string) => parser.feed(text));
    response
      .on('error', () => undefined)
      .on('close', () => {
        reader.ended = true;
      });
    return reader;
  }
  const dataOf = (events: readonly EventSourceMessage[], type: string): JsonBody[] =>
    events.filter(({ event }) => event === type).map(({ data }) => JSON.parse(data).data);

  describe('the audit log', () => {
    it('records who made a change, from where, and its outcome', async () => {
      const blocked = await service.call('POST', '/api/blocked-ips', {
        body: { ip_address: '192.0.2.1', reason: 'ssh' },
      });
      await service.call('DELETE', '/api/blocked-ips/192.0.2.1');
      await service.call('DELETE', '/api/blocked-ips/192.0.2.1');
      const common = { key: '_settings', source: '127.0.0.1', ip_address: '192.0.2.1' };
      expect(await audit('?ip_address=192.0.2.1')).toMatchObject([
        { ...common, operation: 'unblock', outcome: 'refused', status: 404, code: 1100 },
        { ...common, operation: 'unblock', outcome: 'done', details: { reason: 'ssh', blocked_by: '_settings' } },
        {
          ...common,
          operation: 'block',
          outcome: 'done',
          status: 201,
          request_id: blocked.headers['x-request-id'],
          details: { created: true, reason: 'ssh' },
          runtime_map_updated: true,
          runtime_map_failures_total: 0,
        },
      ]);
    });

    it('has one row with counts for a batch and for a replacement of the list', async () => {
      await service.call('POST', '/api/blocked-ips/batch', { body: { add: ['192.0.2.1', '192.0.2.2', 'x'] } });
      await service.call('PUT', '/api/blocked-ips', {
        raw: '192.0.2.2\n192.0.2.3\n192.0.2.4\n',
        contentType: 'text/plain',
      });
      expect(await audit('?limit=2')).toMatchObject([
        { operation: 'replace', details: { entries: 3 }, result: { added: 2, removed: 1, unchanged: 1 } },
        {
          operation: 'batch',
          details: { added: 2, ip_addresses: ['192.0.2.1', '192.0.2.2'] },
          result: { added: 2, rejected_total: 1 },
        },
      ]);
    });

    it('records changes of trust, sites and keys, reloads and syncs, and what the service did by itself', async () => {
      await service.call('PUT', '/api/trusted-ips/192.0.2.9', { body: {} });
      await service.call('DELETE', '/api/trusted-ips/192.0.2.9');
      await service.call('PUT', '/api/sites/a.example', { body: { servers: [{ address: '127.0.0.1', port: 9 }] } });
      await service.call('POST', '/api/keys', { body: { name: 'ci', scopes: ['read'] } });
      await service.call('POST', '/api/blocked-ips/sync');
      await service.call('POST', '/api/config/reload');
      await service.call('POST', '/api/blocked-ips', { body: { ip_address: '192.0.2.50', duration_seconds: 600 } });
      await anHourPasses();
      const expired = await eventually('the block expired', async () => (await audit('?operation=expire'))[0] ?? null);
      expect(expired).toMatchObject({ key: null, source: null, details: { removed: 1, ip_addresses: ['192.0.2.50'] } });
      await eventually('its outcome', async () => (await audit('?operation=expire'))[0]?.['outcome'] === 'done');
      const recorded = new Map((await audit('?limit=8')).map((row) => [row['operation'], row]));
      expect([...recorded.keys()].sort()).toEqual(
        ['block', 'create_key', 'distrust', 'expire', 'reload', 'set_site', 'sync', 'trust'].sort(),
      );
      const reloads = await service.call('GET', '/api/config/reloads?limit=2');
      expect(['reload', 'set_site'].map((operation) => recorded.get(operation)?.['result'].reload)).toEqual(
        reloads.body['items'].map(({ id }: JsonBody) => id),
      );
    });

    it('is readable with an admin key only', async () => {
      const { key } = (await service.call('POST', '/api/keys', { body: { name: 'looks', scopes: ['block'] } })).body;
      expect((await service.call('GET', '/api/audit', { key })).status).toBe(403);
      expect(JSON.stringify(await audit())).not.toContain(key);
    });

    it('has every change that was acknowledged before a kill -9', async () => {
      const texts = Array.from({ length: 40 }, (_, n) => `198.51.100.${n}`);
      const acknowledged: string[] = [];
      const calls = texts.map(async (text, n) => {
        const answer = await service.call('POST', '/api/blocked-ips', { body: { ip_address: text } }).catch(() => null);
        if (answer?.status === 201) acknowledged.push(text);
        if (n === 20) service.kill('SIGKILL');
      });
      await Promise.all(calls);
      await service.ended();
      expect(acknowledged.length).toBeGreaterThan(0);
      const file = new SqliteDatabase(service.paths.database, { readonly: true });
      const rows = file.prepare("select ip_address from audit where operation = 'block'").all() as JsonBody[];
      const held = file.prepare('select ip_address from blocked_ips').all() as JsonBody[];
      file.close();
      const recorded = rows.map(({ ip_address }) => ip_address);
      expect(recorded).toEqual(expect.arrayContaining(acknowledged));
      const stored = held.map(({ ip_address }) => ip_address).filter((text) => texts.includes(text));
      // No change without its row, no row without its change.
      expect(recorded.filter((text) => texts.includes(text)).sort()).toEqual(stored.sort());
      await service.launch();
      expect(await audit('?operation=block&limit=1')).toMatchObject([{ key: '_settings' }]);
    });
  });

  describe('the event stream', () => {
    it('resumes for a client that reconnects', async () => {
      const reader = await listen();
      await service.call('POST', '/api/blocked-ips', { body: { ip_address: '192.0.2.77', duration_seconds: 600 } });
      await eventually('the block is reported', () => dataOf(reader.events, 'entry.blocked').length === 1);
      reader.close();
      const last = reader.events.at(-1)!.id!;
      await service.call('POST', '/api/config/reload');
      await anHourPasses();
      await eventually(
        'the block expired',
        async () => (await service.call('GET', '/api/blocked-ips/192.0.2.77')).status === 404,
      );
      const again = await listen({ 'last-event-id': last });
      await eventually('the rest is reported', () => dataOf(again.events, 'entry.expired').length === 1);
      expect(dataOf(again.events, 'entry.blocked')).toEqual([]);
      expect(dataOf(again.events, 'entry.expired')).toEqual([{ ip_address: '192.0.2.77', runtime_map_updated: true }]);
      const [started] = dataOf(again.events, 'reload.started');
      expect(started).toMatchObject({ reasons: ['requested by _settings'] });
      expect(dataOf(again.events, 'reload.completed')).toMatchObject([{ id: started!['id'] }]);
      const appeared = dataOf(again.events, 'worker.appeared').map(({ pid }) => pid);
      expect(appeared.length).toBeGreaterThan(0);
      expect(new Set(appeared).size, String(appeared)).toBe(appeared.length);
      again.close();
    });

    it('reports changes of the health', async () => {
      const reader = await listen();
      const master = (await service.processes()).master.pid;
      const statuses = () => dataOf(reader.events, 'health.changed').map(({ status }) => status);
      await suspend(master);
      try {
        await eventually('the health is worse', () => statuses().includes('degraded'));
      } finally {
        process.kill(master, 'SIGCONT');
      }
      await eventually('the health is well again', () => statuses().at(-1) === 'ok');
      reader.close();
    });

    it('ends with its key, and hides admin events from a read key', async () => {
      const { key } = (await service.call('POST', '/api/keys', { body: { name: 'watcher', scopes: ['read'] } })).body;
      const reader = await listen({}, key);
      await service.call('POST', '/api/config/reload');
      await eventually('the reload is reported', () => dataOf(reader.events, 'reload.completed').length === 1);
      expect(dataOf(reader.events, 'reload.started')).toEqual([{ id: expect.any(String) }]);
      await service.call('DELETE', '/api/keys/watcher');
      await eventually('the stream ends', () => reader.ended);
      expect(JSON.stringify(reader.events)).not.toContain('key.revoked');
    });

    // In parts: src/http/events.test.ts.
    itInLongTests('reports a gap to a client that was disconnected during a restart', async () => {
      const reader = await listen();
      await service.call('POST', '/api/blocked-ips', { body: { ip_address: '192.0.2.78' } });
      await eventually('the block is reported', () => dataOf(reader.events, 'entry.blocked').length === 1);
      service.kill('SIGTERM');
      await eventually('the stream ends', () => reader.ended);
      expect((await service.ended()).code).toBe(0);
      expect(reader.events.at(-1)).toMatchObject({ event: 'service.stopping' });
      await service.launch();
      const again = await listen({ 'last-event-id': reader.events.at(-1)!.id! });
      await eventually('the gap is reported', () => again.events[0]?.event === 'gap');
      again.close();
    });
  });

  describe('a webhook', () => {
    interface Received {
      readonly id: string;
      readonly events: JsonBody[];
      readonly genuine: boolean;
    }
    const received: Received[] = [];
    let answers = 204;
    let secret = '';
    let receiver: Server;
    beforeAll(async () => {
      receiver = createServer(async (request, response) => {
        let body = '';
        for await (const chunk of request) body += chunk;
        const id = String(request.headers['webhook-id']);
        const signed = `${id}.${request.headers['webhook-timestamp']}.${body}`;
        const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
        const genuine =
          request.headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
        received.push({ id, events: JSON.parse(body).data.events, genuine });
        response.writeHead(answers).end();
      });
      receiver.listen(0, '127.0.0.1');
      await once(receiver, 'listening');
      const { port } = receiver.address() as AddressInfo;
      const made = await service.call('PUT', '/api/webhooks/test', {
        body: { url: `http://127.0.0.1:${port}/hook`, events: ['entry.blocked', 'entry.unblocked'] },
      });
      expect(made.status).toBe(201);
      secret = made.body['secret'];
    });
    afterAll(() => receiver?.close());

    const addresses = (one: Received | undefined) => one?.events.map(({ type, data }) => `${type} ${data.ip_address}`);
    const hook = async () => (await service.call('GET', '/api/webhooks/test')).body;

    it('receives signed events, and shows its state but not its secret', async () => {
      await service.block('192.0.2.90');
      await eventually('it is received', () => received.length === 1);
      expect(addresses(received[0])).toEqual(['entry.blocked 192.0.2.90']);
      expect(received[0]?.genuine).toBe(true);
      await eventually('it is known', async () => (await hook())['last_success_at'] !== null);
      const listed = await service.call('GET', '/api/webhooks');
      expect(listed.text).not.toContain(secret);
      expect(listed.body['items']).toMatchObject([{ id: 'test', pending: 0, last_error: null, enabled: true }]);
    });

    // In parts: src/webhooks/webhooks.test.ts.
    itInLongTests('receives the same delivery again until it accepts it, also after a kill -9', async () => {
      answers = 500;
      await service.block('192.0.2.91');
      await eventually('it fails', async () => (await hook())['last_error'] === 'the receiver answered 500');
      await service.block('192.0.2.92');
      await eventually('the next one waits', async () => (await hook())['pending'] === 2);
      const failed = received.at(-1);
      service.kill('SIGKILL');
      await service.ended();
      answers = 200;
      const before = received.length;
      await service.launch();
      await eventually('both are received', () => received.length === before + 2);
      expect(received.slice(before).map(addresses)).toEqual([
        ['entry.blocked 192.0.2.91'],
        ['entry.blocked 192.0.2.92'],
      ]);
      expect(received[before]?.id).toBe(failed?.id);
      expect(received.every(({ genuine }) => genuine)).toBe(true);
    });

    it('receives nothing after its removal, which the audit log records without its URL', async () => {
      expect((await service.call('DELETE', '/api/webhooks/test')).status).toBe(200);
      await service.block('192.0.2.93');
      expect(await audit('?limit=10')).toEqual(
        expect.arrayContaining([expect.objectContaining({ operation: 'remove_webhook', target: 'test' })]),
      );
      const [made] = await audit('?operation=set_webhook');
      expect(made).toMatchObject({ target: 'test', key: '_settings', outcome: 'done' });
      expect(JSON.stringify(made)).not.toMatch(/\/hook"|whsec/);
      expect(received.flatMap(addresses)).not.toContain('entry.blocked 192.0.2.93');
    });
  });
});
