// Promise 1: worker, master and service are killed in turn while blocks arrive. Every acknowledged address is blocked
// afterwards, in database, file and workers.
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findMaster } from '../src/haproxy/process/master-process.ts';
import { capabilitiesOf } from '../src/haproxy/process/proxy-version.ts';
import { requestReload } from '../src/haproxy/process/reload-triggers.ts';
import { processAlive, processStartTime } from '../src/system/processes.ts';
import { eventually, patienceMs, within } from '../testkit/conditions.ts';
import { describeOnNewestProxy, longTests } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';
import { addressOf, expectAgreement } from '../testkit/traffic.ts';

const atATime = 4;
/** Acknowledged before and after each death. */
const blocksAround = longTests ? 60 : 20;

describeOnNewestProxy('kill -9 during blocks', ({ bin, major, minor }) => {
  const { workerReadsConfiguration } = capabilitiesOf({ text: '', major, minor });
  let service: RealService;
  const acknowledged: string[] = [];
  let next = 0;

  beforeAll(async () => {
    service = await RealService.start({ bin });
  });
  afterAll(() => service.stop());

  async function blockThroughout(during: () => Promise<void>): Promise<number[]> {
    const refusals: number[] = [];
    let over = false;
    const blockOn = async (): Promise<void> => {
      while (!over) {
        const ip = addressOf(next);
        next += 1;
        try {
          const { status } = await service.block(ip);
          if (status === 200 || status === 201) acknowledged.push(ip);
          else refusals.push(status);
        } catch (error) {
          // The service is dead: nothing was acknowledged.
          if (!['ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? ''))
            throw error;
        }
        // Clients without a pause would take the processor from the starting service.
        await pause(longTests ? 20 : 50);
      }
    };
    const all = Promise.all(Array.from({ length: atATime }, blockOn));
    try {
      await more(blocksAround);
      await during();
      await more(blocksAround);
    } finally {
      over = true;
    }
    await all;
    return refusals;
  }

  async function more(count: number): Promise<void> {
    const until = acknowledged.length + count;
    await eventually('more blocks were acknowledged', () => acknowledged.length >= until);
  }

  /** All are in the running map; a sample of them is visited. */
  async function expectEnforced(): Promise<void> {
    await service.healthy();
    await expectAgreement(service, acknowledged);
    const step = Math.max(1, Math.floor(acknowledged.length / (longTests ? 70 : 20)));
    for (let at = 0; at < acknowledged.length; at += step) {
      const ip = acknowledged[at]!;
      expect(await service.visit(ip), ip).toBe(403);
    }
    expect(await service.visit('127.0.0.9')).toBe(200);
  }

  /** A worker outlives its killed master for a moment, so one answer is no proof. */
  async function servedAgainAfter(master: number): Promise<void> {
    await eventually('another master answers', async () => (await service.processes()).master.pid !== master);
    await eventually('HAProxy serves again', async () => (await service.visit('127.0.0.9')) === 200);
  }

  async function kill(pid: number): Promise<void> {
    const startTime = await processStartTime(pid);
    process.kill(pid, 'SIGKILL');
    await eventually('it is dead', async () => !(await processAlive(pid, startTime)));
  }

  it('of the worker: a new one starts and enforces every acknowledged block', async () => {
    const before = await service.workerPid();
    const refusals = await blockThroughout(async () => {
      await kill(before);
      await eventually('a worker serves again', async () => (await service.workerPid()) !== before);
    });
    expect(refusals).toEqual([]);
    await expectEnforced();
  });

  it('of the worker after a refused reload, while another one drains: a new one starts and serves', async () => {
    const client = service.keepAliveClient('127.0.0.8');
    expect(await client.visit()).toBe(200);
    const served = await service.workerPid();
    await requestReload(service.socket, within(patienceMs));
    await eventually('another worker serves', async () => (await service.workerPid()) !== served);
    const { config } = service.paths;
    const good = await readFile(config);
    await writeFile(config, 'nonsense\n');
    const { master, current, draining } = await service.processes();
    expect(draining).toHaveLength(1);
    const drains = draining[0]!;
    const drainsSince = await processStartTime(drains.pid);
    expect((await requestReload(service.socket, within(patienceMs))).kind).not.toBe('success');
    await writeFile(config, good);
    await kill(current[0]!.pid);
    await eventually('HAProxy serves again', async () => (await service.visit('127.0.0.9')) === 200);
    // From 3.1 on the master survives it, and is restarted only when its last draining worker ends.
    if (workerReadsConfiguration && (await service.processes()).master.pid !== master.pid)
      expect(await processAlive(drains.pid, drainsSince)).toBe(false);
    client.close();
    await expectEnforced();
  });

  it('of the master: it is started again and enforces every acknowledged block', async () => {
    const { master } = await service.processes();
    const refusals = await blockThroughout(async () => {
      await kill(master.pid);
      await servedAgainAfter(master.pid);
    });
    expect(refusals).toEqual([]);
    expect((await service.processes()).master.pid).not.toBe(master.pid);
    // At the first attempt; restart-pace.test.ts tests that there is no back-off.
    expect((await service.logText()).split('HAProxy has ended').at(-1)).not.toContain('could not be started');
    await expectEnforced();
  });

  it('of the service: HAProxy enforces, and the next start adopts it', async () => {
    const before = await service.processes();
    const refusals = await blockThroughout(async () => {
      const held = acknowledged.at(-1)!;
      service.kill('SIGKILL');
      expect(await service.ended()).toMatchObject({ signal: 'SIGKILL' });
      expect(await service.visit(held)).toBe(403);
      expect(await service.visit('127.0.0.9')).toBe(200);
      await service.launch();
    });
    expect(refusals).toEqual([]);
    const after = await service.processes();
    expect(after.master.pid).toBe(before.master.pid);
    expect(after.current[0]?.pid).toBe(before.current[0]?.pid);
    expect(await service.logText()).toContain(`HAProxy adopted master=${before.master.pid}`);
    await expectEnforced();
  });

  it('of the service and the master together: the next start restores both', async () => {
    const { master } = await service.processes();
    const refusals = await blockThroughout(async () => {
      service.kill('SIGKILL');
      await service.ended();
      await kill(master.pid);
      await service.launch();
    });
    expect(refusals).toEqual([]);
    expect((await service.processes()).master.pid).not.toBe(master.pid);
    await expectEnforced();
  });

  it('of the master with a live configuration broken outside the service: the last known good serves', async () => {
    const good = await readFile(service.paths.config, 'utf8');
    const { master } = await service.processes();
    await appendFile(service.paths.config, '\nfrontend broken\n  bind no-such-thing\n');
    const broken = await readFile(service.paths.config, 'utf8');
    await kill(master.pid);
    await servedAgainAfter(master.pid);
    expect(await readFile(service.paths.config, 'utf8')).toBe(good);
    expect((await service.logText()).split('HAProxy has ended').at(-1)).toContain('Backup restored');
    await expectEnforced();
    const kept = (await service.call('GET', '/api/config/backups')).body as { items?: unknown };
    expect(JSON.stringify(kept)).toContain('refused by HAProxy at start');
    expect(broken).not.toBe(good);
  });

  it('of the master without the service: a foreign process in the stale pid file is left alone', async () => {
    const { master } = await service.processes();
    service.kill('SIGTERM');
    await service.ended();
    await kill(master.pid);
    // The pid of this test: a signal would end it.
    await writeFile(service.paths.pidFile, `${process.pid}\n`);
    await service.launch();
    await servedAgainAfter(master.pid);
    expect((await service.call('POST', '/api/config/reload')).status).toBe(200);
    expect((await findMaster(service.paths.pidFile, service.paths.config))?.pid).toBe(
      (await service.processes()).master.pid,
    );
    await expectEnforced();
  });
});
