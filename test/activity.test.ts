// What was done, told to others: the audit.
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../testkit/conditions.ts';
import { describeOnEachProxy } from '../testkit/proxies.ts';
import { type JsonBody, RealService } from '../testkit/real-service.ts';

describeOnEachProxy('what was done', ({ bin }) => {
  let service: RealService;
  beforeAll(async () => {
    service = await RealService.start({ bin });
  });
  afterAll(() => service?.stop());

  const audit = async (query = ''): Promise<JsonBody[]> => {
    const answer = await service.call('GET', `/api/audit${query}`);
    expect(answer.status).toBe(200);
    return answer.body['items'];
  };

  describe('stands in the audit', () => {
    it('with who, from where, and what became of it', async () => {
      const blocked = await service.call('POST', '/api/blocked-ips', {
        body: { ip_address: '192.0.2.1', reason: 'ssh' },
      });
      await service.call('DELETE', '/api/blocked-ips/192.0.2.1');
      await service.call('DELETE', '/api/blocked-ips/192.0.2.1');
      const common = { key: 'admin', source: '127.0.0.1', ip_address: '192.0.2.1' };
      expect(await audit('?ip_address=192.0.2.1')).toMatchObject([
        { ...common, operation: 'unblock', outcome: 'refused', status: 404, code: 1100 },
        { ...common, operation: 'unblock', outcome: 'done', details: { reason: 'ssh', blocked_by: 'admin' } },
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

    it('one row for a batch and for the whole set, with counts', async () => {
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

    it('of trust, sites, keys, reloads and syncs, and of what the service did by itself', async () => {
      await service.call('PUT', '/api/trusted-ips/192.0.2.9', { body: {} });
      await service.call('DELETE', '/api/trusted-ips/192.0.2.9');
      await service.call('PUT', '/api/sites/a.example', { body: { servers: [{ address: '127.0.0.1', port: 9 }] } });
      await service.call('POST', '/api/keys', { body: { name: 'ci', scopes: ['read'] } });
      await service.call('POST', '/api/blocked-ips/sync');
      await service.call('POST', '/api/config/reload');
      await service.call('POST', '/api/blocked-ips', { body: { ip_address: '192.0.2.50', duration_seconds: 1 } });
      const expired = await eventually('the block expired', async () => (await audit('?operation=expire'))[0] ?? null);
      expect(expired).toMatchObject({ key: null, source: null, details: { removed: 1, ip_addresses: ['192.0.2.50'] } });
      await eventually('its outcome', async () => (await audit('?operation=expire'))[0]?.['outcome'] === 'done');
      const told = new Map((await audit('?limit=8')).map((row) => [row['operation'], row]));
      expect([...told.keys()].sort()).toEqual(
        ['block', 'create_key', 'distrust', 'expire', 'reload', 'set_site', 'sync', 'trust'].sort(),
      );
      const reloads = await service.call('GET', '/api/config/reloads?limit=2');
      expect(['reload', 'set_site'].map((operation) => told.get(operation)?.['result'].reload)).toEqual(
        reloads.body['items'].map(({ id }: JsonBody) => id),
      );
    });

    it('for nobody but admin', async () => {
      const { key } = (await service.call('POST', '/api/keys', { body: { name: 'looks', scopes: ['block'] } })).body;
      expect((await service.call('GET', '/api/audit', { key })).status).toBe(403);
      expect(JSON.stringify(await audit())).not.toContain(key);
    });

    it('with every change that was acknowledged before a kill -9', async () => {
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
      const told = rows.map(({ ip_address }) => ip_address);
      expect(told).toEqual(expect.arrayContaining(acknowledged));
      const stored = held.map(({ ip_address }) => ip_address).filter((text) => texts.includes(text));
      // Neither a change without its row nor a row without its change.
      expect(told.filter((text) => texts.includes(text)).sort()).toEqual(stored.sort());
      await service.launch();
      expect(await audit('?operation=block&limit=1')).toMatchObject([{ key: 'admin' }]);
    });
  });
});
