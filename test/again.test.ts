import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../testkit/free-port.ts';
import { describeOnOneProxy } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';

describeOnOneProxy('what is blocked', ({ bin }) => {
  let service: RealService;
  let ipv6Port: number;
  beforeAll(async () => {
    ipv6Port = await freePort();
    const port = await freePort();
    service = await RealService.start({
      bin,
      environment: { PROXY_MANAGER_HTTP_BIND: `127.0.0.1:${port},[::1]:${ipv6Port}` },
    });
    Object.assign(service, { proxyPort: port });
  });
  afterAll(() => service?.stop());

  const visitIpv6 = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const sent = request({ host: '::1', port: ipv6Port, agent: false }, (response) =>
        response.resume().once('end', () => resolve(response.statusCode ?? 0)),
      );
      sent.once('error', reject);
      sent.end();
    });
  const soon = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toISOString();

  it('blocked again keeps its fields unless the request changes them', async () => {
    const first = await service.block('127.0.1.1', { reason: 'first', blocked_by: 'alice', duration_seconds: 600 });
    expect(first.status).toBe(201);
    const { blocked_at, expires_at } = first.body;
    const shorter = await service.block('127.0.1.1', { duration_seconds: 60 });
    expect(shorter.status).toBe(200);
    expect(shorter.body).toMatchObject({ reason: 'first', blocked_by: 'alice', blocked_at, expires_at });
    const longer = await service.block('127.0.1.1', { duration_seconds: 6_000, reason: 'second' });
    expect(longer.body).toMatchObject({ reason: 'second', blocked_by: 'alice', blocked_at });
    expect(longer.body['expires_at'] > expires_at).toBe(true);
    const end = soon(3_000);
    const given = await service.block('127.0.1.1', { expires_at: end, blocked_by: 'bob' });
    expect(given.body).toMatchObject({ expires_at: end, blocked_by: 'bob', reason: 'second' });
    const forGood = await service.block('127.0.1.1');
    expect(forGood.body).toMatchObject({ expires_at: null, blocked_by: 'bob', reason: 'second', blocked_at });
    const stays = await service.block('127.0.1.1', { duration_seconds: 60 });
    expect(stays.body['expires_at']).toBeNull();
    const ends = await service.block('127.0.1.1', { expires_at: end });
    expect(ends.body['expires_at']).toBe(end);
    expect((await service.runningMap()).filter((line) => line === '127.0.1.1 1')).toHaveLength(1);
    expect((await service.fileEntries()).filter((line) => line === '127.0.1.1 1')).toHaveLength(1);
  });

  it('is refused with two expiry times or one in the past, and nothing changes', async () => {
    for (const times of [
      { expires_at: soon(60), duration_seconds: 60 },
      { expires_at: soon(-1) },
      { duration_seconds: 0 },
    ]) {
      expect((await service.block('127.0.1.9', times)).status).toBe(400);
    }
    expect(await service.visit('127.0.1.9')).toBe(200);
  });

  it('and inside a blocked network stays blocked after its own entry is removed, and the answer names the network', async () => {
    for (const ip of ['127.0.2.0/24', '127.0.2.128/25', '127.0.2.200'])
      expect((await service.block(ip)).status).toBe(201);
    const unblocked = await service.unblock('127.0.2.200');
    expect(unblocked.status).toBe(200);
    expect(unblocked.body).toMatchObject({
      still_blocked_by: ['127.0.2.128/25', '127.0.2.0/24'],
      runtime_map_updated: true,
    });
    expect(await service.visit('127.0.2.200')).toBe(403);
    const again = await service.unblock('127.0.2.200');
    expect(again.status).toBe(404);
    expect(again.body['covered_by']).toEqual(['127.0.2.128/25', '127.0.2.0/24']);
    expect((await service.call('GET', '/api/blocked-ips/127.0.2.200')).body['covered_by']).toHaveLength(2);
    expect((await service.unblock('127.0.2.128/25')).body).toMatchObject({ still_blocked_by: ['127.0.2.0/24'] });
    expect(await service.visit('127.0.2.200')).toBe(403);
    expect((await service.unblock('127.0.2.0/24')).body).toMatchObject({ still_blocked_by: [] });
    expect(await service.visit('127.0.2.200')).toBe(200);
  });

  it('a network around blocked addresses is added, verified and removed although they hide it from a lookup', async () => {
    for (const ip of ['127.0.3.0', '127.0.3.0/25', '127.0.3.0/24', '2001:db8::', '2001:db8::/32']) {
      const answer = await service.block(ip);
      expect(answer.body).toMatchObject({ ip_address: ip, runtime_map_updated: true });
    }
    for (const ip of ['127.0.3.0/24', '2001:db8::/32']) {
      expect((await service.unblock(ip)).body).toMatchObject({ runtime_map_updated: true });
      expect(await service.runningMap()).not.toContain(`${ip} 1`);
    }
    expect(await service.visit('127.0.3.200')).toBe(200);
    expect(await service.visit('127.0.3.100')).toBe(403);
  });

  it('by a foreign entry of the running map alone is a 404, and removes that entry', async () => {
    await service.raw(`@1 add map ${service.paths.blockedMap} 127.0.4.4 1`);
    expect(await service.visit('127.0.4.4')).toBe(403);
    const answer = await service.unblock('127.0.4.4');
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ code: 1100, stray_removed: true, covered_by: [] });
    expect(await service.visit('127.0.4.4')).toBe(200);
    expect((await service.unblock('127.0.4.4')).body).toMatchObject({ stray_removed: false });
  });

  it('in any spelling is one entry in canonical form', async () => {
    expect((await service.block('127.0.5.5/32')).body['ip_address']).toBe('127.0.5.5');
    expect((await service.block('::ffff:127.0.5.5')).status).toBe(200);
    expect((await service.block('0:0:0:0:0:ffff:7f00:505')).status).toBe(200);
    expect((await service.block('127.0.5.1/24')).body).toMatchObject({ code: 101 });
    expect((await service.runningMap()).filter((line) => line.includes('127.0.5.5'))).toEqual(['127.0.5.5 1']);
  });

  it('of IPv6 is denied by its entry and its networks, and served after their removal', async () => {
    expect(await visitIpv6()).toBe(200);
    for (const ip of ['::1', '::/96']) {
      expect((await service.block(ip)).body).toMatchObject({ runtime_map_updated: true });
      expect(await visitIpv6()).toBe(403);
      expect((await service.unblock(ip)).body).toMatchObject({ runtime_map_updated: true });
      expect(await visitIpv6()).toBe(200);
    }
  });
});
