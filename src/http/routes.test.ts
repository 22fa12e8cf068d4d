import { describe, expect, test } from 'vitest';
import { BEARER, NOW, RELOAD, REPORT, stubApp } from '../../testkit/http/stub-services.ts';

interface RouteCase {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly body?: object;
  readonly status: number;
  /** The first arguments of the service call; the caller may follow. */
  readonly asked: string;
  readonly args: readonly unknown[];
  readonly answer: object;
}

const entry = (text: string) => expect.objectContaining({ text });
const CALLER = {
  keyName: 'ops',
  requestId: 'abc',
  source: '127.0.0.1',
  receivedAt: expect.any(Number),
  audited: expect.any(Function),
};

const BY_ADDRESS = { by: 'address', descending: false };
const SIGNAL = expect.any(AbortSignal);

const ROUTES: readonly RouteCase[] = [
  {
    method: 'POST',
    url: '/api/blocked-ips',
    body: { ip_address: '::ffff:192.0.2.1', reason: 'scan', blocked_by: 'me', duration_seconds: 60, force: true },
    status: 201,
    asked: 'blockedSet.block',
    args: [
      {
        entry: entry('192.0.2.1'),
        reason: 'scan',
        blockedBy: 'me',
        expiry: { kind: 'duration', seconds: 60 },
        force: true,
      },
      CALLER,
    ],
    answer: { ip_address: '192.0.2.1', blocked_by: 'ops', expires_at: null, ...REPORT },
  },
  {
    method: 'DELETE',
    url: '/api/blocked-ips/10.0.0.0%2F8?source=fail2ban:sshd',
    status: 200,
    asked: 'blockedSet.unblock',
    args: [entry('10.0.0.0/8'), CALLER, { source: 'fail2ban:sshd' }],
    answer: { ip_address: '192.0.2.1' },
  },
  {
    method: 'GET',
    url: '/api/sources',
    status: 200,
    asked: 'sources.list',
    args: [],
    answer: { items: [expect.objectContaining({ name: 'drop', kind: 'list', claims: 2, alone: 1 })] },
  },
  {
    method: 'GET',
    url: '/api/sources/fail2ban:sshd',
    status: 200,
    asked: 'releases.get',
    args: ['fail2ban:sshd'],
    answer: { name: 'drop', claims: 2, release_at: null },
  },
  {
    method: 'PUT',
    url: '/api/sources/drop',
    body: { kind: 'list', note: null },
    status: 201,
    asked: 'releases.put',
    args: ['drop', { kind: 'list', note: null }, CALLER],
    answer: { name: 'drop', kind: 'list' },
  },
  {
    method: 'POST',
    url: '/api/sources/fail2ban:sshd/release',
    body: { after_seconds: 600 },
    status: 200,
    asked: 'releases.release',
    args: ['fail2ban:sshd', 600, CALLER],
    answer: { name: 'fail2ban:sshd', claims: 2 },
  },
  {
    method: 'POST',
    url: '/api/sources/fail2ban:sshd/keep',
    status: 200,
    asked: 'releases.keep',
    args: ['fail2ban:sshd', CALLER],
    answer: { name: 'fail2ban:sshd', claims: 2, kept: true },
  },
  {
    method: 'DELETE',
    url: '/api/sources/drop',
    status: 200,
    asked: 'releases.remove',
    args: ['drop', CALLER],
    answer: { name: 'drop', claims_dropped: 2, removed: 1, ...REPORT },
  },
  {
    method: 'DELETE',
    url: '/api/blocked-ips/10.0.0.0%2F8',
    status: 200,
    asked: 'blockedSet.unblock',
    args: [entry('10.0.0.0/8'), CALLER, { source: undefined }],
    answer: { ip_address: '192.0.2.1', still_blocked_by: ['192.0.2.0/24'], ...REPORT },
  },
  {
    method: 'GET',
    url: '/api/blocked-ips/2001:DB8::1',
    status: 200,
    asked: 'blockedSet.get',
    args: [entry('2001:db8::1')],
    answer: { ip_address: '192.0.2.1', workers: [{ pid: 7, draining: false, holds: null }] },
  },
  {
    method: 'GET',
    url: '/api/blocked-ips?limit=7&q=10.0&expiring=true&cursor=abc',
    status: 200,
    asked: 'blockedSet.list',
    args: [
      {
        order: BY_ADDRESS,
        entries: {},
        limit: 7,
        cursor: 'abc',
        offset: 0,
        q: '10.0',
        text: null,
        expiring: true,
        claimed: null,
        signal: SIGNAL,
      },
    ],
    answer: { total: 1, next_cursor: 'next', items: [expect.objectContaining({ ip_address: '192.0.2.1' })] },
  },
  {
    method: 'GET',
    url: '/api/blocked-ips?text=100%25%20Spam_%5C%C3%A4&offset=500000&expiring=true',
    status: 200,
    asked: 'blockedSet.list',
    args: [
      {
        order: BY_ADDRESS,
        entries: {},
        limit: 100,
        cursor: null,
        offset: 500_000,
        q: null,
        text: '100% Spam_\\ä',
        expiring: true,
        claimed: null,
        signal: SIGNAL,
      },
    ],
    answer: { total: 1 },
  },
  {
    method: 'GET',
    url: '/api/blocked-ips?sort=expires_at&order=desc&family=ipv6&wider_than=48&blocked_since=1d&source=drop&expiring=true',
    status: 200,
    asked: 'blockedSet.list',
    args: [
      {
        order: { by: 'expires_at', descending: true },
        entries: { family: 6, widerThan: 48, blockedSince: new Date('2026-11-19T12:00:00Z') },
        limit: 100,
        cursor: null,
        offset: 0,
        q: null,
        text: null,
        expiring: true,
        claimed: { source: 'drop' },
        signal: SIGNAL,
      },
    ],
    answer: { total: 1 },
  },
  {
    method: 'GET',
    url: '/api/blocked-ips',
    status: 200,
    asked: 'blockedSet.list',
    args: [
      {
        order: BY_ADDRESS,
        entries: {},
        limit: 100,
        cursor: null,
        offset: 0,
        q: null,
        text: null,
        expiring: false,
        claimed: null,
        signal: SIGNAL,
      },
    ],
    answer: { total: 1 },
  },
  {
    method: 'GET',
    url: '/api/check/192.0.2.1',
    status: 200,
    asked: 'blockedSet.check',
    args: [entry('192.0.2.1')],
    answer: { verdict: 'blocked', by: '192.0.2.0/24', enforced: null, workers: [{ pid: 7, verdict: 'blocked' }] },
  },
  {
    method: 'POST',
    url: '/api/blocked-ips/sync',
    status: 200,
    asked: 'blockedSet.sync',
    args: [CALLER, { acceptMapFile: false }],
    answer: { runtime_map_synced: true, total_ips: 2, draining_workers: [{ pid: 7, synced: true }], duration_ms: 12 },
  },
  {
    method: 'GET',
    url: '/api/trusted-ips',
    status: 200,
    asked: 'trustedIps.list',
    args: [],
    answer: {
      items: [{ ip_address: '192.0.2.9', note: null, added_at: NOW.toISOString(), expires_at: null }],
      total: 1,
    },
  },
  {
    method: 'GET',
    url: '/api/trusted-ips/192.0.2.9',
    status: 200,
    asked: 'trustedIps.get',
    args: [entry('192.0.2.9')],
    answer: { ip_address: '192.0.2.9', note: null },
  },
  {
    method: 'PUT',
    url: '/api/trusted-ips/10.0.0.0%2f8',
    body: { note: null },
    status: 201,
    asked: 'trustedIps.put',
    args: [entry('10.0.0.0/8'), { note: null, expiry: { kind: 'keep' } }, CALLER],
    answer: { ip_address: '192.0.2.9', ...REPORT },
  },
  {
    method: 'PUT',
    url: '/api/trusted-ips/10.0.0.1',
    status: 201,
    asked: 'trustedIps.put',
    args: [entry('10.0.0.1'), { expiry: { kind: 'keep' } }, CALLER],
    answer: { ip_address: '192.0.2.9' },
  },
  ...[
    { body: { duration_seconds: 60 }, expiry: { kind: 'duration', seconds: 60 } },
    { body: { expires_at: null }, expiry: { kind: 'permanent' } },
    { body: { expires_at: '2030-01-31T13:00:00+01:00' }, expiry: { kind: 'at', at: new Date('2030-01-31T12:00:00Z') } },
  ].map(({ body, expiry }) => ({
    method: 'PUT' as const,
    url: '/api/trusted-ips/10.0.0.1',
    body,
    status: 201,
    asked: 'trustedIps.put',
    args: [entry('10.0.0.1'), { expiry }, CALLER],
    answer: { ip_address: '192.0.2.9' },
  })),
  {
    method: 'DELETE',
    url: '/api/trusted-ips/192.0.2.9',
    status: 200,
    asked: 'trustedIps.remove',
    args: [entry('192.0.2.9'), CALLER],
    answer: { ip_address: '192.0.2.9', ...REPORT },
  },
  {
    method: 'GET',
    url: '/api/sites',
    status: 200,
    asked: 'sites.list',
    args: [],
    answer: { total: 1, items: [expect.objectContaining({ domain: 'a.example' })] },
  },
  {
    method: 'GET',
    url: '/api/sites/A.example',
    status: 200,
    asked: 'sites.get',
    args: ['a.example'],
    answer: { domain: 'a.example', servers: [{ address: '10.0.0.1', port: 80, options: { check: true } }] },
  },
  {
    method: 'PUT',
    url: '/api/sites/A.example',
    body: { servers: [{ address: 'App.Internal', port: 8080, options: { weight: 3 } }] },
    status: 200,
    asked: 'sites.put',
    args: [
      {
        domain: 'a.example',
        servers: [{ address: 'app.internal', port: 8080, options: { check: true, weight: 3 } }],
        names: [],
        canonical: null,
        enabled: true,
        redirect: null,
      },
      { replace: false },
      CALLER,
    ],
    answer: { domain: 'a.example', reload: RELOAD },
  },
  {
    method: 'DELETE',
    url: '/api/sites/a.example?replace_configuration=true',
    status: 200,
    asked: 'sites.remove',
    args: ['a.example', { replace: true }, CALLER],
    answer: { domain: 'a.example', reload: RELOAD },
  },
  {
    method: 'GET',
    url: '/api/sites/a.example/servers',
    status: 200,
    asked: 'sites.servers',
    args: ['a.example'],
    answer: {
      items: [{ address: '10.0.0.1', port: 80, status: 'UP', check: 'L4OK', resolved_address: '10.0.0.1:80' }],
    },
  },
  {
    method: 'POST',
    url: '/api/config/reload?replace_configuration=true',
    status: 200,
    asked: 'configuration.reload',
    args: [{ replace: true }, CALLER],
    answer: RELOAD,
  },
  {
    method: 'GET',
    url: '/api/config',
    status: 200,
    asked: 'configuration.current',
    args: [],
    answer: { text: 'global\n', sha256: 'ab', path: '/etc/proxy/proxy.cfg' },
  },
  {
    method: 'POST',
    url: '/api/config/validate',
    status: 200,
    asked: 'configuration.validate',
    args: [CALLER],
    answer: { valid: false, output: '[ALERT]', sha256: 'ab' },
  },
  {
    method: 'GET',
    url: '/api/config/diff',
    status: 200,
    asked: 'configuration.diff',
    args: [null],
    answer: { changed: true, diff: '-a\n+b\n' },
  },
  {
    method: 'GET',
    url: '/api/config/diff?backup=b1',
    status: 200,
    asked: 'configuration.diff',
    args: ['b1'],
    answer: { changed: true, diff: '-a\n+b\n' },
  },
  {
    method: 'GET',
    url: '/api/config/reloads?limit=5',
    status: 200,
    asked: 'configuration.reloads',
    args: [{ limit: 5, cursor: null }],
    answer: { items: [expect.objectContaining({ id: 'r1', status: 'refused' })], next_cursor: null },
  },
  {
    method: 'GET',
    url: '/api/config/reloads/r1',
    status: 200,
    asked: 'configuration.reloadRecord',
    args: ['r1'],
    answer: { id: 'r1', status: 'refused', validation_output: 'ok' },
  },
  {
    method: 'GET',
    url: '/api/config/backups',
    status: 200,
    asked: 'configuration.backups',
    args: [],
    answer: { items: [expect.objectContaining({ id: 'b1', created_at: NOW.toISOString() })] },
  },
  {
    method: 'POST',
    url: '/api/config/backups/2026-11-20T12:00:00.000Z-1/restore',
    status: 200,
    asked: 'configuration.restore',
    args: ['2026-11-20T12:00:00.000Z-1', CALLER],
    answer: RELOAD,
  },
  {
    method: 'GET',
    url: '/api/keys',
    status: 200,
    asked: 'keys.list',
    args: [],
    answer: { items: [expect.objectContaining({ name: 'ops', scopes: ['admin'] })] },
  },
  {
    method: 'PUT',
    url: '/api/keys/ci/source',
    body: { source: 'fail2ban' },
    status: 200,
    asked: 'keys.bind',
    args: ['ci', 'fail2ban', CALLER],
    answer: { name: 'ci', source: 'fail2ban', claims_moved: 2 },
  },
  {
    method: 'POST',
    url: '/api/keys',
    body: { name: 'ci', scopes: ['block'], expires_at: '2030-01-01T00:00:00+01:00' },
    status: 201,
    asked: 'keys.create',
    args: [{ name: 'ci', scopes: ['block'], expiresAt: new Date('2029-12-31T23:00:00Z') }, CALLER],
    answer: { key: 'secret', name: 'ops' },
  },
  {
    method: 'DELETE',
    url: '/api/keys/ci',
    status: 200,
    asked: 'keys.revoke',
    args: ['ci', CALLER],
    answer: { name: 'ops', revoked_at: NOW.toISOString() },
  },
  { method: 'GET', url: '/health', status: 200, asked: 'health.health', args: [], answer: { status: 'ok' } },
];

describe('every route', () => {
  test.each(ROUTES)('$method $url calls $asked and returns $status', async (route) => {
    const stub = stubApp();
    let given: unknown;
    stub.app.addHook('preSerialization', async (_request, _reply, payload) => {
      given = payload;
      return payload;
    });
    const response = await stub.app.inject({
      method: route.method,
      url: route.url,
      headers: { ...BEARER, 'x-request-id': 'abc' },
      ...(route.body === undefined ? {} : { payload: route.body }),
    });
    expect({ status: response.statusCode, body: response.json() }).toEqual({
      status: route.status,
      body: expect.objectContaining(route.answer),
    });
    // The serialiser silently omits fields that the schema lacks.
    expect(response.json()).toEqual(JSON.parse(JSON.stringify(given)));
    expect(response.headers['content-type']).toMatch(/^application\/json/);
    expect(stub.calls).toEqual([{ method: route.asked, args: route.args }]);
  });

  test('returns counts and pids as integers, whatever the service computed', async () => {
    const sync = async () => ({
      runtime_map_synced: false,
      total_ips: 3,
      added: 0,
      removed: 0,
      missing_ips: ['192.0.2.7'],
      unexpected_ips: [],
      wrong_value_ips: [],
      duplicate_ips: [],
      draining_workers: [{ pid: 7, synced: false, reason: 'no answer' }],
      map_file_updated: true,
      reload_scheduled: true,
      duration_ms: 12.75,
      reason: 'the map could not be read',
    });
    const { app } = stubApp({ blockedSet: { sync } });
    const response = await app.inject({ method: 'POST', url: '/api/blocked-ips/sync', headers: BEARER });
    expect(response.statusCode).toBe(207);
    expect(response.json()).toEqual({ ...(await sync()), duration_ms: 12 });
  });

  test('lists entries with their hits, and reads them in advance only for an order or a filter of hits', async () => {
    const hits = { last_24h: 3, last_30d: null, total: 9, first_hit: null, last_hit: NOW.toISOString() };
    const stub = stubApp({ insight: { hitsOf: async (entries: object[]) => entries.map(() => hits) } });
    for (const [url, snapshots] of [
      ['/api/blocked-ips?spark=true', 0],
      ['/api/blocked-ips?sort=hits&order=desc', 1],
      ['/api/blocked-ips?hit_within=24h', 2],
    ] as const) {
      const response = await stub.app.inject({ url, headers: BEARER });
      expect(response.json().items[0]).toMatchObject({ hits });
      expect(stub.calls.filter(({ method }) => method === 'insight.hitSnapshot')).toHaveLength(snapshots);
    }
    const wrong = await stub.app.inject({ url: '/api/blocked-ips?hit_within=401d', headers: BEARER });
    expect({ status: wrong.statusCode, text: wrong.body }).toMatchObject({
      status: 400,
      text: expect.stringContaining('at most 400d'),
    });
    const both = await stub.app.inject({ url: '/api/blocked-ips?hit_within=1d&text=a', headers: BEARER });
    expect(both.statusCode).toBe(400);
  });

  test('returns 200 if the address is already blocked', async () => {
    const { app } = stubApp({
      blockedSet: {
        block: async () => ({
          created: false,
          answer: {
            ip_address: '192.0.2.1',
            reason: null,
            blocked_by: null,
            blocked_at: NOW.toISOString(),
            expires_at: null,
            overridden_by: ['192.0.2.0/24'],
            trusted_inside: ['192.0.2.1'],
            runtime_map_updated: false,
            runtime_map_failures: [
              { ip_address: '192.0.2.1', worker: null, command: 'add map', responses: ['\n'], reason: 'refused' },
            ],
            runtime_map_failures_total: 1,
            reload_scheduled: true,
          },
        }),
      },
    });
    const response = await app.inject({
      method: 'POST',
      url: '/api/blocked-ips',
      headers: BEARER,
      payload: { ip_address: '192.0.2.1' },
    });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({
      blocked_by: null,
      overridden_by: ['192.0.2.0/24'],
      trusted_inside: ['192.0.2.1'],
      runtime_map_failures: [
        { ip_address: '192.0.2.1', worker: null, command: 'add map', responses: ['\n'], reason: 'refused' },
      ],
      runtime_map_failures_total: 1,
    });
  });
});
