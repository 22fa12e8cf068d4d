import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../testkit/conditions.ts';
import { describeOnOneProxy } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';

/** Another layer could read these as a second command, line, word, value or spelling. */
const hostile: readonly (readonly [what: string, text: string])[] = [
  ['a newline', '192.0.2.1\n@1 clear map #0'],
  ['a carriage return', '192.0.2.1\r\n192.0.2.2 1'],
  ['a semicolon', '192.0.2.1;@1 shutdown'],
  ['a payload mark', '192.0.2.1 <<'],
  ['a second word', '192.0.2.1 1'],
  ['a NUL', '192.0.2.1\u0000'],
  ['a double quote', 'a"b.example'],
  ['a single quote', "a'b.example"],
  ['a template', '{{ blocked_map }}'],
  ['a tag of the template', '{% raw %}'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: HAProxy expands it in a configuration, JavaScript must not
  ['an environment variable', '${HOME}'],
  ['a comment', 'a#b'],
  ['a backslash', 'a\\b.example'],
  ['Unicode digits', '１９２.0.2.1'],
  ['a look-alike', 'ехample.com'],
  ['a line separator', 'a\u2028b'],
  ['a path', '../../etc/passwd'],
  ['a zone', 'fe80::1%eth0'],
  ['an object’s own name', '__proto__'],
  ['nothing', ''],
  ['a very long text', 'a'.repeat(5_000)],
];

const objects: readonly unknown[] = [null, true, 3_221_225_985, ['192.0.2.1'], { $ne: null }];

/** Every field that reaches a command, a map or the configuration. `value` may be of any type. */
const structured: readonly (readonly [field: string, method: string, path: string, body: (v: unknown) => unknown])[] = [
  ['ip_address', 'POST', '/api/blocked-ips', (v) => ({ ip_address: v })],
  ['expires_at', 'POST', '/api/blocked-ips', (v) => ({ ip_address: '192.0.2.1', expires_at: v ?? 'x' })],
  ['duration_seconds', 'POST', '/api/blocked-ips', (v) => ({ ip_address: '192.0.2.1', duration_seconds: String(v) })],
  ['force', 'POST', '/api/blocked-ips', (v) => ({ ip_address: '192.0.2.1', force: String(v) })],
  ['an unknown field', 'POST', '/api/blocked-ips', (v) => ({ ip_address: '192.0.2.1', [`x${String(v)}`]: 1 })],
  ['server address', 'PUT', '/api/sites/a.example', (v) => ({ servers: [{ address: v, port: 80 }] })],
  ['server port', 'PUT', '/api/sites/a.example', (v) => ({ servers: [{ address: '10.0.0.1', port: `${String(v)}` }] })],
  [
    'a server option',
    'PUT',
    '/api/sites/a.example',
    (v) => ({ servers: [{ address: '10.0.0.1', port: 80, options: { ssl: v } }] }),
  ],
  [
    'a server option’s name',
    'PUT',
    '/api/sites/a.example',
    (v) => ({ servers: [{ address: '10.0.0.1', port: 80, options: { [`x${String(v)}`]: true } }] }),
  ],
  ['servers', 'PUT', '/api/sites/a.example', (v) => ({ servers: v })],
  ['key name', 'POST', '/api/keys', (v) => ({ name: v })],
  ['key scope', 'POST', '/api/keys', (v) => ({ name: 'k', scopes: [v] })],
  ['key end', 'POST', '/api/keys', (v) => ({ name: 'k', expires_at: v ?? 'x' })],
];

const paths: readonly (readonly [method: string, path: (v: string) => string, body?: unknown])[] = [
  ['GET', (v) => `/api/blocked-ips/${v}`],
  ['DELETE', (v) => `/api/blocked-ips/${v}`],
  ['GET', (v) => `/api/check/${v}`],
  ['PUT', (v) => `/api/trusted-ips/${v}`, {}],
  ['DELETE', (v) => `/api/trusted-ips/${v}`],
  ['PUT', (v) => `/api/sites/${v}`, { servers: [{ address: '10.0.0.1', port: 80 }] }],
  ['GET', (v) => `/api/sites/${v}`],
  ['DELETE', (v) => `/api/sites/${v}`],
  ['GET', (v) => `/api/sites/${v}/servers`],
  ['DELETE', (v) => `/api/keys/${v}`],
  ['GET', (v) => `/api/config/reloads/${v}`],
  ['POST', (v) => `/api/config/backups/${v}/restore`],
  ['GET', (v) => `/api/blocked-ips?limit=${v}`],
  ['GET', (v) => `/api/blocked-ips?cursor=x${v}`],
  ['GET', (v) => `/api/blocked-ips?expiring=x${v}`],
  ['GET', (v) => `/api/blocked-ips?${v}x=1`],
  ['PUT', (v) => `/api/blocked-ips?allow_shrink=x${v}`, []],
];

describeOnOneProxy('the API', ({ bin }) => {
  let service: RealService;
  let began = 0;
  beforeAll(async () => {
    began = Date.now();
    service = await RealService.start({ bin });
    await service.block('203.0.113.1');
    await service.call('PUT', '/api/trusted-ips/203.0.113.2', { body: {} });
  });
  afterAll(() => service?.stop());

  /** Everything that a request could have changed. */
  const everything = async () => {
    const folder = dirname(service.paths.config);
    const files = (await readdir(folder)).filter((name) => !name.endsWith('-journal')).sort();
    return {
      files,
      texts: await Promise.all(
        files.filter((name) => !name.endsWith('.lock')).map((name) => readFile(join(folder, name), 'utf8')),
      ),
      runningBlocked: await service.runningMap(),
      worker: await service.workerPid(),
      sites: (await service.call('GET', '/api/sites')).text,
      trusted: (await service.call('GET', '/api/trusted-ips')).text,
      blocked: await service.listed(),
      keys: (await service.call<{ items: { name: string }[] }>('GET', '/api/keys')).body.items.map(({ name }) => name),
    };
  };

  it('refuses hostile values in every field with a 4xx, and changes nothing', async () => {
    const before = await everything();
    const wrong: string[] = [];
    const check = (what: string, status: number, text: string): void => {
      if (status < 400 || status >= 500) wrong.push(`${what}: ${status} ${text.slice(0, 200)}`);
      if (text.length > 6_000) wrong.push(`${what}: an answer of ${text.length} bytes`);
    };
    for (const [field, method, path, body] of structured) {
      for (const [what, value] of [...hostile, ...objects.map((object) => [JSON.stringify(object), object] as const)]) {
        const { status, text } = await service.call(method, path, { body: body(value) });
        check(`${what} as ${field}`, status, text);
      }
    }
    for (const [method, path, body] of paths) {
      for (const [what, value] of hostile) {
        if (value === '') continue;
        const url = path(encodeURIComponent(value));
        const { status, text } = await service.call(method, url, body === undefined ? {} : { body });
        check(`${what} in ${method} ${path('…')}`, status, text);
      }
    }
    expect(wrong).toEqual([]);
    expect(await everything()).toEqual(before);
  });

  it('rejects hostile elements of a batch or a replacement one by one, and applies the rest', async () => {
    const texts = hostile.map(([, text]) => text);
    const batch = await service.call('POST', '/api/blocked-ips/batch', { body: { add: [...texts, '203.0.113.50'] } });
    expect(batch.status).toBe(200);
    expect(batch.body).toMatchObject({ added: 1, rejected_total: texts.length });
    const lines = [...texts.filter((text) => text !== '' && text.length < 1_000), '203.0.113.1', '203.0.113.50'].join(
      '\n',
    );
    const put = await service.call('PUT', '/api/blocked-ips', { raw: lines, contentType: 'text/plain' });
    expect(put.status).toBe(200);
    expect((await service.listed()).every((address) => /^[0-9.]+$/.test(address))).toBe(true);
    expect((await service.fileEntries()).every((line) => /^[0-9.]+ 1$/.test(line))).toBe(true);
    expect((await service.runningMap()).sort()).toEqual((await service.fileEntries()).sort());
    const { body } = await service.health();
    expect(body['status']).toBe('ok');
  });

  it('stores free text unchanged', async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: HAProxy expands it in a configuration, JavaScript must not
    const reason = '"; @1 clear map {{ x }} <<EOF # \\ ${HOME} ☂';
    expect((await service.block('203.0.113.60', { reason, blocked_by: reason })).status).toBe(201);
    expect((await service.call('GET', '/api/blocked-ips/203.0.113.60')).body).toMatchObject({ reason });
    expect(await service.fileEntries()).toContain('203.0.113.60 1');
    expect((await service.call('POST', '/api/config/reload')).status).toBe(200);
    expect(await readFile(service.paths.config, 'utf8')).not.toContain('☂');
  });

  it('answers each request with security headers and the request’s id, which the log has too', async () => {
    const answers = await Promise.all([
      service.call('GET', '/health'),
      service.call('GET', '/livez', { key: null }),
      service.call('GET', '/api/nothing'),
      service.call('GET', '/api/sites', { key: null }),
      service.call('GET', '/api/sites'),
    ]);
    for (const { headers } of answers) {
      expect(headers).toMatchObject({
        'x-request-id': expect.stringMatching(/^[A-Za-z0-9_-]{16}$/),
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      });
      expect(headers['server']).toBeUndefined();
      expect(headers['x-powered-by']).toBeUndefined();
    }
    expect(new Set(answers.map(({ headers }) => headers['x-request-id'])).size).toBe(answers.length);
    // The line of a request is written after its answer.
    const named = `request_id=${answers[4]?.headers['x-request-id']}`;
    await eventually('the log has the request', async () => (await service.logText()).includes(named));
    const block = await service.block('203.0.113.61');
    const line = (await service.logText()).split('\n').find((text) => text.includes('ip_address=203.0.113.61'));
    expect(line).toBeDefined();
    expect(await service.logText()).toMatch(
      new RegExp(`Operation done .*ip_address=203.0.113.61.*request_id=${block.headers['x-request-id']}`),
    );
  });

  it('answers health probes without a key with one word', async () => {
    for (const [path, word] of [
      ['/livez', 'alive'],
      ['/readyz', 'ready'],
    ] as const) {
      const { status, text, headers } = await service.call('GET', path, { key: null });
      expect([status, text, headers['content-type']]).toEqual([200, word, 'text/plain; charset=utf-8']);
    }
    expect((await service.call('POST', '/livez', { key: null })).status).not.toBe(200);
  });

  it('reports the health of every part', async () => {
    await service.healthy();
    const { status, body } = await service.health();
    expect(status).toBe(200);
    const total = (await service.fileEntries()).length;
    expect(body).toMatchObject({
      status: 'ok',
      reasons: [],
      database: { status: 'ok', reason: null },
      master_socket: { status: 'ok', reason: null, since: null },
      workers: { current: { pid: await service.workerPid(), whole: true, reason: null } },
      map_file: { status: 'ok', reason: null, entries: total },
      runtime_map: { expected: total, seen: total, last_verified_at: expect.any(String) },
      last_reload: { status: 'completed', error: null },
      scheduled_reload: null,
      versions: { proxy: expect.stringMatching(/^\d+\.\d+/), service: expect.any(String) },
    });
    expect(Date.parse(body['runtime_map'].last_verified_at)).toBeGreaterThanOrEqual(began);
  });

  it('reports degraded while another process listens on HAProxy’s port', async () => {
    const other = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve, reject) => {
      other.once('error', reject);
      other.listen({ port: service.proxyPort, host: '127.0.0.1', reusePort: true }, resolve);
    });
    await eventually('health is degraded for this reason alone', async () => {
      const { status, body } = await service.health();
      const [reason = '', ...others] = body['reasons'] as string[];
      const named = reason.includes(`port ${service.proxyPort}`) && others.length === 0;
      return status === 503 && body['status'] === 'degraded' && named;
    });
    await new Promise((resolve) => other.close(resolve));
    await service.healthy();
  });
});
