// The test sets the service's clock, so that nothing expires early.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

  it('is served again after its expiry and not before, and is removed from database, file and map', async () => {
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

  it('that was extended in time stays blocked', async () => {
    for (const ip of ['127.0.1.2', '127.0.1.3', '127.0.1.4']) await service.block(ip, { duration_seconds: 60 });
    await service.block('127.0.1.3', { duration_seconds: 600 });
    await service.block('127.0.1.4');
    await pass(2 * minute);
    await served('127.0.1.2');
    expect(await service.visit('127.0.1.3')).toBe(403);
    expect(await service.visit('127.0.1.4')).toBe(403);
  });

  it('inside a blocked network stays denied', async () => {
    await service.block('127.0.2.0/24');
    await service.block('127.0.2.2', { duration_seconds: 60 });
    await pass(2 * minute);
    await eventually('the entry is gone', async () => !(await service.runningMap()).includes('127.0.2.2 1'));
    expect(await service.visit('127.0.2.2')).toBe(403);
  });

  it('that expired while the service was stopped is served again after its start', async () => {
    await service.block('127.0.3.3', { duration_seconds: 60 });
    await service.block('127.0.3.4', { duration_seconds: 600 });
    service.kill('SIGTERM');
    await service.ended();
    await pass(2 * minute);
    // HAProxy alone keeps denying it.
    expect(await service.visit('127.0.3.3')).toBe(403);
    await service.launch();
    await served('127.0.3.3');
    expect(await service.visit('127.0.3.4')).toBe(403);
    expect((await service.listed()).includes('127.0.3.3')).toBe(false);
    expect((await service.fileEntries()).includes('127.0.3.3 1')).toBe(false);
  });

  it('of hundreds with the same expiry is served again together', async () => {
    const expires_at = new Date(Date.now() + ahead + 10 * minute).toISOString();
    const add = Array.from({ length: 700 }, (_, n) => ({ ip_address: `127.1.${n >> 8}.${n & 255}`, expires_at }));
    const answer = await service.call('POST', '/api/blocked-ips/batch', { body: { add } });
    // On a busy machine the workers may be verified later; the answer says so.
    expect(answer.body).toMatchObject({ added: 700 });
    await eventually('the last one is denied', async () => (await service.visit('127.1.2.187')) === 403);
    await pass(20 * minute);
    await eventually('all are gone', async () =>
      (await service.runningMap()).every((line) => !line.startsWith('127.1.')),
    );
    expect(await service.visit('127.1.2.187')).toBe(200);
  });

  describe('trust that expires', () => {
    const path = (ip: string): string => `/api/trusted-ips/${ip}`;
    const trust = (ip: string, body: object) => service.call('PUT', path(ip), { body });
    const trustedInFile = async () =>
      (await readFile(service.paths.trustedMap, 'utf8')).split('\n').filter((line) => /^\d/.test(line));
    const denied = (ip: string) => eventually(`${ip} is denied`, async () => (await service.visit(ip)) === 403);

    it('makes the block effective again in every worker and in the file, and removes nothing else', async () => {
      for (const ip of ['127.0.5.1', '127.0.5.2', '127.0.5.3']) await service.block(ip);
      const made = await trust('127.0.5.1', { duration_seconds: 60, note: 'visitor' });
      expect(made.status).toBe(201);
      expect(made.body['expires_at']).toMatch(/Z$/);
      await trust('127.0.5.2', { duration_seconds: 60 });
      await trust('127.0.5.2', { duration_seconds: 600 });
      await trust('127.0.5.3', { duration_seconds: 60 });
      expect((await trust('127.0.5.3', { expires_at: null })).body['expires_at']).toBeNull();
      await served('127.0.5.1');
      await pass(2 * minute);
      await denied('127.0.5.1');
      expect((await service.call('GET', path('127.0.5.1'))).status).toBe(404);
      expect(await trustedInFile()).toEqual(['127.0.5.2 1', '127.0.5.3 1']);
      expect(await readFile(service.paths.trustedMap, 'utf8')).toMatch(
        /\n# until \S+Z\n127\.0\.5\.2 1\n127\.0\.5\.3 1\n$/,
      );
      expect(await service.visit('127.0.5.2')).toBe(200);
      expect(await service.visit('127.0.5.3')).toBe(200);
      expect((await service.call('POST', '/api/config/reload')).status).toBe(200);
      expect(await service.visit('127.0.5.1')).toBe(403);
      expect(await service.visit('127.0.5.2')).toBe(200);
      const audit = await service.call('GET', '/api/audit?operation=expire_trust');
      expect(audit.body['items']).toMatchObject([
        { key: null, ip_address: '127.0.5.1', outcome: 'done', runtime_map_updated: true },
      ]);
    });

    it('ends also if the service was stopped at its expiry', async () => {
      await trust('127.0.5.1', { duration_seconds: 60 });
      service.kill('SIGKILL');
      await service.ended();
      await pass(2 * minute);
      expect(await service.visit('127.0.5.1')).toBe(200);
      await service.launch();
      await denied('127.0.5.1');
      // The expiry was extended before the restart.
      expect(await service.visit('127.0.5.2')).toBe(200);
      expect(await trustedInFile()).toEqual(['127.0.5.2 1', '127.0.5.3 1']);
      expect(await readFile(service.paths.trustedMap, 'utf8')).toMatch(
        /\n# until \S+Z\n127\.0\.5\.2 1\n127\.0\.5\.3 1\n$/,
      );
    });

    it('refuses an expiry in the past and two expiry times, and stores nothing', async () => {
      for (const body of [
        { expires_at: '2020-01-01T00:00:00Z' },
        { expires_at: '2099-01-01T00:00:00Z', duration_seconds: 60 },
        { duration_seconds: 0 },
      ])
        expect((await trust('127.0.5.9', body)).status).toBe(400);
      expect((await service.call('GET', path('127.0.5.9'))).status).toBe(404);
    });
  });
});
