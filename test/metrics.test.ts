import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOnEachProxy } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';

describeOnEachProxy('metrics', ({ bin }) => {
  let service: RealService;
  beforeAll(async () => {
    service = await RealService.start({ bin });
  });
  afterAll(() => service.stop());

  it('x', async () => {
    await service.block('127.0.0.2');
    await service.visit('127.0.0.2');
    const a = await service.call('GET', '/metrics');
    console.log(a.status, a.headers, a.text);
    expect(a.status).toBe(200);
  });
});
