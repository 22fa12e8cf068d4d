import { describe, expect, it } from 'vitest';
import { auditedRoutes, routeAccess } from '../../testkit/http/route-access.ts';
import { BEARER, NOW, type Overrides, stubApp } from '../../testkit/http/stub-services.ts';
import { stopTime } from '../../testkit/stop-time.ts';
import type { EndedOperation } from '../api/ended-operation.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { Services } from './services.ts';

const json = { 'content-type': 'application/json' };

function listening(overrides: Overrides = {}) {
  const recorded: EndedOperation[] = [];
  const { app } = stubApp({ ...overrides, operations: { ended: (one: EndedOperation) => void recorded.push(one) } });
  return { app, recorded };
}

it('every operation that may change something is recorded in the audit log', () => {
  const changing = Object.keys(routeAccess).filter((route) => !route.startsWith('GET '));
  const neverAudited = ['POST /api/config/validate', 'POST /api/client-address', 'PUT /api/notices/read'];
  expect(Object.keys(auditedRoutes).sort()).toEqual(changing.filter((route) => !neverAudited.includes(route)).sort());
});

describe('the operation listener', () => {
  it('gets a block with its key, source, address and response', async () => {
    using _time = stopTime();
    const { app, recorded } = listening({
      blockedSet: {
        block: async (_request: unknown, caller: { audited?: (row: number) => void }) => {
          caller.audited?.(42);
          return {
            created: false,
            changed: false,
            answer: {
              ip_address: '192.0.2.1',
              reason: null,
              blocked_by: 'ops',
              blocked_at: NOW.toISOString(),
              expires_at: null,
              runtime_map_updated: false,
              runtime_map_failures: [],
              runtime_map_failures_total: 2,
              reload_scheduled: true,
            },
          };
        },
      } as Overrides['blockedSet'] & object,
    });
    await app.inject({
      method: 'POST',
      url: '/api/blocked-ips',
      headers: { ...BEARER, 'x-request-id': 'abc' },
      payload: { ip_address: '192.0.2.1' },
    });
    expect(recorded).toEqual([
      {
        note: {
          operation: 'block',
          keyName: 'ops',
          source: '127.0.0.1',
          requestId: 'abc',
          ipAddress: '192.0.2.1',
          target: null,
        },
        at: expect.any(Date),
        rows: [42],
        status: 200,
        outcome: {
          code: null,
          runtimeMapUpdated: false,
          runtimeMapFailuresTotal: 2,
          reloadScheduled: true,
          result: null,
        },
        attempted: true,
        verifiedEverywhere: false,
        counts: { unchanged: 1 },
      },
    ]);
    expect(recorded[0]!.at).toEqual(NOW);
  });

  it.each([
    [true, false, { removed: 1 }],
    [true, true, { updated: 1 }],
    [false, true, { unchanged: 1 }],
  ])('counts an unblock that dropped a claim (%s) of an address still claimed (%s)', async (dropped, still, counts) => {
    const claim = { source: 'drop', kind: 'list', reason: null, blocked_by: null, expires_at: null };
    const claims = still ? { still_claimed_by: [{ ...claim, claimed_at: NOW.toISOString() }] } : {};
    const answer = { ip_address: '192.0.2.1', still_blocked_by: [], ...claims };
    const { app, recorded } = listening({
      blockedSet: { unblock: async () => ({ dropped, answer }) } as unknown as Overrides['blockedSet'] & object,
    });
    await app.inject({ method: 'DELETE', url: '/api/blocked-ips/192.0.2.1', headers: BEARER });
    expect(recorded).toMatchObject([{ counts }]);
  });

  it('gets counts and the id of a reload, and never a key', async () => {
    const { app, recorded } = listening();
    const call = (method: 'POST' | 'PUT' | 'DELETE', url: string, payload?: object) =>
      app.inject({ method, url, headers: BEARER, ...(payload === undefined ? {} : { payload }) });
    await call('POST', '/api/blocked-ips/batch', { add: ['192.0.2.1'] });
    await call('POST', '/api/blocked-ips/sync');
    await call('POST', '/api/config/reload');
    await call('PUT', '/api/sites/a.example', { servers: [{ address: '10.0.0.1', port: 80 }] });
    await call('POST', '/api/keys', { name: 'ci' });
    await call('DELETE', '/api/keys/ci');
    expect(recorded.map(({ note, outcome }) => [note.operation, note.target, outcome.result])).toEqual([
      ['batch', null, { added: 1, updated: 0, removed: 0, unchanged: 0, rejected_total: 0 }],
      ['sync', null, { added: 0, removed: 0, total_ips: 2, runtime_map_synced: true }],
      ['reload', null, { changed: false, reload: 'r1' }],
      ['set_site', 'a.example', { reload: 'r1' }],
      ['create_key', 'ci', null],
      ['revoke_key', 'ci', null],
    ]);
    expect(JSON.stringify(recorded)).not.toContain('secret');
    expect(recorded.map(({ counts, verifiedEverywhere }) => [counts, verifiedEverywhere])).toEqual([
      [{ added: 1, updated: 0, removed: 0, unchanged: 0, rejected: 0 }, true],
      [{ added: 0, removed: 0 }, true],
      [{}, null],
      [{}, null],
      [{}, null],
      [{}, null],
    ]);
  });

  it('gets a read operation only if a valid key lacks its scope', async () => {
    const { app, recorded } = listening({
      keys: { authenticate: async () => ({ name: 'watcher', scopes: ['read'] }) },
    });
    const looks = [
      ['GET', '/api/keys'],
      ['HEAD', '/api/audit'],
      ['GET', '/api/config/reloads/r1'],
      ['POST', '/api/config/validate'],
    ] as const;
    for (const [method, url] of looks)
      expect((await app.inject({ method, url, headers: BEARER })).statusCode).toBe(403);
    for (const url of ['/api/sites', '/api/check/nonsense', '/api/nothing']) await app.inject({ url, headers: BEARER });
    expect(recorded.map(({ note, status }) => ({ ...note, status }))).toMatchObject([
      { operation: 'read', target: '/api/keys', keyName: 'watcher', status: 403 },
      { operation: 'read', target: '/api/audit', status: 403 },
      { operation: 'read', target: '/api/config/reloads/:id', status: 403 },
      { operation: 'read', target: '/api/config/validate', status: 403 },
    ]);
  });

  it('gets a dry run only if it is rejected', async () => {
    const { app, recorded } = listening({
      keys: { authenticate: async (key: string) => ({ name: key, scopes: [key] }) },
    });
    const dryRun = (key: string, query = '') =>
      app.inject({
        method: 'POST',
        url: `/api/blocked-ips/batch?dry_run=true${query}`,
        headers: { authorization: `Bearer ${key}`, ...json },
        payload: { add: ['192.0.2.1'] },
      });
    expect((await dryRun('block')).statusCode).toBe(200);
    expect((await dryRun('block', '&allow_wide=true')).statusCode).toBe(403);
    expect(recorded.map(({ note, status, attempted }) => [note.operation, note.keyName, status, attempted])).toEqual([
      ['batch', 'block', 403, false],
    ]);
  });

  it('gets a rejection of a valid key, with its code', async () => {
    const { app, recorded } = listening({
      keys: {
        authenticate: async (key: string) => ({ name: key, scopes: [key === 'reader' ? 'read' : 'admin'] }),
      },
      trustedIps: {
        remove: async () => {
          throw new ServiceError(codes.NotFound, 'distrust', 'not trusted');
        },
      },
    });
    const as = (key: string) => ({ authorization: `Bearer ${key}` });
    await app.inject({ method: 'DELETE', url: '/api/blocked-ips/192.0.2.1', headers: as('reader') });
    await app.inject({ method: 'DELETE', url: '/api/trusted-ips/192.0.2.9', headers: as('ops') });
    await app.inject({ method: 'PUT', url: '/api/trusted-ips/not%0Aan-address', headers: as('ops') });
    await app.inject({ method: 'POST', url: '/api/blocked-ips', headers: { ...as('ops'), ...json }, payload: '{' });
    const seen = recorded.map(({ note, status, outcome, attempted }) => [
      note.operation,
      note.ipAddress,
      status,
      outcome.code,
      attempted,
    ]);
    expect(seen).toEqual([
      ['unblock', '192.0.2.1', 403, 403, false],
      ['distrust', '192.0.2.9', 404, 1100, true],
      ['trust', null, 400, 101, false],
      ['block', null, 400, 102, false],
    ]);
  });

  it('gets no anonymous request and no read operation', async () => {
    const { app, recorded } = listening();
    await app.inject({ method: 'POST', url: '/api/config/reload' });
    await app.inject({ method: 'POST', url: '/api/config/reload', headers: { authorization: 'Bearer wrong' } });
    await app.inject({ method: 'GET', url: '/api/keys', headers: BEARER });
    await app.inject({ method: 'POST', url: '/api/config/validate', headers: BEARER });
    await app.inject({ method: 'POST', url: '/api/audit', headers: BEARER });
    expect(recorded).toEqual([]);
  });
});

describe('GET /api/audit', () => {
  it('passes its filters on in canonical form, and returns the page', async () => {
    const asked: Parameters<Services['audit']['page']>[0][] = [];
    const { app } = stubApp({
      audit: {
        page: async (query: Parameters<Services['audit']['page']>[0]) => {
          asked.push(query);
          return { items: [], next_cursor: '5' };
        },
      } as Overrides['audit'] & object,
    });
    const url =
      '/api/audit?limit=5&cursor=9&operation=block&key=ops&ip_address=%3A%3Affff%3A192.0.2.1&since=2026-11-20T13%3A00%3A00%2B01%3A00';
    const answer = await app.inject({ url, headers: BEARER });
    expect(answer.json()).toEqual({ items: [], next_cursor: '5' });
    expect(asked).toEqual([
      {
        limit: 5,
        cursor: '9',
        operation: 'block',
        key: 'ops',
        ipAddress: '192.0.2.1',
        since: '2026-11-20T12:00:00.000Z',
        until: undefined,
      },
    ]);
  });

  it.each([
    'operation=SELECT%201',
    'operation=unban',
    'since=yesterday',
    'until=2026-02-30T00:00:00Z',
    'ip_address=localhost',
    'key=a%20b',
    'limit=0',
    'order=asc',
  ])('rejects %s', async (query) => {
    const { app } = stubApp();
    expect((await app.inject({ url: `/api/audit?${query}`, headers: BEARER })).statusCode).toBe(400);
  });
});
