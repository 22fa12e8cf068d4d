// Upstreams as an operator sees them: the answers of the API, and which client HAProxy judges.
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtInTemplate } from '../src/configuration/template/builtin-template.ts';
import { temporaryFolder } from '../testkit/blocking.ts';
import { eventually } from '../testkit/conditions.ts';
import { freePort } from '../testkit/free-port.ts';
import { describeOnNewestProxy, describeOnOneProxy, itInLongTests } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';

const peer = '127.0.3.7';
const lb = { networks: ['127.0.3.0/24'], header: 'x-forwarded-for' };

describeOnNewestProxy('an upstream', ({ bin }) => {
  let service: RealService;
  beforeAll(async () => {
    service = await RealService.start({ bin });
    expect((await service.block('203.0.113.7')).status).toBe(201);
  });
  afterAll(() => service?.stop());

  const set = (name: string, body: object) => service.call('PUT', `/api/upstreams/${name}`, { body });
  const remove = (name: string) => service.call('DELETE', `/api/upstreams/${name}`);
  const forwarded = (client: string, from = peer) => service.visit(from, { headers: { 'x-forwarded-for': client } });
  const configuration = () => readFile(service.paths.config, 'utf8');

  it('is judged itself before it is set, and after it is removed, with the same configuration', async () => {
    const before = await configuration();
    expect(await forwarded('203.0.113.7')).toBe(200);
    const first = await set('lb', lb);
    expect(first).toMatchObject({
      status: 201,
      body: { name: 'lb', addresses: '256', runtime_map_updated: true, reload: { status: 'completed', changed: true } },
    });
    expect(await configuration()).toContain(service.paths.upstreamsMap);
    expect(await forwarded('203.0.113.7')).toBe(403);
    expect(await forwarded('203.0.113.8')).toBe(200);
    expect(await forwarded('203.0.113.7', '127.0.0.1')).toBe(200);
    expect(await remove('lb')).toMatchObject({
      status: 200,
      body: { name: 'lb', runtime_map_updated: true, reload: { status: 'completed', changed: true } },
    });
    expect(await configuration()).toBe(before);
    expect(await forwarded('203.0.113.7')).toBe(200);
  });

  it('is changed without a reload, with the next request of an open connection', async () => {
    await set('lb', lb);
    const pid = await service.workerPid();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const other = (value: string) =>
      service.visit('127.0.4.7', { agent, headers: { 'x-forwarded-for': value, 'x-real-ip': value } });
    expect(await other('203.0.113.7')).toBe(200);
    const second = await set('other', { networks: ['127.0.4.0/24'], header: 'X-Real-IP' });
    expect(second).toMatchObject({ status: 201, body: { header: 'x-real-ip', runtime_map_updated: true } });
    expect(second.body['reload']).toBeUndefined();
    expect(await other('203.0.113.7')).toBe(403);
    expect((await remove('other')).body).toMatchObject({ name: 'other', runtime_map_updated: true });
    expect(await other('203.0.113.7')).toBe(200);
    agent.destroy();
    expect(await service.workerPid()).toBe(pid);
  });

  it('is verified although a draining worker of a configuration without upstreams lacks the map', async () => {
    for (const name of ['lb', 'other']) await remove(name);
    // A request that is under way keeps the worker from exiting; an incomplete one would end by a time-out.
    const silent = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    await service.call('PUT', '/api/sites/silent.example', { body: { servers: [{ address: '127.0.0.1', port }] } });
    const busy = connect(service.proxyPort, '127.0.0.1');
    busy.on('error', () => undefined);
    busy.write('GET / HTTP/1.1\r\nHost: silent.example\r\n\r\n');
    await once(silent, 'connection');
    const old = await service.workerPid();
    expect((await set('lb', lb)).body).toMatchObject({ runtime_map_updated: true, runtime_map_failures: [] });
    const { draining } = await service.processes();
    expect(draining.map(({ pid }) => pid)).toContain(old);
    expect((await set('other', { networks: ['127.0.4.0/24'], header: 'x-real-ip' })).body).toMatchObject({
      runtime_map_updated: true,
      runtime_map_failures: [],
      reload_scheduled: false,
    });
    await service.healthy();
    busy.destroy();
    silent.close();
    await service.call('DELETE', '/api/sites/silent.example');
    await remove('other');
  });

  it('has its requests without a client counted, each of a kept connection too', async () => {
    const counted = async () => (await service.call('GET', '/api/upstreams/lb')).body['unnamed_requests'];
    // A worker of its own, which has counted nothing.
    await remove('lb');
    await set('lb', lb);
    expect(await counted()).toBe(0);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let request = 0; request < 3; request += 1) expect(await service.visit(peer, { agent })).toBe(200);
    agent.destroy();
    expect(await service.visit('127.0.3.8')).toBe(200);
    expect(await forwarded('203.0.113.8')).toBe(200);
    expect(await forwarded('203.0.113.7')).toBe(403);
    expect(await service.visit('127.0.0.1')).toBe(200);
    expect(await counted()).toBe(4);
    const { text: metrics } = await service.call('GET', '/metrics');
    expect(metrics).toMatch(/^proxy_manager_upstream_unnamed_requests_total\{upstream="lb"\} 4$/m);
    const { status, body } = await service.call('GET', '/health');
    expect({ status, notices: body['notices'] }).toEqual({
      status: 200,
      notices: [expect.stringMatching(/^upstream lb: 4 requests without x-forwarded-for passed unchecked, /)],
    });
  });

  it('is served itself, and a block inside it is refused with the reason', async () => {
    await set('lb', lb);
    const refused = await service.block(peer);
    expect(refused).toMatchObject({ status: 409, body: { code: 6050, upstream: 'lb' } });
    expect(String(refused.body['detail'])).toContain('127.0.3.0/24');
    const batch = await service.call('POST', '/api/blocked-ips/batch', {
      body: { add: [peer, '203.0.113.9'], remove: [] },
    });
    expect(batch.body).toMatchObject({ added: 1, rejected_total: 1, rejected: [{ value: peer, code: 6050 }] });
    const around = await service.block('127.0.2.0/23');
    expect(around).toMatchObject({ status: 201, body: { upstreams_inside: ['127.0.3.0/24'] } });
    expect(await service.visit(peer)).toBe(200);
    expect(await service.visit('127.0.2.7')).toBe(403);
    expect(await service.check(peer)).toMatchObject({ upstream: 'lb' });
    await service.unblock('127.0.2.0/23');
  });

  // In parts: src/upstreams/upstreams.test.ts.
  itInLongTests('reports the blocked entries inside', async () => {
    await remove('lb');
    for (const ip of ['127.0.3.1', '127.0.3.64/26', '127.0.2.0/23']) expect((await service.block(ip)).status).toBe(201);
    expect((await set('lb', { ...lb, networks: [...lb.networks, '127.0.3.64/27'] })).body).toMatchObject({
      blocked_inside: ['127.0.3.1', '127.0.3.64/26'],
      blocked_inside_total: 2,
    });
    for (const ip of ['127.0.3.1', '127.0.3.64/26', '127.0.2.0/23']) await service.unblock(ip);
  });

  it('keeps its network in the running map although another process changes it', async () => {
    await set('lb', lb);
    const { upstreamsMap } = service.paths;
    await service.raw(`@1 set map ${upstreamsMap} 127.0.3.0/24 1`, `@1 add map ${upstreamsMap} 127.0.9.0/24 1`);
    await eventually('both are repaired', async () => {
      const [listing = ''] = await service.raw(`@1 show map ${upstreamsMap}`);
      return (
        listing
          .split('\n')
          .flatMap((line) => (line === '' ? [] : [line.split(' ').slice(1).join(' ')]))
          .join() === '127.0.3.0/24 2'
      );
    });
  });

  it('is in force after a restart of the service and a reload', async () => {
    await set('lb', { ...lb, note: 'kept' });
    service.kill('SIGTERM');
    await service.ended();
    await service.launch();
    expect((await service.call('GET', '/api/upstreams/lb')).body).toMatchObject({ note: 'kept' });
    expect((await service.call('POST', '/api/config/reload')).body).toMatchObject({ changed: false });
    expect(await forwarded('203.0.113.7')).toBe(403);
  });

  describe('with rules that do not or may not apply', () => {
    let rendered: string;
    const reasonsAndNotices = async () => {
      const { body } = await service.health();
      const about = (texts: unknown) => (texts as string[]).filter((text) => text.includes('frontend http'));
      return { reasons: about(body['reasons']), notices: about(body['notices']) };
    };
    const changeRule = async (rule: RegExp, by: string) => {
      expect(rendered).toMatch(rule);
      await writeFile(service.paths.config, rendered.replace(rule, by));
    };

    beforeAll(async () => {
      await set('lb', lb);
      await service.healthy();
      rendered = await readFile(service.paths.config, 'utf8');
    });

    it('is out of force if one of two front ends lacks them, which health and the explanation say', async () => {
      const explain = async () =>
        (await service.call('POST', '/api/client-address', { body: { peer, headers: [] } })).body;
      expect(await explain()).toMatchObject({ upstream: 'lb', upstreams_in_force: true });
      const deny = `http-request deny deny_status 403 if { src,map_ip(${service.paths.blockedMap},0) -m int gt 0 }`;
      const second = `\nfrontend second\n    bind 127.0.0.1:${await freePort()}\n    ${deny}\n`;
      await writeFile(service.paths.config, rendered + second);
      const { body } = await service.health();
      expect(body).toMatchObject({ status: 'degraded' });
      expect(body['reasons']).toContainEqual(
        expect.stringMatching(/^upstreams: frontend second lacks http-request set-var\(txn\.pm_upstream\) /),
      );
      expect(await explain()).toMatchObject({
        upstream: 'lb',
        upstreams_in_force: false,
        upstreams_reason: expect.stringMatching(/^frontend second lacks /),
      });
      await writeFile(service.paths.config, rendered);
      await service.healthy();
      expect(await explain()).toMatchObject({ upstreams_in_force: true });
    });

    it('is reported as not known, which is no reason for a degraded health', async () => {
      await changeRule(/(http-request set-src var\(txn\.pm_named\) .*)/, '$1 { path /x }');
      const reason = expect.stringMatching(
        /frontend http may not check the clients of upstreams: http-request set-src \(line \d+\) may not apply to all/,
      );
      expect(await reasonsAndNotices()).toEqual({ reasons: [], notices: [reason] });
      const { body } = await service.call('POST', '/api/client-address', { body: { peer, headers: [] } });
      expect(body).toMatchObject({ upstream: 'lb', upstreams_in_force: null, upstreams_reason: reason });
      expect((await service.call('GET', '/api/upstreams')).body).toMatchObject({ in_force: null, reason });
    });

    it('is not said to have its requests without a client counted if another rule uses their stick counter', async () => {
      const unnamed = async () => (await service.call('GET', '/api/upstreams/lb')).body['unnamed_requests'];
      await changeRule(
        /(\n *http-request set-var\(txn\.pm_upstream\) )/,
        '\n    http-request track-sc1 src table own$1',
      );
      expect(await reasonsAndNotices()).toEqual({
        reasons: [],
        notices: [expect.stringMatching(/^upstreams: frontend http may not count requests without a client, because/)],
      });
      expect(await unnamed()).toBeNull();
      await writeFile(service.paths.config, rendered);
      await service.healthy();
      expect(await unnamed()).toBe(0);
    });
  });
});

describeOnOneProxy('the first upstream', ({ bin }) => {
  it('is not stored without rules for it in the template, or if its reload fails', async () => {
    // HAProxy accepts the configuration, and the new worker cannot bind.
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const folder = await temporaryFolder();
    const path = join(folder.path, 'own.liquid');
    await writeFile(path, ownTemplate);
    const service = await RealService.start({ bin, environment: { PROXY_MANAGER_TEMPLATE: path } });
    const configuration = () => readFile(service.paths.config, 'utf8');
    const expectNone = async (before: string) => {
      expect((await service.call('GET', '/api/upstreams')).body).toMatchObject({ items: [], total: 0 });
      expect(await configuration()).toBe(before);
      expect(await readFile(service.paths.upstreamsMap, 'utf8')).not.toContain('127.0.3.0/24');
    };
    try {
      await service.block('203.0.113.7');
      const withoutRules = await configuration();
      const refused = await service.call('PUT', '/api/upstreams/lb', { body: lb });
      expect(refused).toMatchObject({ status: 422, body: { code: 6051 } });
      await expectNone(withoutRules);

      const also = `{%- if has_upstreams %}\n    bind 127.0.0.1:${port}\n{%- endif %}`;
      await writeFile(
        path,
        builtInTemplate.replace(/^frontend .*$/m, (line) => `${line}\n${also}`),
      );
      expect((await service.call('POST', '/api/config/reload')).body).toMatchObject({ changed: true });
      const before = await configuration();
      const failed = await service.call('PUT', '/api/upstreams/lb', { body: lb });
      expect([422, 503]).toContain(failed.status);
      await expectNone(before);
      expect(await service.visit(peer, { headers: { 'x-forwarded-for': '203.0.113.7' } })).toBe(200);
      await service.healthy();
      taken.close();
      await once(taken, 'close');
      expect((await service.call('PUT', '/api/upstreams/lb', { body: lb })).status).toBe(201);
      expect(await service.visit(peer, { headers: { 'x-forwarded-for': '203.0.113.7' } })).toBe(403);
    } finally {
      if (taken.listening) taken.close();
      await service.stop();
      await folder.remove();
    }
  });
});

const ownTemplate = `global
    stats socket {{ stats_socket }} mode 660 level admin
defaults
    mode http
    timeout connect 5s
    timeout client 60s
    timeout server 60s
frontend own
{%- for bind in http_bind %}
    bind {{ bind }}
{%- endfor %}
    http-request deny deny_status 403 if { src,map_ip({{ blocked_map }},0) -m int gt 0 } !{ src,map_ip({{ trusted_map }},0) -m int gt 0 }
    http-request return status 200
`;
