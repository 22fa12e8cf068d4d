import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../testkit/conditions.ts';
import { describeOnProductProxies } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';

describeOnProductProxies('an expired block', ({ bin }) => {
  let service: RealService;
  beforeAll(async () => {
    service = await RealService.start({ bin });
  });
  afterAll(() => service?.stop());

  const served = (ip: string, limitMs: number) =>
    eventually(`${ip} is served`, async () => (await service.visit(ip)) === 200, limitMs);

  it('is served again within two seconds of its end, and gone from database, file and map', async () => {
    const answer = await service.block('127.0.1.1', { duration_seconds: 1 });
    expect(answer.body['runtime_map_updated']).toBe(true);
    expect(await service.visit('127.0.1.1')).toBe(403);
    const end = Date.parse(answer.body['expires_at']);
    await served('127.0.1.1', 4_000);
    const late = Date.now() - end;
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(2_000);
    expect((await service.call('GET', '/api/blocked-ips/127.0.1.1')).status).toBe(404);
    expect(await service.fileEntries()).toEqual([]);
    expect(await service.runningMap()).toEqual([]);
    expect(await service.logText()).toMatch(/Operation done.*expire/);
  });

  it('that was prolonged in time goes on, whatever had been waiting for its end', async () => {
    const end = new Date(Date.now() + 1_500);
    await service.block('127.0.1.2', { expires_at: end.toISOString() });
    await service.block('127.0.1.3', { expires_at: end.toISOString() });
    await service.block('127.0.1.4', { expires_at: end.toISOString() });
    await service.block('127.0.1.3', { duration_seconds: 600 });
    await service.block('127.0.1.4');
    await served('127.0.1.2', 4_000);
    expect(await service.visit('127.0.1.3')).toBe(403);
    expect(await service.visit('127.0.1.4')).toBe(403);
  });

  it('under a network that goes on stays a 403', async () => {
    await service.block('127.0.2.0/24');
    const answer = await service.block('127.0.2.2', { duration_seconds: 1 });
    await eventually('the entry is gone', async () => !(await service.runningMap()).includes('127.0.2.2 1'), 4_000);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(answer.body['expires_at']));
    expect(await service.visit('127.0.2.2')).toBe(403);
  });

  it('whose end came while the service was away is served again when it is back', async () => {
    const answer = await service.block('127.0.3.3', { duration_seconds: 1 });
    await service.block('127.0.3.4', { duration_seconds: 600 });
    service.kill('SIGTERM');
    await service.ended();
    const end = Date.parse(answer.body['expires_at']);
    await eventually('the end has passed', () => Date.now() > end, 5_000);
    // Nobody is there to take it out: the proxy goes on denying it.
    expect(await service.visit('127.0.3.3')).toBe(403);
    await service.launch();
    await served('127.0.3.3', 2_000);
    expect(await service.visit('127.0.3.4')).toBe(403);
    expect((await service.listed()).includes('127.0.3.3')).toBe(false);
    expect((await service.fileEntries()).includes('127.0.3.3 1')).toBe(false);
  });

  it('of hundreds at once is served again together', async () => {
    const expires_at = new Date(Date.now() + 2_500).toISOString();
    const add = Array.from({ length: 700 }, (_, n) => ({ ip_address: `127.1.${n >> 8}.${n & 255}`, expires_at }));
    const answer = await service.call('POST', '/api/blocked-ips/batch', { body: { add } });
    expect(answer.body).toMatchObject({ added: 700, runtime_map_updated: true });
    expect(await service.visit('127.1.2.3')).toBe(403);
    await eventually(
      'all are gone',
      async () => (await service.runningMap()).every((line) => !line.startsWith('127.1.')),
      8_000,
    );
    expect(Date.now() - Date.parse(expires_at)).toBeLessThan(2_500);
    expect(await service.visit('127.1.2.3')).toBe(200);
  });
});
