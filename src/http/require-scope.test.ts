import { describe, expect, test } from 'vitest';
import { routeAccess } from '../../testkit/http/route-access.ts';
import { stubApp } from '../../testkit/http/stub-services.ts';
import { listWebhooks } from '../api/webhooks.ts';
import { grants, type Scope, scopes } from '../domain/scope.ts';
import { handle } from './handle.ts';
import { panelPages } from './panel-pages.ts';

/** Each scope is also a key with only this scope. */
const scoped = () =>
  stubApp({
    keys: { authenticate: async (key: string) => ({ name: `the-${key}`, scopes: key === 'none' ? [] : [key] }) },
  });
const as = (scope: string) => ({ authorization: `Bearer ${scope}` });
const json = { 'content-type': 'application/json' };

/** Need `admin` too, unless the key is bound to the source. */
const ofOneSource = [
  'PUT /api/blocked-ips',
  'DELETE /api/blocked-ips',
  'POST /api/sources/:name/release',
  'POST /api/sources/:name/keep',
];

const rows = Object.entries(routeAccess).map(([route, access]) => {
  const [method = '', pattern = ''] = route.split(' ');
  const url = pattern
    .replace(':ip_address', '192.0.2.1')
    .replace(':domain', 'a.example')
    .replace(/:[a-z]+/, 'one');
  return { route, method, pattern, url, access };
});

describe('every operation and its scope', () => {
  test('is a route of the service', async () => {
    const { app } = stubApp();
    await app.ready();
    for (const { method, pattern } of rows) {
      expect({ method, pattern, there: app.hasRoute({ method: method as 'GET', url: pattern }) }).toEqual({
        method,
        pattern,
        there: true,
      });
    }
  });

  test('must be declared, or the start fails', async () => {
    const { app } = stubApp();
    expect(() => app.get('/api/forgotten', async () => 'without a key')).toThrow(
      /GET \/api\/forgotten is no operation/,
    );
    expect(() => app.post('/livez', { config: { open: true } }, async () => 'without a key')).toThrow(/no operation/);
    const inAScope = stubApp().app;
    inAScope.register(async (scope) => void scope.put('/api/keys', async () => 'without a key'));
    await expect(inAScope.ready()).rejects.toThrow(/PUT \/api\/keys is no operation/);
  });

  test('must be in the list of all operations', () => {
    const { app } = stubApp();
    const unlisted = { ...listWebhooks, id: 'unlisted', path: '/api/unlisted' };
    expect(() => handle(app, unlisted, async () => ({ items: [] }))).toThrow(/unlisted is missing in .*operations\.ts/);
  });

  test('needs a key, except the two probes, the API document and the files of the panel', () => {
    expect(rows.filter(({ access }) => access === 'open').map(({ route }) => route)).toEqual([
      ...panelPages.map((page) => `GET ${page}`),
      'GET /assets/:name',
      'GET /livez',
      'GET /readyz',
      'GET /openapi.json',
      'GET /docs',
    ]);
  });

  test('allows read to change only its own session and what it has read, and to see neither configuration nor keys, and block what fail2ban needs', () => {
    const needing = (scope: string) => rows.filter(({ access }) => access === scope).map(({ route }) => route);
    for (const route of needing('read'))
      expect(route).toMatch(
        /^(GET (?!\/api\/(config|keys))|(POST|DELETE) \/api\/session$|POST \/api\/client-address$|PUT \/api\/notices\/read$)/,
      );
    expect(needing('block')).toEqual([
      'POST /api/blocked-ips',
      'DELETE /api/blocked-ips/:ip_address',
      'PUT /api/blocked-ips',
      'POST /api/blocked-ips/batch',
      'POST /api/blocked-ips/sync',
      'DELETE /api/blocked-ips',
      'PUT /api/insight/candidates/:ip_address',
      'POST /api/sources/:name/release',
      'POST /api/sources/:name/keep',
    ]);
  });

  test('has the same scope in the OpenAPI document', async () => {
    const seen: Record<string, unknown> = {};
    const { app } = stubApp();
    app.addHook('onRequest', async (request) => {
      const { operation, open } = request.routeOptions.config;
      seen[`${request.method} ${request.routeOptions.url}`] = open === true ? 'open' : operation?.access;
    });
    for (const { method, url } of rows) await app.inject({ method: method as 'GET', url, headers: as('right-key') });
    expect(seen).toEqual(routeAccess);
  });
});

test.each([
  { what: 'a complete set', method: 'PUT', url: '/api/blocked-ips', payload: '192.0.2.1\n' },
  { what: 'a release', method: 'POST', url: '/api/sources/drop/release', payload: '{"after_seconds":5}' },
  { what: 'a keep', method: 'POST', url: '/api/sources/drop/keep', payload: undefined },
])('$what needs admin, or a key that is bound to its source', async ({ method, url, payload }) => {
  const authenticate = async (key: string) => {
    const [scope = '', source] = key.split('-');
    return { name: key, scopes: [scope], ...(source !== undefined && { source }) };
  };
  const { app, calls } = stubApp({ keys: { authenticate } });
  const statusAs = async (key: string) =>
    (
      await app.inject({
        method: method as 'PUT',
        url,
        headers: {
          ...as(key),
          ...(payload !== undefined && { 'content-type': payload.startsWith('{') ? 'application/json' : 'text/plain' }),
        },
        ...(payload !== undefined && { payload }),
      })
    ).statusCode;
  expect(await Promise.all(['read', 'block', 'read-drop', 'block-manual'].map(statusAs))).toEqual([403, 403, 403, 403]);
  expect(calls).toEqual([]);
  expect(await Promise.all(['admin', 'block-drop'].map(statusAs))).toEqual([200, 200]);
});

describe.each([...scopes, 'none'])('a key with the scope %s', (held) => {
  const { app, calls } = scoped();
  test.each(rows.filter(({ route, access }) => access !== 'open' && !ofOneSource.includes(route)))(
    'may call $route, or gets 403 with the missing scope',
    async ({ method, url, access }) => {
      const needed = access as Scope;
      calls.length = 0;
      const response = await app.inject({ method: method as 'GET', url, headers: as(held) });
      if (grants([held], needed)) {
        expect(response.statusCode).not.toBe(403);
        expect(response.statusCode).not.toBe(401);
        return;
      }
      expect(response.statusCode).toBe(403);
      expect(response.json()).toMatchObject({
        code: 403,
        kind: 'Authorization',
        missing_scope: needed,
        detail: `this request needs the scope ${needed}, but the key the-${held} has ${held === 'none' ? 'no scope' : `only ${held}`}; use a key with the scope ${needed}`,
      });
      expect(response.headers['www-authenticate']).toBe(`Bearer error="insufficient_scope", scope="${needed}"`);
      expect(calls).toEqual([]);
    },
  );

  test('is checked for HEAD as for GET', async () => {
    for (const { url, access } of rows.filter(({ method }) => method === 'GET')) {
      const { statusCode } = await app.inject({ method: 'HEAD', url, headers: as(held) });
      expect({ url, refused: statusCode === 403 }).toEqual({
        url,
        refused: access !== 'open' && !grants([held], access),
      });
    }
  });
});

describe('a part of a request that needs a higher scope than its route', () => {
  const block = { ip_address: '192.0.2.1' };

  test('requires admin to force a block over trust', async () => {
    const { app, calls } = scoped();
    const refused = await app.inject({
      method: 'POST',
      url: '/api/blocked-ips',
      headers: as('block'),
      payload: { ...block, force: true },
    });
    expect(refused.statusCode).toBe(403);
    expect(refused.json()).toMatchObject({ missing_scope: 'admin', detail: expect.stringMatching(/^force needs/) });
    expect(calls).toEqual([]);
    const plain = { ...block, force: false };
    const taken = await app.inject({ method: 'POST', url: '/api/blocked-ips', headers: as('block'), payload: plain });
    expect(taken.statusCode).toBe(201);
  });

  test('rejects a complete batch if an element uses force', async () => {
    const { app, calls } = scoped();
    const batch = (scope: string, force: boolean) =>
      app.inject({
        method: 'POST',
        url: '/api/blocked-ips/batch',
        headers: { ...as(scope), ...json },
        payload: JSON.stringify({ add: ['192.0.2.7', { ip_address: 'not one', force }, block] }),
      });
    const refused = await batch('block', true);
    expect(refused.statusCode).toBe(403);
    expect(refused.json()).toMatchObject({ missing_scope: 'admin' });
    expect(calls).toEqual([]);
    expect((await batch('block', false)).statusCode).toBe(200);
    expect((await batch('admin', true)).statusCode).toBe(200);
  });

  test('needs admin to unblock with trust, and reads the time', async () => {
    const { app, calls } = scoped();
    const send = (scope: string, time: string) =>
      app.inject({ method: 'DELETE', url: `/api/blocked-ips/192.0.2.7?trust_for=${time}`, headers: as(scope) });
    const refused = await send('block', '7d');
    expect(refused.statusCode).toBe(403);
    expect(refused.json()).toMatchObject({ missing_scope: 'admin', detail: expect.stringMatching(/^trust_for needs/) });
    const unread = await send('admin', 'soon');
    expect([unread.statusCode, unread.json().code]).toEqual([400, 104]);
    expect(calls).toEqual([]);
    expect((await send('admin', '7d')).statusCode).toBe(200);
    expect(calls).toHaveLength(1);
  });

  test.each([
    ['POST', '/api/blocked-ips', { ...block, allow_wide: true }],
    ['POST', '/api/blocked-ips?allow_wide=true', block],
    ['POST', '/api/blocked-ips/batch', { add: ['192.0.2.7', { ...block, allow_wide: true }] }],
    ['POST', '/api/blocked-ips/batch?allow_wide=true', { add: ['192.0.2.7'] }],
    ['POST', '/api/blocked-ips/batch?allow_wide=true&dry_run=true', { add: ['192.0.2.7'] }],
  ] as const)('%s %s with %j needs admin for wide networks', async (method, url, payload) => {
    const { app, calls } = scoped();
    const send = (scope: string) => app.inject({ method, url, headers: { ...as(scope), ...json }, payload });
    const refused = await send('block');
    expect(refused.statusCode).toBe(403);
    expect(refused.json()).toMatchObject({
      missing_scope: 'admin',
      detail: expect.stringMatching(/^allow_wide needs/),
    });
    expect(calls).toEqual([]);
    expect((await send('admin')).statusCode).toBeLessThan(300);
  });

  test('requires admin to accept the map file of another database', async () => {
    const { app, calls } = scoped();
    const sync = (scope: string, query: string) =>
      app.inject({ method: 'POST', url: `/api/blocked-ips/sync${query}`, headers: as(scope) });
    expect((await sync('block', '?accept_map_file=true')).statusCode).toBe(403);
    expect(calls).toEqual([]);
    expect((await sync('block', '')).statusCode).toBe(200);
    expect((await sync('admin', '?accept_map_file=true')).statusCode).toBe(200);
  });
});

test('an unknown scope allows nothing, and a new key can only have known scopes', async () => {
  const { app, calls } = stubApp();
  for (const wrong of [['root'], ['read', 'Admin'], [], ['read', 'read'], 'admin', [null]]) {
    const payload = { name: 'new', scopes: wrong };
    const refused = await app.inject({ method: 'POST', url: '/api/keys', headers: as('right-key'), payload });
    expect({ wrong, status: refused.statusCode }).toEqual({ wrong, status: 400 });
    expect(refused.json().detail).toContain('read, block, admin');
  }
  expect(calls).toEqual([]);
});
