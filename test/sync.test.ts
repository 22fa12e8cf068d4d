import { rename } from 'node:fs/promises';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { jumpTo, movableTime, stopTime } from '../testkit/clock.ts';
import { eventually } from '../testkit/conditions.ts';
import { describeOnNewestProxy } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';

const entries = ['127.0.1.1', '127.0.1.2', '127.0.1.3', '127.0.2.0/24', '2001:db8::1', '2001:db8:1::/48'];
const right = entries.map((entry) => `${entry} 1`).sort();

describeOnNewestProxy('a sync', ({ bin }) => {
  let service: RealService;
  beforeAll(async () => {
    service = await RealService.start({ bin, environment: movableTime });
    for (const entry of entries) expect((await service.block(entry)).status).toBe(201);
  });
  afterAll(() => service?.stop());

  const sync = () => service.call('POST', '/api/blocked-ips/sync');
  const map = (): string => service.paths.blockedMap;
  const running = async (): Promise<string[]> => (await service.runningMap()).sort();
  const sql = (text: string): void => {
    const database = new SqliteDatabase(service.paths.database);
    database.exec(text);
    database.close();
  };
  const nothingLeft = { missing_ips: [], unexpected_ips: [], wrong_value_ips: [], duplicate_ips: [] };

  it('without differences reports that', async () => {
    const answer = await sync();
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      runtime_map_synced: true,
      total_ips: 6,
      added: 0,
      removed: 0,
      ...nothingLeft,
      draining_workers: [],
      map_file_updated: true,
      reload_scheduled: false,
      duration_ms: expect.any(Number),
    });
  });

  it('repairs missing, unexpected, wrong-valued and duplicate entries, and lets no blocked address pass meanwhile', async () => {
    // The reconciler would repair these too; both requests at once, so that the sync finds them.
    let passed = 0;
    let visits = 0;
    let going = true;
    const visitor = (async () => {
      while (going) {
        for (const from of ['127.0.1.2', '127.0.1.3', '127.0.2.7']) {
          visits += 1;
          if ((await service.visit(from)) !== 403) passed += 1;
        }
      }
    })();
    let repairs = 0;
    for (let round = 0; round < 5; round += 1) {
      await service.raw(
        `@1 del map ${map()} 127.0.1.1`,
        `@1 del map ${map()} 2001:db8:1::/48`,
        `@1 add map ${map()} 127.0.1.2 1`,
        `@1 add map ${map()} 127.0.1.3 1`,
        `@1 add map ${map()} 127.0.1.3 1`,
        `@1 add map ${map()} 127.0.2.0/24 1`,
        `@1 add map ${map()} 2001:db8::1 0`,
        `@1 add map ${map()} 127.0.9.9 1`,
        `@1 add map ${map()} 127.0.1.2/32 1`,
        `@1 add map ${map()} 2001:DB8:1::/48 1`,
        `@1 set map ${map()} 2001:db8::1 0`,
      );
      const answer = await sync();
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({ runtime_map_synced: true, ...nothingLeft });
      repairs += answer.body['added'] + answer.body['removed'];
      expect(await running()).toEqual(right);
    }
    going = false;
    await visitor;
    expect(repairs).toBeGreaterThan(0);
    expect(visits).toBeGreaterThan(10);
    expect(passed).toBe(0);
    expect(await service.visit('127.0.1.1')).toBe(403);
    expect(await service.visit('127.0.9.9')).toBe(200);
  });

  it('applies rows that an operator edited in the database, and leaves unusable ones', async () => {
    sql(`DELETE FROM blocked_ips WHERE ip_address = '127.0.1.1';
         INSERT INTO blocked_ips(ip_address, blocked_at) VALUES
           ('127.0.3.3', datetime('now')), ('2001:DB8:0:0::2', 'today'), ('127.0.4.0/24', '2026-01-01T00:00:00Z'),
           ('not an address', 'x'), ('127.0.4.1/24', 'x')`);
    const answer = await sync();
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ runtime_map_synced: true, total_ips: 8 });
    const wanted = [
      ...right.filter((line) => line !== '127.0.1.1 1'),
      '127.0.3.3 1',
      '2001:db8::2 1',
      '127.0.4.0/24 1',
    ];
    expect(await running()).toEqual(wanted.sort());
    expect((await service.fileEntries()).sort()).toEqual(wanted);
    expect((await service.listed()).length).toBe(8);
    expect(await service.visit('127.0.1.1')).toBe(200);
    expect(await service.visit('127.0.3.3')).toBe(403);
    expect(await service.visit('127.0.4.9')).toBe(403);
    const log = await service.logText();
    expect(log).toContain('not an address');
    expect(log).toContain('127.0.4.1/24');
    sql("DELETE FROM blocked_ips WHERE ip_address IN ('not an address', '127.0.4.1/24')");
    for (const ip of ['127.0.3.3', '2001:db8::2', '127.0.4.0/24']) expect((await service.unblock(ip)).status).toBe(200);
    expect((await service.block('127.0.1.1')).status).toBe(201);
    expect(await running()).toEqual(right);
  });

  it('repairs and lists a draining worker', async () => {
    const client = service.keepAliveClient('127.0.5.5');
    expect(await client.visit()).toBe(200);
    const old = await service.workerPid();
    expect((await service.call('POST', '/api/config/reload')).status).toBe(200);
    expect((await service.block('127.0.5.5')).body['runtime_map_updated']).toBe(true);
    // Not visited before the sync: a draining worker closes the connection with its next answer.
    await service.raw(`@!${old} del map ${map()} 127.0.5.5`);
    const answer = await sync();
    expect(answer.status).toBe(200);
    expect(answer.body['draining_workers']).toEqual([{ pid: old, synced: true }]);
    expect(await client.visit()).toBe(403);
    client.close();
    await service.unblock('127.0.5.5');
  });

  it('answers 207 when the running map cannot be read, and 200 when it can be again', async () => {
    const { masterSocket } = service.paths;
    await rename(masterSocket, `${masterSocket}.away`);
    const answer = await sync();
    expect(answer.status).toBe(207);
    expect(answer.body).toMatchObject({ runtime_map_synced: false, reload_scheduled: true, total_ips: 6 });
    expect(answer.body['reason']).toEqual(expect.any(String));
    // The reload creates the socket again (SIGUSR2); either may come first.
    await rename(`${masterSocket}.away`, masterSocket).catch(() => undefined);
    const after = await eventually('a sync succeeds', async () => {
      const again = await sync();
      return again.status === 200 ? again : null;
    });
    expect(after.body['runtime_map_synced']).toBe(true);
    expect(await running()).toEqual(right);
    await service.healthy();
  });

  it('asks for consent before it drops more than half of a hundred or more entries', async () => {
    const add = Array.from({ length: 120 }, (_, n) => `127.1.0.${n}`);
    await service.call('POST', '/api/blocked-ips/batch', { body: { add } });
    sql("DELETE FROM blocked_ips WHERE ip_address LIKE '127.1.%'");
    const refused = await sync();
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('accept_map_file=true');
    expect(await service.visit('127.1.0.7')).toBe(403);
    expect((await service.fileEntries()).length).toBe(126);
    const meant = await service.call('POST', '/api/blocked-ips/sync?accept_map_file=true');
    expect(meant.status).toBe(200);
    expect(meant.body).toMatchObject({ runtime_map_synced: true, total_ips: 6 });
    expect(await service.visit('127.1.0.7')).toBe(200);
    expect(await running()).toEqual(right);
  });

  it('is made by the reconciler if the count differs', async () => {
    // The comparison of every 30 s never becomes due.
    await stopTime(service.paths.prefix);
    await service.raw(
      `@1 del map ${map()} 127.0.1.1`,
      `@1 add map ${map()} 127.0.9.9 1`,
      `@1 add map ${map()} 127.0.9.8 1`,
    );
    await eventually('it is seen and repaired', async () => (await running()).join() === right.join());
  });

  it('is made by the reconciler every thirty seconds, which finds a swap and a value 0 that keep the count', async () => {
    await service.raw(
      `@1 set map ${map()} 127.0.1.1 0`,
      `@1 del map ${map()} 127.0.1.2`,
      `@1 add map ${map()} 127.0.9.9 1`,
    );
    expect(await service.visit('127.0.1.2')).toBe(200);
    await jumpTo(service.paths.prefix, 30_000);
    await eventually('it is seen and repaired', async () => (await running()).join() === right.join());
    expect(await service.visit('127.0.1.2')).toBe(403);
  });

  it('never sent a clear map', async () => {
    expect(await service.logText()).not.toContain('clear map');
  });
});
