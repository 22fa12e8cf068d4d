// `/metrics` of the real service with a real proxy.
import { rename } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../testkit/conditions.ts';
import { freePort } from '../testkit/free-port.ts';
import { samplesOf } from '../testkit/metrics/metrics-kit.ts';
import { promtool, promtoolIsThere } from '../testkit/promtool.ts';
import { describeOnOneProxy } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';
import { suspend } from '../testkit/suspend.ts';
import { askProxy, startUpstream, type Upstream } from '../testkit/upstream.ts';

describeOnOneProxy('the metrics', ({ bin, version }) => {
  let service: RealService;
  let upstream: Upstream;
  let began = 0;
  beforeAll(async () => {
    began = Date.now();
    upstream = await startUpstream('a');
    // With the access log, whose limit needs a section that serves no request.
    service = await RealService.start({ bin, environment: { PROXY_MANAGER_ACCESS_LOG: '127.0.0.1:9' } });
  });
  afterAll(async () => {
    await service?.stop();
    await upstream?.stop();
  });

  const scrape = async () => {
    const answer = await service.call('GET', '/metrics');
    expect(answer.status).toBe(200);
    return samplesOf(answer.text);
  };
  /** The growth of the named samples. */
  const grown = (before: Record<string, number>, after: Record<string, number>, names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, after[name]! - (before[name] ?? 0)]));
  const site = (domain: string, port: number) =>
    service.call('PUT', `/api/sites/${domain}`, { body: { servers: [{ address: '127.0.0.1', port }] } });

  it('need only a read key', async () => {
    expect((await service.call('GET', '/metrics', { key: null })).status).toBe(401);
    const { body } = await service.call('POST', '/api/keys', { body: { name: 'prometheus', scopes: ['read'] } });
    const answer = await service.call('GET', '/metrics', { key: body['key'] });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  });

  it('count blocks with their outcome, duration and effect in HAProxy', async () => {
    const changes = async () => {
      for (const ip of ['127.0.0.2', '127.0.0.3']) await service.unblock(ip);
      const before = await scrape();
      const blocked = [await service.block('127.0.0.2'), await service.block('127.0.0.3')];
      expect(blocked.map(({ status }) => status)).toEqual([201, 201]);
      const again = await service.block('127.0.0.2');
      expect(again.status).toBe(200);
      const unblocked = await service.unblock('127.0.0.3');
      expect(unblocked.status).toBe(200);
      expect((await service.unblock('127.0.0.9')).status).toBe(404);
      expect((await service.block('nonsense')).status).toBe(400);
      // A busy machine may miss the deadline of a command, which other samples count.
      const inTime = [...blocked, again, unblocked].every(({ body }) => body['runtime_map_updated'] === true);
      return inTime ? { before, after: await scrape() } : null;
    };
    const { before, after } = await eventually('every change was verified in time', changes);
    const posts = 'http_request_duration_seconds_count{method="POST",route="/api/blocked-ips"';
    expect(
      grown(before, after, [
        'operations_total{operation="block",result="done"}',
        'operations_total{operation="unblock",result="done"}',
        'operations_total{operation="unblock",result="refused"}',
        'entry_changes_total{operation="block",change="added"}',
        'entry_changes_total{operation="block",change="unchanged"}',
        'entry_changes_total{operation="unblock",change="removed"}',
        'read_back_failures_total{operation="block"}',
        'group_changes_sum',
        'command_duration_seconds_count{command="add map"}',
        `${posts},status="2xx"}`,
        `${posts},status="4xx"}`,
      ]),
    ).toEqual({
      'operations_total{operation="block",result="done"}': 3,
      'operations_total{operation="unblock",result="done"}': 1,
      'operations_total{operation="unblock",result="refused"}': 1,
      'entry_changes_total{operation="block",change="added"}': 2,
      'entry_changes_total{operation="block",change="unchanged"}': 1,
      'entry_changes_total{operation="unblock",change="removed"}': 1,
      'read_back_failures_total{operation="block"}': 0,
      group_changes_sum: 5,
      'command_duration_seconds_count{command="add map"}': 2,
      [`${posts},status="2xx"}`]: 3,
      [`${posts},status="4xx"}`]: 1,
    });
    expect(after).toMatchObject({
      'entries{set="blocked"}': 1,
      expiring_entries: 0,
      'health_status{status="ok"}': 1,
      'workers{role="current"}': 1,
      'workers_verified{role="current"}': 1,
      master_socket_up: 1,
      [`proxy_info{version="${version}"}`]: 1,
    });
    expect(after['next_expiry_timestamp_seconds']).toBeUndefined();
    expect(after['last_verified_sync_timestamp_seconds']).toBeGreaterThanOrEqual(began / 1_000);
  });

  it('count denied requests and requests and failures of each site, from zero in a new worker', async () => {
    expect((await site('a.example', upstream.port)).status).toBe(201);
    expect((await site('dead.example', await freePort())).status).toBe(201);
    for (let n = 0; n < 3; n += 1)
      expect((await askProxy(service.proxyPort, 'a.example', '127.0.0.2')).status).toBe(403);
    for (let n = 0; n < 2; n += 1) expect((await askProxy(service.proxyPort, 'a.example')).status).toBe(200);
    expect((await askProxy(service.proxyPort, 'dead.example')).status).toBe(503);
    const asked = await scrape();
    expect(asked).toMatchObject({
      proxy_stats_up: 1,
      'frontend_denied_requests_total{frontend="http"}': 3,
      'frontend_requests_total{frontend="http"}': 6,
      'backend_requests_total{backend="site_a.example",site="a.example"}': 2,
      'backend_responses_5xx_total{backend="site_a.example",site="a.example"}': 0,
      'backend_requests_total{backend="site_dead.example",site="dead.example"}': 1,
      'backend_responses_5xx_total{backend="site_dead.example",site="dead.example"}': 1,
      'backend_requests_total{backend="welcome",site=""}': 0,
      sites: 2,
    });
    expect(Object.keys(asked).filter((name) => name.includes('pm_log'))).toEqual([]);
    expect((await service.call('POST', '/api/config/reload')).status).toBe(200);
    const reloaded = await scrape();
    expect(reloaded).toMatchObject({
      'frontend_denied_requests_total{frontend="http"}': 0,
      last_reload_successful: 1,
      reload_pending: 0,
    });
    expect(
      grown(asked, reloaded, [
        'reloads_total{result="completed",reason="requested"}',
        'operations_total{operation="reload",result="done"}',
      ]),
    ).toEqual({
      'reloads_total{result="completed",reason="requested"}': 1,
      'operations_total{operation="reload",result="done"}': 1,
    });
    expect(reloaded['reloads_total{result="completed",reason="site"}']).toBe(2);
  });

  it('count drift and its repair', async () => {
    const before = await scrape();
    const map = service.paths.blockedMap;
    await service.raw(`@1 del map ${map} 127.0.0.2`, `@1 add map ${map} 192.0.2.200 1`);
    expect((await service.call('POST', '/api/blocked-ips/sync')).status).toBe(200);
    const kinds = ['missing', 'unexpected'].flatMap((kind) => [
      `drift_seen_total{map="blocked",kind="${kind}"}`,
      `drift_repaired_total{map="blocked",kind="${kind}"}`,
    ]);
    // Whether the sync or a check found it first, each difference was repaired once.
    const found = grown(before, await scrape(), kinds);
    expect(found).toEqual(Object.fromEntries(kinds.map((kind) => [kind, 1])));
  });

  it('count expired entries', async () => {
    const removed = 'entry_changes_total{operation="expire",change="removed"}';
    const before = await scrape();
    const { body } = await service.block('127.0.0.5', { duration_seconds: 3_600 });
    const samples = await eventually('it is counted', async () => {
      const now = await scrape();
      return now['expiring_entries'] === 1 ? now : null;
    });
    expect(samples['next_expiry_timestamp_seconds']).toBeCloseTo(Date.parse(body['expires_at']) / 1_000, 3);
    await service.block('127.0.0.6', { duration_seconds: 1 });
    await eventually('it was taken out', async () => (await scrape())[removed]! - before[removed]! === 1);
  });

  it('are read through the master if the stats socket is unusable', async () => {
    await rename(service.paths.statsSocket, `${service.paths.statsSocket}.away`);
    expect(await scrape()).toMatchObject({ proxy_stats_up: 1 });
    await rename(`${service.paths.statsSocket}.away`, service.paths.statsSocket);
  });

  it('are answered while the worker hangs, and report it', async () => {
    const pid = await service.workerPid();
    await suspend(pid);
    try {
      // It hangs until the scrape is answered.
      const samples = await scrape();
      expect(samples['proxy_stats_up']).toBe(0);
      expect(Object.keys(samples).filter((name) => name.startsWith('frontend_'))).toEqual([]);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await eventually('HAProxy is read again', async () => (await scrape())['proxy_stats_up'] === 1);
  });

  it.skipIf(!promtoolIsThere())('pass promtool without a warning', async () => {
    const { text } = await service.call('GET', '/metrics');
    expect(promtool(['check', 'metrics'], text)).toEqual({ fine: true, said: '' });
  });
});
