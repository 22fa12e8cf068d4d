import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandLine } from '../src/system/processes.ts';
import { setClock, settableClock } from '../testkit/clock.ts';
import { eventually } from '../testkit/conditions.ts';
import { describeOnOneProxy } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';

describeOnOneProxy('an API key', ({ bin }) => {
  let service: RealService;
  let first: string;
  let keyFile: string;
  beforeAll(async () => {
    // An empty variable counts as absent: the service creates the first key.
    service = await RealService.start({ bin, environment: { ...settableClock, PROXY_MANAGER_API_KEY: '' } });
    keyFile = join(service.paths.stateDir, 'api-key');
    first = (await readFile(keyFile, 'utf8')).trim();
  });
  afterAll(() => service?.stop());

  const call = (method: string, path: string, key: string | null, body?: unknown) =>
    service.call(method, path, { key, ...(body === undefined ? {} : { body }) });
  const create = (name: string, more: Record<string, unknown> = {}) =>
    call('POST', '/api/keys', first, { name, ...more });

  it('is created at the first start and written once, readable by its owner only', async () => {
    expect(first).toMatch(/^pm_[A-Za-z0-9_-]{43}$/);
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
    expect((await call('GET', '/health', first)).status).toBe(200);
    expect((await call('GET', '/api/keys', first)).body['items']).toMatchObject([
      { name: 'admin', scopes: ['admin'], revoked_at: null },
    ]);
    const { items } = (await call('GET', '/api/audit?operation=create_key', first)).body;
    expect(items).toMatchObject([{ key: null, source: null, target: 'admin', outcome: 'done', status: null }]);
  });

  it('is required: every route answers a request without one with the same 401', async () => {
    const paths = ['/health', '/api/blocked-ips', '/api/sites', '/api/config', '/api/keys', '/api/nothing', '/nothing'];
    for (const path of paths) {
      const [none, wrong] = [await call('GET', path, null), await call('GET', path, 'wrong')];
      expect([path, none.status, wrong.status]).toEqual([path, 401, 401]);
      expect({ ...wrong.body, request_id: '' }).toEqual({ ...none.body, request_id: '' });
    }
  });

  it('is shown once, works, and stops working when it is revoked', async () => {
    const created = await create('ci');
    expect(created.status).toBe(201);
    const { key } = created.body;
    expect((await call('GET', '/api/sites', key)).status).toBe(200);
    const listed = await call('GET', '/api/keys', first);
    expect(listed.text).not.toContain(key);
    expect(listed.text).not.toContain('hash');
    const revoked = await call('DELETE', '/api/keys/ci', first);
    expect(revoked.body).toMatchObject({ name: 'ci', revoked_at: expect.any(String) });
    expect((await call('GET', '/api/sites', key)).status).toBe(401);
    expect((await call('DELETE', '/api/keys/ci', first)).status).toBe(404);
    // A revoked key keeps its name, so that old log lines stay unambiguous.
    expect((await create('ci')).status).toBe(409);
  });

  it('opens a session that survives a restart and ends, with its streams, at sign-out or with the key', async () => {
    const { key } = (await create('panel', { scopes: ['block'] })).body;
    const signIn = async () => (await call('POST', '/api/session', key)).body['token'];
    const follow = async (token: string) => {
      const url = `http://127.0.0.1:${service.apiPort}/api/events`;
      const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
      expect(response.status).toBe(200);
      return { end: response.text() };
    };
    const [mine, second] = [await signIn(), await signIn()];
    expect((await call('GET', '/api/session', mine)).body).toMatchObject({ name: 'panel', trustable_address: null });
    expect((await call('POST', '/api/session', mine)).status).toBe(403);
    expect((await call('POST', '/api/blocked-ips', mine, { ip_address: '192.0.2.70' })).status).toBe(201);
    const block = await call('GET', '/api/audit?operation=block&limit=1', first);
    expect(block.body['items']).toMatchObject([{ key: 'panel' }]);
    expect((await call('DELETE', '/api/blocked-ips/192.0.2.70', mine)).status).toBe(200);

    service.kill('SIGKILL');
    await service.ended();
    await service.launch();
    const streams = [await follow(mine), await follow(second)] as const;
    expect((await call('DELETE', '/api/session', mine)).status).toBe(200);
    await streams[0].end;
    expect((await call('GET', '/api/session', mine)).status).toBe(401);
    expect((await call('GET', '/api/session', second)).status).toBe(200);
    expect((await call('DELETE', '/api/keys/panel', first)).status).toBe(200);
    await streams[1].end;
    expect((await call('GET', '/api/session', second)).status).toBe(401);
    const signs = (await call('GET', '/api/audit?operation=sign_in', first)).body['items'];
    expect(signs).toMatchObject([
      { key: 'panel', outcome: 'refused', status: 403 },
      { key: 'panel', source: '127.0.0.1', outcome: 'done' },
      { key: 'panel', outcome: 'done' },
    ]);
    for (const text of [await service.logText(), await readFile(service.paths.jsonLog, 'utf8')]) {
      expect(text).not.toContain(key.slice(4));
      expect(text).not.toContain(mine.slice(4));
    }
  });

  it('stops working at its expiry', async () => {
    const ends = new Date(Date.now() + 3_600_000).toISOString();
    const { key } = (await create('short', { expires_at: ends })).body;
    expect((await call('GET', '/api/sites', key)).status).toBe(200);
    await setClock(service.paths.prefix, 2 * 3_600_000);
    await eventually('it has ended', async () => (await call('GET', '/api/sites', key)).status === 401);
  });

  it('does what its scope allows, and names the missing scope otherwise', async () => {
    const watcher = (await create('watcher', { scopes: ['read'] })).body['key'];
    const bot = (await create('bot', { scopes: ['block'] })).body['key'];
    const refused = await call('POST', '/api/blocked-ips', watcher, { ip_address: '192.0.2.77' });
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({ code: 403, missing_scope: 'block' });
    expect((await call('GET', '/api/check/192.0.2.77', watcher)).body).toMatchObject({ verdict: 'allowed' });

    expect((await call('POST', '/api/blocked-ips', bot, { ip_address: '192.0.2.77' })).status).toBe(201);
    expect((await call('GET', '/api/check/192.0.2.77', bot)).body).toMatchObject({ verdict: 'blocked' });
    const batch = { remove: ['192.0.2.77'], add: ['192.0.2.78'] };
    expect((await call('POST', '/api/blocked-ips/batch', bot, batch)).body).toMatchObject({ added: 1, removed: 1 });
    expect((await call('DELETE', '/api/blocked-ips/192.0.2.78', bot)).status).toBe(200);
    expect((await call('POST', '/api/blocked-ips/sync', bot)).status).toBe(200);

    // Nothing that extends the key, deletes everything, or describes HAProxy.
    for (const [method, path, body] of [
      ['POST', '/api/keys', { name: 'stronger', scopes: ['admin'] }],
      ['POST', '/api/keys', { name: 'equal', scopes: ['block'] }],
      ['PUT', '/api/trusted-ips/192.0.2.1', {}],
      ['PUT', '/api/blocked-ips', []],
      ['PUT', '/api/sites/a.example', { servers: [{ address: '127.0.0.1', port: 9 }] }],
      ['POST', '/api/config/reload', undefined],
      ['GET', '/api/config', undefined],
      ['DELETE', '/api/keys/watcher', undefined],
    ] as const) {
      const answer = await call(method, path, bot, body);
      expect({ path, status: answer.status, missing: answer.body['missing_scope'] }).toEqual({
        path,
        status: 403,
        missing: 'admin',
      });
    }
    for (const name of ['watcher', 'bot']) expect((await call('DELETE', `/api/keys/${name}`, first)).status).toBe(200);
  });

  it('can be created with the admin scope', async () => {
    expect((await create('whole', { scopes: ['admin'] })).status).toBe(201);
    expect((await call('DELETE', '/api/keys/whole', first)).status).toBe(200);
  });

  it('cannot be revoked while it is the last valid one', async () => {
    const refused = await call('DELETE', '/api/keys/admin', first);
    expect(refused.status).toBe(409);
    expect(refused.body['detail']).toContain('last valid key');
    const { key } = (await create('successor')).body;
    expect((await call('DELETE', '/api/keys/admin', key)).status).toBe(200);
    expect((await call('GET', '/api/sites', first)).status).toBe(401);
    expect((await call('DELETE', '/api/keys/successor', key)).status).toBe(409);
    first = key;
  });

  it('never appears in a log, an answer, a command line, or any file but its own', async () => {
    const { key } = (await create('secret')).body;
    await call('POST', '/api/blocked-ips', key, { ip_address: '192.0.2.1' });
    await call('POST', '/api/blocked-ips', key, { ip_address: key });
    await call('GET', '/api/nothing', key);
    await call('POST', '/api/config/reload', key);
    const wrong = 'pm_wrong-but-perhaps-a-key-of-elsewhere';
    await call('GET', '/health', wrong);
    const secrets = [key, first, wrong];
    for (const pid of [service.pid, ...(await service.proxyPids())]) {
      const words = (await commandLine(pid))?.join(' ') ?? '';
      for (const secret of secrets) expect(words).not.toContain(secret);
    }
    for (const pid of await service.proxyPids()) {
      expect(await readFile(`/proc/${pid}/environ`, 'utf8')).not.toContain('PROXY_MANAGER_');
    }
    const files = await readdir(service.paths.prefix, { recursive: true, withFileTypes: true });
    let read = 0;
    for (const file of files) {
      const path = join(file.parentPath, file.name);
      if (!file.isFile() || path === keyFile) continue;
      const content = await readFile(path, 'latin1');
      for (const secret of secrets) expect(content.includes(secret), path).toBe(false);
      read += 1;
    }
    expect(read).toBeGreaterThan(5);
  });

  it('of the settings is always valid, and its name is reserved', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pm-key-'));
    const given = 'given-0123456789abcdef';
    await writeFile(join(folder, 'key'), `${given}\n`, { mode: 0o600 });
    service.kill('SIGTERM');
    await service.ended();
    await service.launch({ PROXY_MANAGER_API_KEY_FILE: join(folder, 'key') });
    expect((await call('GET', '/health', given)).status).toBe(200);
    expect((await call('GET', '/api/sites', first)).status).toBe(200);
    // This key prevents a lock-out, so every stored key may be removed.
    for (const { name, revoked_at } of (await call('GET', '/api/keys', given)).body['items']) {
      if (revoked_at === null) expect((await call('DELETE', `/api/keys/${name}`, given)).status).toBe(200);
    }
    expect((await call('GET', '/api/sites', first)).status).toBe(401);
    expect((await call('GET', '/api/sites', given)).status).toBe(200);
    // No stored key can take its name, so the audit log tells them apart.
    expect((await call('POST', '/api/keys', given, { name: '_settings' })).status).toBe(400);
    expect((await call('GET', '/api/session', given)).body['name']).toBe('_settings');
    expect((await call('GET', '/api/audit?key=_settings&limit=1', given)).body['items']).toHaveLength(1);
    await rm(folder, { recursive: true, force: true });
  });
});
