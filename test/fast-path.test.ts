import { afterAll, beforeAll, expect, it } from 'vitest';
import { slowedTime } from '../testkit/clock.ts';
import { describeOnNewestProxy } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';

describeOnNewestProxy('a block', ({ bin }) => {
  let service: RealService;
  beforeAll(async () => {
    // Deadlines are not tested here, and a busy machine may miss them.
    service = await RealService.start({ bin, environment: slowedTime });
  });
  afterAll(() => service.stop());

  it('denies with 403 at once, without a new worker, and serves again after the unblock', async () => {
    const worker = await service.workerPid();
    expect(await service.visit('127.0.0.2')).toBe(200);
    const blocked = await service.block('127.0.0.2', { reason: 'test' });
    expect(blocked.status).toBe(201);
    expect(blocked.body).toMatchObject({
      ip_address: '127.0.0.2',
      reason: 'test',
      blocked_by: '_settings',
      expires_at: null,
      runtime_map_updated: true,
      runtime_map_failures: [],
      runtime_map_failures_total: 0,
      reload_scheduled: false,
    });
    expect(await service.visit('127.0.0.2')).toBe(403);
    expect(await service.visit('127.0.0.3')).toBe(200);
    expect(await service.fileEntries()).toEqual(['127.0.0.2 1']);
    expect(await service.runningMap()).toEqual(['127.0.0.2 1']);
    const unblocked = await service.unblock('127.0.0.2');
    expect(unblocked.status).toBe(200);
    expect(await service.visit('127.0.0.2')).toBe(200);
    expect(await service.fileEntries()).toEqual([]);
    expect(await service.workerPid()).toBe(worker);
  });

  it('reaches a client whose idle keep-alive connection stays with a draining worker', async () => {
    const client = service.keepAliveClient('127.0.0.4');
    expect(await client.visit()).toBe(200);
    const before = await service.workerPid();
    expect((await service.call('POST', '/api/config/reload')).status).toBe(200);
    expect((await service.processes()).draining.map((worker) => worker.pid)).toContain(before);
    const blocked = await service.block('127.0.0.4');
    expect(blocked.body).toMatchObject({ runtime_map_updated: true });
    expect(await client.visit()).toBe(403);
    client.close();
  });
});
