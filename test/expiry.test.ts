// Blocks that end. The service's clock is set by the test, so that nothing ends before it is to.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { setClock, settableClock } from '../testkit/clock.ts';
import { eventually } from '../testkit/conditions.ts';
import { describeOnOneProxy } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';

const minute = 60_000;

describeOnOneProxy('an expired block', ({ bin }) => {
  let service: RealService;
  beforeAll(async () => {
    service = await RealService.start({ bin, environment: settableClock });
  });
  afterAll(() => service?.stop());

  let ahead = 0;
  /** By the service's clock. */
  const pass = async (ms: number): Promise<void> => {
    ahead += ms;
    await setClock(service.paths.prefix, ahead);
  };
  const served = (ip: string) => eventually(`${ip} is served`, async () => (await service.visit(ip)) === 200);

  it('is served again after its end and not before, and gone from database, file and map', async () => {
    const early = await service.block('127.0.1.1', { duration_seconds: 60 });
    expect(early.body['runtime_map_updated']).toBe(true);
    await service.block('127.0.1.5', { duration_seconds: 120 });
    expect(await service.visit('127.0.1.1')).toBe(403);
    await pass(1.5 * minute);
    await served('127.0.1.1');
    expect(await service.visit('127.0.1.5')).toBe(403);
    expect((await service.call('GET', '/api/blocked-ips/127.0.1.1')).status).toBe(404);
    expect(await service.fileEntries()).toEqual(['127.0.1.5 1']);
    expect(await service.runningMap()).toEqual(['127.0.1.5 1']);
    expect(await service.logText()).toMatch(/Operation done.*expire/);
    await pass(minute);
    await served('127.0.1.5');
  });

  it('that was prolonged in time goes on, whatever had been waiting for its end', async () => {
    for (const ip of ['127.0.1.2', '127.0.1.3', '127.0.1.4']) await service.block(ip, { duration_seconds: 60 });
    await service.block('127.0.1.3', { duration_seconds: 600 });
    await service.block('127.0.1.4');
    await pass(2 * minute);
    await served('127.0.1.2');
    expect(await service.visit('127.0.1.3')).toBe(403);
    expect(await service.visit('127.0.1.4')).toBe(403);
  });

  it('under a network that goes on stays a 403', async () => {
    await service.block('127.0.2.0/24');
    await service.block('127.0.2.2', { duration_seconds: 60 });
    await pass(2 * minute);
    await eventually('the entry is gone', async () => !(await service.runningMap()).includes('127.0.2.2 1'));
    expect(await service.visit('127.0.2.2')).toBe(403);
  });

  it('whose end came while the service was away is served again when it is back', async () => {
    await service.block('127.0.3.3', { duration_seconds: 60 });
    await service.block('127.0.3.4', { duration_seconds: 600 });
    service.kill('SIGTERM');
    await service.ended();
    await pass(2 * minute);
    // The proxy alone goes on denying it.
    expect(await service.visit('127.0.3.3')).toBe(403);
    await service.launch();
    await served('127.0.3.3');
    expect(await service.visit('127.0.3.4')).toBe(403);
    expect((await service.listed()).includes('127.0.3.3')).toBe(false);
    expect((await service.fileEntries()).includes('127.0.3.3 1')).toBe(false);
  });

  it('of hundreds at once is served again together', async () => {
    const expires_at = new Date(Date.now() + ahead + 10 * minute).toISOString();
    const add = Array.from({ length: 700 }, (_, n) => ({ ip_address: `127.1.${n >> 8}.${n & 255}`, expires_at }));
    const answer = await service.call('POST', '/api/blocked-ips/batch', { body: { add } });
    expect(answer.body).toMatchObject({ added: 700, runtime_map_updated: true });
    expect(await service.visit('127.1.2.3')).toBe(403);
    await pass(20 * minute);
    await eventually('all are gone', async () =>
      (await service.runningMap()).every((line) => !line.startsWith('127.1.')),
    );
    expect(await service.visit('127.1.2.3')).toBe(200);
  });
});
