import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOnNewestProxy } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';

describeOnNewestProxy('a trusted address', ({ bin }) => {
  let service: RealService;
  beforeAll(async () => {
    service = await RealService.start({ bin });
  });
  afterAll(() => service?.stop());

  const trust = (ip: string, note?: string) =>
    service.call('PUT', `/api/trusted-ips/${encodeURIComponent(ip)}`, note === undefined ? {} : { body: { note } });
  const distrust = (ip: string) => service.call('DELETE', `/api/trusted-ips/${encodeURIComponent(ip)}`);
  const check = (ip: string) => service.check(ip);

  it('is served at once although it is blocked, and denied again when its trust is removed', async () => {
    const worker = await service.workerPid();
    await service.block('127.0.1.1');
    expect(await service.visit('127.0.1.1')).toBe(403);
    const trusted = await trust('127.0.1.1', 'the office');
    expect(trusted.status).toBe(201);
    expect(trusted.body).toMatchObject({ ip_address: '127.0.1.1', note: 'the office', runtime_map_updated: true });
    expect(await service.visit('127.0.1.1')).toBe(200);
    expect(await check('127.0.1.1')).toMatchObject({ verdict: 'trusted', by: '127.0.1.1', enforced: true });
    expect((await trust('127.0.1.1')).status).toBe(200);
    expect((await distrust('127.0.1.1')).body).toMatchObject({ runtime_map_updated: true });
    expect(await service.visit('127.0.1.1')).toBe(403);
    expect((await distrust('127.0.1.1')).status).toBe(404);
    expect(await service.workerPid()).toBe(worker);
  });

  it('stays trusted in the worker of a reload', async () => {
    await trust('127.0.1.1');
    expect((await service.call('POST', '/api/config/reload')).status).toBe(200);
    expect(await service.visit('127.0.1.1')).toBe(200);
    await distrust('127.0.1.1');
    expect(await service.visit('127.0.1.1')).toBe(403);
  });

  it('is blocked only with force, and the answer says that trust wins', async () => {
    await trust('127.0.2.0/24');
    for (const ip of ['127.0.2.2', '127.0.2.0/25', '127.0.2.0/24']) {
      const refused = await service.block(ip);
      expect(refused.status).toBe(409);
      expect(refused.body['overridden_by']).toEqual(['127.0.2.0/24']);
      expect((await service.call('GET', `/api/blocked-ips/${encodeURIComponent(ip)}`)).status).toBe(404);
    }
    const forced = await service.block('127.0.2.2', { force: true });
    expect(forced.status).toBe(201);
    expect(forced.body).toMatchObject({ overridden_by: ['127.0.2.0/24'], runtime_map_updated: true });
    expect(await service.visit('127.0.2.2')).toBe(200);
    await distrust('127.0.2.0/24');
    expect(await service.visit('127.0.2.2')).toBe(403);
  });

  it('inside a blocked network is named, and served', async () => {
    await trust('127.0.3.7');
    await trust('127.0.3.64/26');
    const answer = await service.block('127.0.3.0/24');
    expect(answer.status).toBe(201);
    expect([...answer.body['trusted_inside']].sort()).toEqual(['127.0.3.64/26', '127.0.3.7']);
    expect(answer.body['overridden_by']).toBeUndefined();
    expect(await service.visit('127.0.3.7')).toBe(200);
    expect(await service.visit('127.0.3.70')).toBe(200);
    expect(await service.visit('127.0.3.8')).toBe(403);
  });

  it('is rejected by lists, with the reason, and the rest of the list is applied', async () => {
    await trust('127.0.4.4');
    const batch = await service.call('POST', '/api/blocked-ips/batch', {
      body: { add: ['127.0.4.3', '127.0.4.4', '127.0.4.5', 'nonsense'], remove: ['127.0.4.5'] },
    });
    expect(batch.status).toBe(200);
    expect(batch.body).toMatchObject({ added: 1, removed: 0, rejected_total: 4, runtime_map_updated: true });
    const why = new Map(
      batch.body['rejected'].map((one: Record<string, string>) => [`${one['list']} ${one['value']}`, one['why']]),
    );
    expect(why.get('add 127.0.4.4')).toMatch(/trusted/);
    expect(why.get('add 127.0.4.5')).toMatch(/both/);
    expect(why.get('remove 127.0.4.5')).toMatch(/both/);
    expect(why.get('add nonsense')).toBeDefined();
    const list = await service.call('PUT', '/api/blocked-ips?allow_shrink=true', {
      raw: '# a comment\n\n127.0.4.3\n127.0.4.4\nnonsense\n',
      contentType: 'text/plain',
    });
    expect(list.body).toMatchObject({ unchanged: 1, rejected_total: 2 });
    expect(list.body['rejected']).toMatchObject([
      { line: 4, value: '127.0.4.4', why: expect.stringMatching(/trusted/) },
      { line: 5, value: 'nonsense' },
    ]);
    expect(await service.visit('127.0.4.3')).toBe(403);
    expect(await service.visit('127.0.4.4')).toBe(200);
  });

  it('that was removed from the running map outside the service is restored automatically', async () => {
    await service.block('127.0.5.5');
    await trust('127.0.5.5');
    await service.raw(`@1 del map ${service.paths.trustedMap} 127.0.5.5`);
    expect(await service.visit('127.0.5.5')).toBe(403);
    await service.call('POST', '/api/blocked-ips/sync');
    expect(await service.visit('127.0.5.5')).toBe(200);
  });
});

describeOnNewestProxy('a check', ({ bin }) => {
  let service: RealService;
  beforeAll(async () => {
    service = await RealService.start({ bin });
  });
  afterAll(() => service?.stop());
  const check = (ip: string) => service.check(ip);

  it('is explained with its reason and expiry, the same in every worker', async () => {
    const answer = await service.block('127.0.1.0/24', { reason: 'scans', duration_seconds: 600 });
    const pid = await service.workerPid();
    expect(await check('127.0.1.9')).toEqual({
      ip_address: '127.0.1.9',
      verdict: 'blocked',
      by: '127.0.1.0/24',
      reason: 'scans',
      expires_at: answer.body['expires_at'],
      enforced: true,
      blocked_inside: [],
      blocked_inside_total: 0,
      workers: [{ pid, verdict: 'blocked' }],
    });
    expect(await check('127.0.2.9')).toMatchObject({ verdict: 'allowed', by: null, enforced: true });
    expect(await check('::ffff:127.0.1.9')).toMatchObject({ ip_address: '127.0.1.9', verdict: 'blocked' });
  });

  it('is reported for each worker that deviates, and GET shows which workers hold the entry', async () => {
    await service.block('127.0.1.9');
    const client = service.keepAliveClient('127.0.7.7');
    await client.visit();
    const old = await service.workerPid();
    await service.call('POST', '/api/config/reload');
    const current = await service.workerPid();
    expect((await check('127.0.1.9'))['workers']).toHaveLength(2);
    await service.raw(
      `@!${old} del map ${service.paths.blockedMap} 127.0.1.0/24`,
      `@!${old} del map ${service.paths.blockedMap} 127.0.1.9`,
    );
    const asked = Promise.all([check('127.0.1.9'), service.call('GET', '/api/blocked-ips/127.0.1.9')]);
    const [checked, got] = await asked;
    expect(checked).toMatchObject({ verdict: 'blocked', by: '127.0.1.9', enforced: false });
    expect(checked['workers']).toEqual(
      expect.arrayContaining([
        { pid: old, verdict: 'allowed' },
        { pid: current, verdict: 'blocked' },
      ]),
    );
    expect(got.body['workers']).toEqual(
      expect.arrayContaining([
        { pid: old, draining: true, holds: false },
        { pid: current, draining: false, holds: true },
      ]),
    );
    client.close();
    expect((await service.call('GET', '/api/blocked-ips/127.0.1.77')).body).toMatchObject({
      code: 1100,
      covered_by: ['127.0.1.0/24'],
    });
  });
});
