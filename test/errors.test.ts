// Raises each error of the catalogue and reads it as problem details and as both messages of `errors.v1`.

import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromBinary } from '@bufbuild/protobuf';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtInTemplate } from '../src/configuration/template/builtin-template.ts';
import { ApiErrorSchema, ErrSchema } from '../src/errors/gen/errors/v1/errors_pb.ts';
import { eventually } from '../testkit/conditions.ts';
import { describeOnOneProxy } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly key?: string | null;
  readonly from?: string;
}

interface Raw {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

interface Expected {
  readonly status: number;
  readonly code: number;
  readonly kind: string;
  readonly says: RegExp;
  readonly field?: string;
  readonly retryAfter?: boolean;
}

function send(service: RealService, accept: string, request: Request): Promise<Raw> {
  const headers: Record<string, string> = { accept };
  const key = request.key === undefined ? service.key : request.key;
  if (key !== null) headers.authorization = `Bearer ${key}`;
  if (request.body !== undefined) headers['content-type'] = request.contentType ?? 'application/json';
  const { method, path, from } = request;
  const where = { host: '127.0.0.1', port: service.apiPort, localAddress: from ?? '127.0.0.1', agent: false };
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ ...where, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    sent.once('error', reject);
    sent.end(request.body);
  });
}

async function expectError(service: RealService, request: Request, expected: Expected): Promise<void> {
  const { status, code, kind, says, field } = expected;
  // Concurrently, so that they share their work (a reload, a group of changes).
  const [problem, api, domain] = await Promise.all([
    send(service, 'application/json', request),
    send(service, 'application/x-protobuf', request),
    send(service, 'application/x-protobuf; messageType="errors.v1.Err"', request),
  ]);
  const document = JSON.parse(problem.body.toString('utf8'));
  expect([document.code, document.detail], JSON.stringify(document)).toEqual([code, expect.stringMatching(says)]);
  expect(problem.status).toBe(status);
  expect(problem.headers['content-type']).toBe('application/problem+json');
  expect(document).toMatchObject({
    type: `urn:proxy-manager:error:${code}`,
    status,
    kind,
    title: expect.any(String),
    op: expect.any(String),
    request_id: problem.headers['x-request-id'],
  });
  if (field === undefined) expect(Array.isArray(document.errors)).toBe(true);
  else expect(document.errors).toContainEqual({ name: field, description: expect.any(String) });

  expect(api.headers['content-type']).toBe('application/x-protobuf; messageType="errors.v1.ApiError"');
  const apiError = fromBinary(ApiErrorSchema, api.body);
  expect(apiError).toMatchObject({
    status,
    apiError: { kind, op: document.op, message: expect.stringMatching(says) },
  });
  if (field !== undefined) {
    expect(apiError.apiError?.details?.requestFields.map(({ name }) => name)).toContain(field);
  }

  expect(domain.headers['content-type']).toBe('application/x-protobuf; messageType="errors.v1.Err"');
  const err = fromBinary(ErrSchema, domain.body);
  expect(err).toMatchObject({ code, op: document.op, msg: expect.stringMatching(says) });
  expect(err.wrapped.case).toBeDefined();

  for (const { status: seen, headers } of [problem, api, domain]) {
    expect(seen).toBe(status);
    expect(headers['cache-control']).toBe('no-store');
    if (expected.retryAfter === true) expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    else expect(headers['retry-after']).toBeUndefined();
    if (status === 401) expect(headers['www-authenticate']).toBe('Bearer');
  }
}

describeOnOneProxy('an error of the API', ({ bin }) => {
  let folder: string;
  let template: string;
  let service: RealService;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pm-template-'));
    template = join(folder, 'proxy.liquid');
    await writeFile(template, builtInTemplate);
    service = await RealService.start({ bin, environment: { PROXY_MANAGER_TEMPLATE: template } });
    await service.call('PUT', '/api/trusted-ips/198.51.100.0%2F24', { body: {} });
    await service.call('POST', '/api/keys', { body: { name: 'taken' } });
    const many = Array.from({ length: 150 }, (_, index) => `203.0.113.${index}`).join('\n');
    await service.call('PUT', '/api/blocked-ips', { raw: many, contentType: 'text/plain' });
  });
  afterAll(async () => {
    await service?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const json = (value: unknown) => JSON.stringify(value);
  const block = (value: unknown): Request => ({ method: 'POST', path: '/api/blocked-ips', body: json(value) });
  const get = (path: string): Request => ({ method: 'GET', path });

  it.each<readonly [string, Request, Expected]>([
    [
      'an address that is none',
      block({ ip_address: '10.0.0.1/8' }),
      { status: 400, code: 101, kind: 'Parameter', says: /10\.0\.0\.0\/8/, field: 'ip_address' },
    ],
    [
      'an address of a path that is none',
      get('/api/blocked-ips/01.2.3.4'),
      { status: 400, code: 101, kind: 'Parameter', says: /01\.2\.3\.4/ },
    ],
    [
      'fields that are wrong',
      get('/api/blocked-ips?limit=0'),
      { status: 400, code: 100, kind: 'Parameter', says: /limit/, field: 'limit' },
    ],
    [
      'a field that is unknown',
      block({ ip_address: '192.0.2.1', colour: 'red' }),
      { status: 400, code: 103, kind: 'Parameter', says: /colour/ },
    ],
    [
      'a body that is no JSON',
      { ...block({}), body: '{' },
      { status: 400, code: 102, kind: 'Parameter', says: /JSON/ },
    ],
    [
      'a time that is past',
      block({ ip_address: '192.0.2.1', expires_at: '2001-01-01T00:00:00Z' }),
      { status: 400, code: 104, kind: 'Parameter', says: /expires_at/, field: 'expires_at' },
    ],
    [
      'a domain that is none',
      get('/api/sites/a..b'),
      { status: 400, code: 105, kind: 'Parameter', says: /domain/, field: 'domain' },
    ],
    [
      'a server that is none',
      { method: 'PUT', path: '/api/sites/a.example', body: json({ servers: [{ address: 'a b', port: 80 }] }) },
      { status: 400, code: 106, kind: 'Parameter', says: /servers\[0\]/, field: 'servers[0].address' },
    ],
    [
      'a cursor of the list that is none',
      get('/api/blocked-ips?cursor=made-up'),
      { status: 400, code: 107, kind: 'Parameter', says: /cursor/, field: 'cursor' },
    ],
    [
      'a cursor of the history that is none',
      get('/api/config/reloads?cursor=made-up'),
      { status: 400, code: 107, kind: 'Parameter', says: /cursor/, field: 'cursor' },
    ],
    [
      'unexpected request body',
      { method: 'POST', path: '/api/config/reload', body: '{}' },
      { status: 400, code: 108, kind: 'Parameter', says: /must not have a body/ },
    ],
    [
      'no key',
      { ...get('/health'), key: null },
      { status: 401, code: 401, kind: 'Authentication', says: /valid API key/ },
    ],
    [
      'a wrong key',
      { ...get('/health'), key: 'wrong' },
      { status: 401, code: 401, kind: 'Authentication', says: /valid API key/ },
    ],
    ['no endpoint', get('/api/nothing'), { status: 404, code: 404, kind: 'Search', says: /nothing/ }],
    ['no row', get('/api/blocked-ips/192.0.2.77'), { status: 404, code: 1100, kind: 'Search', says: /192\.0\.2\.77/ }],
    ['no site', get('/api/sites/absent.example'), { status: 404, code: 1100, kind: 'Search', says: /absent/ }],
    [
      'no backup',
      { method: 'POST', path: '/api/config/backups/x/restore' },
      { status: 404, code: 1100, kind: 'Search', says: /backup/ },
    ],
    [
      'a method that is not taken',
      { method: 'PATCH', path: '/api/blocked-ips' },
      { status: 405, code: 6011, kind: 'Protocol', says: /PATCH/ },
    ],
    [
      'an address under trust',
      block({ ip_address: '198.51.100.7' }),
      { status: 409, code: 6007, kind: 'State', says: /198\.51\.100/ },
    ],
    [
      'a set that would shrink by more than half',
      { method: 'PUT', path: '/api/blocked-ips', body: '203.0.113.1\n', contentType: 'text/plain' },
      { status: 409, code: 6006, kind: 'State', says: /allow_shrink/ },
    ],
    [
      'a key’s name that is taken',
      { method: 'POST', path: '/api/keys', body: json({ name: 'taken' }) },
      { status: 409, code: 1002, kind: 'Integrity', says: /taken/ },
    ],
    [
      'a body that is too large',
      { ...block({ ip_address: '192.0.2.1', reason: 'x'.repeat(1_100_000) }) },
      { status: 413, code: 6000, kind: 'Limit', says: /larger/ },
    ],
    [
      'a body of another type',
      { ...block({}), contentType: 'application/x-www-form-urlencoded' },
      { status: 415, code: 6009, kind: 'Protocol', says: /application\/json/ },
    ],
  ])('describes the error of %s', async (_what, request, expected) => {
    await expectError(service, request, expected);
  });

  it.each([
    ['HAProxy', builtInTemplate.replace('retries 3', 'no-such-keyword'), 5002, /no-such-keyword/],
    ['the template language', `${builtInTemplate}{{ no_such_variable }}\n`, 5001, /no_such_variable/],
    ['the check for the rule', builtInTemplate.replace(/^ *http-request deny .*$/m, ''), 5003, /blocked map/],
  ])('reports a configuration that %s refuses', async (_who, text, code, says) => {
    await writeFile(template, text);
    const reload = { method: 'POST', path: '/api/config/reload' };
    await expectError(service, reload, { status: 422, code, kind: 'Configuration', says });
    await writeFile(template, builtInTemplate);
  });

  it('reports too many wrong keys, and never to a valid key', async () => {
    const from = '127.0.0.77';
    const wrong = { ...get('/health'), key: 'wrong', from };
    for (let guess = 0; guess < 20; guess += 1) expect((await send(service, '*/*', wrong)).status).toBe(401);
    await expectError(service, wrong, {
      status: 429,
      code: 6001,
      kind: 'Limit',
      says: /retry in \d+ seconds/,
      retryAfter: true,
    });
    expect((await send(service, '*/*', { ...get('/api/sites'), from })).status).toBe(200);
    expect((await send(service, '*/*', { ...get('/health'), key: 'wrong', from: '127.0.0.78' })).status).toBe(401);
  });

  it('reports a database that another process has locked, for each operation, and changes nothing', async () => {
    const other = new Database(service.paths.database);
    other.exec('BEGIN IMMEDIATE');
    const unusable = { status: 503, code: 6003, kind: 'Storage', says: /database/, retryAfter: true } as const;
    try {
      await expectError(service, block({ ip_address: '192.0.2.50' }), unusable);
      expect((await service.call('POST', '/api/keys', { body: { name: 'late' } })).body).toMatchObject({ code: 6003 });
    } finally {
      other.exec('ROLLBACK');
      other.close();
    }
    expect((await service.fileEntries()).filter((line) => line.startsWith('192.0.2.50 '))).toEqual([]);
    expect((await service.call('GET', '/api/blocked-ips/192.0.2.50')).status).toBe(404);
    expect((await service.block('192.0.2.50')).status).toBe(201);
  });

  it('reports a site that cannot be stored, and removes it from HAProxy', async () => {
    const live = (await service.call('GET', '/api/config')).body['text'];
    const other = new Database(service.paths.database);
    other.exec('BEGIN IMMEDIATE');
    const servers = [{ address: '127.0.0.1', port: 9 }];
    try {
      const refused = await service.call('PUT', '/api/sites/unstored.example', { body: { servers } });
      expect(refused.status).toBe(503);
      expect(refused.body).toMatchObject({ code: 6003, restored: true });
      expect(refused.body['detail']).toMatch(/the last known good configuration is back in force/);
    } finally {
      other.exec('ROLLBACK');
      other.close();
    }
    expect((await service.call('GET', '/api/config')).body['text']).toBe(live);
    expect(await service.visit('127.0.0.1', { host: 'unstored.example' })).toBe(404);
    expect((await service.call('GET', '/api/sites/unstored.example')).status).toBe(404);
  });

  it('reports a map file that cannot be written, and recovers when it can', async () => {
    const { blockedMap } = service.paths;
    const namesItOnce = /^(?!.*map file.*map file).*map file/i;
    await rename(blockedMap, `${blockedMap}.aside`);
    await mkdir(blockedMap);
    const unusable = { status: 503, code: 6004, kind: 'Storage', says: namesItOnce, retryAfter: true } as const;
    try {
      await expectError(service, block({ ip_address: '192.0.2.60' }), unusable);
      await expectError(service, { method: 'POST', path: '/api/blocked-ips/sync' }, unusable);
      await expectError(service, { method: 'POST', path: '/api/config/reload' }, unusable);
      expect((await service.health()).body).toMatchObject({
        status: 'degraded',
        map_file: { status: 'behind', reason: expect.not.stringContaining('map file') },
      });
    } finally {
      await rm(blockedMap, { recursive: true });
    }
    await eventually('it is written again', async () => (await service.block('192.0.2.60')).status < 300);
    await service.healthy();
    expect(await service.fileEntries()).toContain('192.0.2.60 1');
  });

  it('reports a reload that HAProxy refused, and the configuration in force', async () => {
    // `-c` accepts a port in use; the reload fails.
    const taken = `${builtInTemplate}\nfrontend second\n    bind 127.0.0.1:${service.apiPort}\n    http-request deny deny_status 403 if { src,map_ip({{ blocked_map }},0) -m int gt 0 }\n`;
    await writeFile(template, taken);
    const before = (await service.call('GET', '/api/config')).body['text'];
    await expectError(
      service,
      { method: 'POST', path: '/api/config/reload' },
      { status: 503, code: 6005, kind: 'Reload', says: /last known good/, retryAfter: true },
    );
    await writeFile(template, builtInTemplate);
    expect((await service.call('GET', '/api/config')).body['text']).toBe(before);
    await service.healthy();
  });
});

describeOnOneProxy('without a running proxy', ({ bin }) => {
  let service: RealService;
  beforeAll(async () => {
    service = await RealService.start({ bin, supervise: false });
  });
  afterAll(() => service?.stop());

  it('answers a reload and a site with 503, and does not store the site', async () => {
    const gone = { status: 503, code: 3002, kind: 'External', says: /not confirmed/, retryAfter: true } as const;
    await expectError(service, { method: 'POST', path: '/api/config/reload' }, gone);
    const servers = [{ address: '127.0.0.1', port: 80 }];
    const put = { method: 'PUT', path: '/api/sites/a.example', body: JSON.stringify({ servers }) };
    await expectError(service, put, gone);
    expect((await service.call('GET', '/api/sites')).body['total']).toBe(0);
    expect((await service.call('GET', '/api/config')).body['text']).not.toContain('a.example');
  });

  it('stores a block, reports its health as down, and stays alive and ready', async () => {
    const health = await service.health();
    expect(health.status).toBe(503);
    expect(health.body).toMatchObject({
      status: 'down',
      database: { status: 'ok' },
      master_socket: { status: 'down' },
      workers: { current: null, draining: [] },
      map_file: { status: 'ok' },
    });
    expect((await service.block('192.0.2.1')).body).toMatchObject({ runtime_map_updated: false });
    expect(await service.fileEntries()).toEqual(['192.0.2.1 1']);
    const [alive, ready] = await Promise.all(
      ['/livez', '/readyz'].map((path) => service.call('GET', path, { key: null })),
    );
    expect([alive?.status, alive?.text, ready?.status, ready?.text]).toEqual([200, 'alive', 200, 'ready']);
  });
});
