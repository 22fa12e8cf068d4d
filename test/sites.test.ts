import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtInTemplate } from '../src/configuration/template/builtin-template.ts';
import { openDatabase } from '../src/store/open-database.ts';
import { SitesStore } from '../src/store/sites-store.ts';
import { eventually, patienceMs } from '../testkit/conditions.ts';
import { freePort } from '../testkit/free-port.ts';
import { describeOnNewestProxy, describeOnOneProxy, longTests } from '../testkit/proxies.ts';
import { RealService, type ServicePaths } from '../testkit/real-service.ts';
import { askProxy, startUpstream, type Upstream } from '../testkit/upstream.ts';

/** The built-in template, except that HAProxy rejects its output for one domain. */
const template = `${builtInTemplate}
{%- for site in sites %}
{%- if site.domain == 'broken.example' %}
backend nonsense
    no-such-keyword here
{%- endif %}
{%- endfor %}
`;

describeOnNewestProxy('sites', ({ bin }) => {
  let folder: string;
  let service: RealService;
  let [a, b]: Upstream[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pm-template-'));
    await writeFile(join(folder, 'proxy.liquid'), template);
    [a, b] = [await startUpstream('a'), await startUpstream('b')];
    service = await RealService.start({ bin });
  });
  afterAll(async () => {
    await service?.stop();
    await a?.stop();
    await b?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const put = (domain: string, ...ports: number[]) =>
    service.call('PUT', `/api/sites/${domain}`, {
      body: { servers: ports.map((port) => ({ address: '127.0.0.1', port })) },
    });
  const ask = async (host: string) => await askProxy(service.proxyPort, host);
  const sitesMaps = async () =>
    (await readdir(dirname(service.paths.config))).filter((name) => /^sites\..*\.map$/.test(name));

  /** Independent of the HAProxy version. */

  it('are live, or removed, before the answer', async () => {
    expect(await ask('live.example')).toEqual({ status: 404, text: 'no such site' });
    const created = await put('live.example', a!.port);
    expect(await ask('live.example')).toEqual({ status: 200, text: 'a' });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      domain: 'live.example',
      servers: [{ address: '127.0.0.1', port: a!.port, options: { check: true } }],
      reload: { status: 'completed', changed: true, reasons: ['site live.example set'] },
    });
    const changed = await put('live.example', b!.port);
    expect(await ask('live.example')).toEqual({ status: 200, text: 'b' });
    expect(changed.status).toBe(200);
    expect((await service.call('GET', '/api/sites')).body).toMatchObject({
      total: 1,
      items: [{ domain: 'live.example', servers: [{ port: b!.port }] }],
    });
    expect((await service.call('GET', '/api/sites/LIVE.example')).body).toMatchObject({ domain: 'live.example' });
    const removed = await service.call('DELETE', '/api/sites/live.example');
    expect(await ask('live.example')).toEqual({ status: 404, text: 'no such site' });
    expect(removed.status).toBe(200);
    expect(removed.body).toMatchObject({ domain: 'live.example', reload: { status: 'completed' } });
    expect((await service.call('GET', '/api/sites/live.example')).status).toBe(404);
    expect((await service.call('DELETE', '/api/sites/live.example')).status).toBe(404);
  });

  it('are matched by the Host header, whatever its port, case and final dot', async () => {
    await Promise.all([put('one.example', a!.port), put('two.example', b!.port)]);
    const answers = await Promise.all(
      [
        'one.example',
        'ONE.Example',
        'one.example:8080',
        'one.example.',
        'one.example.:80',
        'two.example',
        'Two.Example.:443',
        'sub.one.example',
        'one.example.evil',
        'one',
        '127.0.0.1',
        '[::1]:80',
        'localhost',
      ].map(async (host) => {
        const { status, text } = await ask(host);
        return [host, status, text.length > 20 ? 'a page' : text];
      }),
    );
    expect(answers).toEqual([
      ['one.example', 200, 'a'],
      ['ONE.Example', 200, 'a'],
      ['one.example:8080', 200, 'a'],
      ['one.example.', 200, 'a'],
      ['one.example.:80', 200, 'a'],
      ['two.example', 200, 'b'],
      ['Two.Example.:443', 200, 'b'],
      ['sub.one.example', 404, 'no such site'],
      ['one.example.evil', 404, 'no such site'],
      ['one', 404, 'no such site'],
      ['127.0.0.1', 200, 'a page'],
      ['[::1]:80', 200, 'a page'],
      ['localhost', 200, 'a page'],
    ]);
  });

  it('with a dead server answer 503 without affecting others, and report it', async () => {
    const dead = await freePort();
    await Promise.all([put('alive.example', a!.port), put('dead.example', dead)]);
    expect((await ask('dead.example')).status).toBe(503);
    expect(await ask('alive.example')).toEqual({ status: 200, text: 'a' });
    const servers = async (domain: string) =>
      (await service.call('GET', `/api/sites/${domain}/servers`)).body['items'][0];
    const noticed = async () =>
      ((await service.call('GET', '/api/notices')).body['items'] as { title: string }[]).map(({ title }) => title);
    const seldom = [patienceMs, 500] as const;
    await eventually('it is down', async () => (await servers('dead.example')).status === 'DOWN', ...seldom);
    expect(await servers('dead.example')).toMatchObject({ address: '127.0.0.1', port: dead, check: 'L4CON' });
    await eventually('the other is up', async () => (await servers('alive.example')).check === 'L4OK');
    expect((await servers('alive.example')).status).toBe('UP');
    expect((await service.call('GET', '/api/sites/absent.example/servers')).status).toBe(404);
    await eventually('a notice says so', async () => (await noticed()).includes('dead.example is down'), ...seldom);
    expect(await noticed()).not.toContain('alive.example is down');
  });

  it('are served by the remaining server while another is down', async () => {
    await put('half.example', await freePort(), b!.port);
    for (let request = 0; request < 6; request += 1) {
      expect(await ask('half.example')).toEqual({ status: 200, text: 'b' });
    }
  });

  it('whose server’s name does not resolve affect no other site', async () => {
    const answer = await service.call('PUT', '/api/sites/nowhere.example', {
      body: { servers: [{ address: 'no-such-host.invalid', port: 80 }] },
    });
    expect(answer.status).toBe(201);
    expect((await ask('nowhere.example')).status).toBe(503);
    await put('beside.example', a!.port);
    expect(await ask('beside.example')).toEqual({ status: 200, text: 'a' });
    const { body } = await service.call('GET', '/api/sites/nowhere.example/servers');
    expect(body['items']).toMatchObject([{ address: 'no-such-host.invalid', port: 80 }]);
    expect(body['items'][0].status).not.toBe('UP');
    expect((await service.call('DELETE', '/api/sites/nowhere.example')).status).toBe(200);
    await service.healthy();
  });

  it('are in a map named after its content; old maps are removed', async () => {
    for (let change = 0; change < 3; change += 1) await put(`change-${change}.example`, a!.port);
    const maps = await sitesMaps();
    const live = await readFile(service.paths.config, 'utf8');
    const [named] = /sites\.[0-9a-f]{16}\.map/.exec(live) ?? [];
    expect(maps).toContain(named);
    expect(maps.length).toBeLessThanOrEqual(2);
    expect(await readFile(join(dirname(service.paths.config), named!), 'utf8')).toContain('change-2.example');
  });

  it('set concurrently are all stored', async () => {
    const domains = Array.from({ length: longTests ? 6 : 3 }, (_, index) => `crowd-${index}.example`);
    const answers = await Promise.all(domains.map((domain) => put(domain, a!.port)));
    expect(answers.map(({ status }) => status)).toEqual(domains.map(() => 201));
    const pages = await Promise.all(domains.map(ask));
    expect(pages).toEqual(domains.map(() => ({ status: 200, text: 'a' })));
  });

  it('set without a running proxy are live in HAProxy that is started next', async () => {
    process.kill((await service.processes()).master.pid, 'SIGKILL');
    const answer = await put('phoenix.example', b!.port);
    expect(answer.body).toMatchObject({ domain: 'phoenix.example' });
    expect(answer.status).toBe(201);
    expect(await ask('phoenix.example')).toEqual({ status: 200, text: 'b' });
    await service.healthy();
  });

  it('that would make the configuration invalid are rejected, and nothing of them is stored', async () => {
    // Only here: each configuration of an operator's template is rendered in a thread of its own.
    service.kill('SIGTERM');
    await service.ended();
    await service.launch({ PROXY_MANAGER_TEMPLATE: join(folder, 'proxy.liquid') });
    await put('kept.example', a!.port);
    const [live, maps] = [await readFile(service.paths.config, 'utf8'), await sitesMaps()];
    const refused = await put('broken.example', a!.port);
    expect(refused.status).toBe(422);
    expect(refused.body).toMatchObject({ code: 5002, restored: true });
    expect(refused.body['output']).toMatch(/proxy\.cfg:\d+\].*no-such-keyword/);
    expect((await service.call('GET', '/api/sites/broken.example')).status).toBe(404);
    expect(await readFile(service.paths.config, 'utf8')).toBe(live);
    expect(new Set(maps)).toEqual(new Set([...maps, ...(await sitesMaps())]));
    expect(live).toContain((await sitesMaps()).find((name) => live.includes(name)));
    expect(await ask('kept.example')).toEqual({ status: 200, text: 'a' });
    expect((await service.call('POST', '/api/config/reload')).status).toBe(200);
    await service.healthy();
  });
});

describeOnOneProxy('five hundred sites', ({ bin }) => {
  const domains = Array.from({ length: 500 }, (_, index) => `site-${index}.example`);
  let service: RealService;
  let upstream: Upstream;
  beforeAll(async () => {
    upstream = await startUpstream('many');
    const seed = async (paths: ServicePaths): Promise<void> => {
      await mkdir(paths.stateDir, { recursive: true });
      const database = await openDatabase(`sqlite:${paths.database}`, { createIfMissing: true });
      const store = new SitesStore(database);
      for (const domain of domains) {
        const servers = [{ address: '127.0.0.1', port: upstream.port, options: { check: false } }];
        await store.put({ domain, servers }, new Date());
      }
      await database.close();
    };
    service = await RealService.start({ bin, before: seed });
  });
  afterAll(async () => {
    await service?.stop();
    await upstream?.stop();
  });

  it('are one rule and all served, and one more is live before its answer', async () => {
    const pages = await Promise.all(
      domains.filter((_, index) => index % 25 === 0).map((domain) => askProxy(service.proxyPort, domain)),
    );
    expect(new Set(pages.map(({ status, text }) => `${status} ${text}`))).toEqual(new Set(['200 many']));
    const live = await readFile(service.paths.config, 'utf8');
    expect(live.match(/use_backend/g)).toHaveLength(1);
    const one = { servers: [{ address: '127.0.0.1', port: upstream.port }] };
    expect((await service.call('PUT', '/api/sites/one-more.example', { body: one })).status).toBe(201);
    expect((await askProxy(service.proxyPort, 'one-more.example')).status).toBe(200);
    expect((await service.call('GET', '/api/sites')).body['total']).toBe(501);
  });
});
