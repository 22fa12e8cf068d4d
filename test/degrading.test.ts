// Promise 3: whatever the master socket does, blocks and unblocks are answered truthfully before it recovers, and the
// reload that enforces them follows by itself. `npm test` uses one HAProxy for each kind of failure, and only breakages
// that differ from each other and from those that socket-faults.test.ts injects.
import { stat, unlink } from 'node:fs/promises';
import { kill } from 'node:process';
import { afterAll, describe, expect, it } from 'vitest';
import { requestReload } from '../src/haproxy/process/reload-triggers.ts';
import { breakages, takeAllConnections } from '../testkit/broken-master-socket.ts';
import { slowedTime } from '../testkit/clock.ts';
import { eventually, patienceMs, within } from '../testkit/conditions.ts';
import { dealt, describeOnProductProxies, isDealtTo, itInLongTests, longTests, sampled } from '../testkit/proxies.ts';
import { RealService } from '../testkit/real-service.ts';
import { suspend } from '../testkit/suspend.ts';

/** Reloads by another process, two blocks during each. */
const foreignReloads = longTests ? 10 : 2;
/** Blocked one after the other while the socket is broken. */
const blocksMeanwhile = longTests ? 50 : 4;

/** A missing one has a test of its own below. */
const sample = ['refusing: a stale file', 'garbled'];
const broken = sampled(breakages, ({ name }) => sample.includes(name));

type BlockAnswer = Awaited<ReturnType<RealService['block']>>;

/** The answer of a successful call. That it precedes the recovery follows from the order of the test. */
async function done(call: Promise<BlockAnswer>): Promise<BlockAnswer> {
  const answer = await call;
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer;
}

interface Stack {
  readonly service: RealService;
  /** Log and reloads since the test began, the newest reload first. */
  log(): Promise<string>;
  reloads(): Promise<{ status: string; reasons: string[] }[]>;
}

async function stackOf(service: RealService): Promise<Stack> {
  const history = async () =>
    (await service.call('GET', '/api/config/reloads')).body.items as { status: string; reasons: string[] }[];
  const [logBefore, reloadsBefore] = [(await service.logText()).length, (await history()).length];
  return {
    service,
    log: async () => (await service.logText()).slice(logBefore),
    reloads: async () => (await history()).slice(0, -reloadsBefore || undefined),
  };
}

async function withService(service: RealService, work: (stack: Stack) => Promise<void>): Promise<void> {
  try {
    await service.healthy();
    const stack = await stackOf(service);
    await work(stack);
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${await service.logText()}`, { cause: error });
  }
}

/** One service for the tests of a version, each after the other; a new one after a test that failed. */
class SharedService {
  readonly #bin: string;
  #service: RealService | null = null;
  #turn: Promise<void> = Promise.resolve();

  constructor(bin: string) {
    this.#bin = bin;
  }

  use(work: (stack: Stack) => Promise<void>): Promise<void> {
    const used = this.#turn.then(() => this.#use(work));
    this.#turn = used.catch(() => this.stop());
    return used;
  }

  async stop(): Promise<void> {
    await this.#service?.stop();
    this.#service = null;
  }

  async #use(work: (stack: Stack) => Promise<void>): Promise<void> {
    this.#service ??= await RealService.start({ bin: this.#bin });
    const service = this.#service;
    await withService(service, work);
    await service.call('PUT', '/api/blocked-ips?allow_shrink=true', { body: [] });
    await eventually('no worker drains', async () => (await service.processes()).draining.length === 0);
  }
}

/** Failed attempts may precede it on a slow machine. */
async function expectOneReload({ reloads }: Stack): Promise<void> {
  const statuses = await eventually('a completed reload is in the history', async () => {
    const all = (await reloads()).map(({ status }) => status);
    return all[0] === 'completed' ? all : null;
  });
  expect(statuses.slice(1).filter((status) => status !== 'failed')).toEqual([]);
}

function failureOf(answer: BlockAnswer, verb: string, ip: string): void {
  expect(answer.body).toMatchObject({
    runtime_map_updated: false,
    runtime_map_failures_total: 1,
    runtime_map_failures: [
      { ip_address: ip, command: expect.stringMatching(new RegExp(`^@(1|!\\d+) (${verb}) map .* ?${ip}`)) },
    ],
    reload_scheduled: true,
  });
  expect(answer.body['runtime_map_failures'][0].reason).toMatch(/\w/);
  expect(answer.body['runtime_map_failures'][0].worker).toEqual(expect.any(Number));
}

/** The master's own `reload`, as an operator makes it; ends when its worker is the current one. */
async function reloadOutside(service: RealService): Promise<void> {
  const { reply, before } = await eventually('the master takes a reload', async () => {
    const worker = await service.workerPid();
    return { before: worker, reply: await requestReload(service.socket, within(patienceMs)) };
  });
  expect(reply.kind).not.toBe('failure');
  await eventually('a new worker is there', async () => (await service.workerPid()) !== before);
}

async function holdsTheWholeSet(service: RealService): Promise<void> {
  const listed = (await service.listed()).map((ip) => `${ip} 1`).sort();
  expect((await service.runningMap()).sort()).toEqual(listed);
  expect((await service.fileEntries()).sort()).toEqual(listed);
}

// Concurrent, because the tests mostly wait for HAProxy: those of one version wait for each other, not for the other version.
describe.concurrent('degrading', () => {
  describeOnProductProxies('the service', ({ bin }) => {
    const dealtIt = dealt(bin, it);
    const shared = new SharedService(bin);
    afterAll(() => shared.stop());

    // The first of the service: within seconds of another reload its own would wait.
    dealtIt('a master socket with ten foreign connections: is reported, and recovers when they close', async () => {
      await shared.use(async (stack) => {
        const { service } = stack;
        const repair = await takeAllConnections(service);
        expect((await done(service.block('127.0.1.1'))).body).toMatchObject({
          runtime_map_updated: false,
          runtime_map_failures: [{ ip_address: '127.0.1.1', reason: expect.stringMatching(/\w/) }],
          reload_scheduled: true,
        });
        await service.healthy();
        expect(await service.visit('127.0.1.1')).toBe(403);
        await holdsTheWholeSet(service);
        await expectOneReload(stack);
        await repair();
      });
    });

    // A stopped master cannot reload, so the socket stays broken for the whole test.
    it.concurrent.each(broken.filter((_, index) => isDealtTo(bin, index)))(
      'with a broken master socket ($name), the service answers, reports it, and recovers',
      async ({ breakIt }) => {
        await shared.use(async (stack) => {
          const { service } = stack;
          await service.block('127.0.9.9');
          const { master, current } = await service.processes();
          await suspend(master.pid);
          const repair = await breakIt(service);

          failureOf(await done(service.block('127.0.1.1')), 'add|get', '127.0.1.1');
          failureOf(await done(service.unblock('127.0.9.9')), 'del', '127.0.9.9');
          for (let nth = 2; nth <= blocksMeanwhile; nth += 1)
            failureOf(await done(service.block(`127.0.1.${nth}`)), 'add|get', `127.0.1.${nth}`);
          const together = Array.from({ length: 20 }, (_, index) => `127.0.2.${index + 1}`);
          for (const answer of await Promise.all(together.map((ip) => done(service.block(ip)))))
            expect(answer.body).toMatchObject({ runtime_map_updated: false, reload_scheduled: true });
          const degraded = await service.health();
          expect(degraded.status).toBe(503);
          expect(degraded.body).toMatchObject({ status: 'degraded', scheduled_reload: { reasons: expect.any(Array) } });
          expect(JSON.stringify(degraded.body)).not.toMatch(/master socket[^"]*master socket/i);
          expect(await service.visit('127.0.1.1')).toBe(200);
          expect(await stack.log()).not.toContain('Runtime map updated operation=block ip_address=127.0.1.1');

          kill(master.pid, 'SIGCONT');
          await service.healthy();
          expect(await service.visit('127.0.1.1')).toBe(403);
          expect(await service.visit('127.0.2.20')).toBe(403);
          expect(await service.visit('127.0.9.9')).toBe(200);
          const after = await service.processes();
          expect(after.master.pid).toBe(master.pid);
          expect(after.current[0]?.pid).not.toBe(current[0]?.pid);
          await holdsTheWholeSet(service);
          expect((await done(service.block('127.0.3.1'))).body).toMatchObject({ runtime_map_updated: true });
          await expectOneReload(stack);
          expect(await service.workerPid()).toBe(after.current[0]?.pid);
          await repair();
        });
      },
    );

    dealtIt('foreign reloads: blocks wait for them, and the service adds none', async () => {
      // On a busy machine a reload may take longer than a block waits for it.
      const service = await RealService.start({ bin, environment: slowedTime });
      try {
        await withService(service, async (stack) => {
          for (let nth = 1; nth <= foreignReloads; nth += 1) {
            const reload = reloadOutside(service);
            for (const ip of [`127.1.1.${nth}`, `127.1.2.${nth}`]) {
              const { body } = await done(service.block(ip));
              expect(body['runtime_map_failures'], JSON.stringify(body)).toEqual([]);
              expect(body).toMatchObject({ runtime_map_updated: true, reload_scheduled: false });
            }
            await reload;
          }
          await service.healthy();
          await holdsTheWholeSet(service);
          expect(await stack.reloads()).toEqual([]);
        });
      } finally {
        await service.stop();
      }
    });

    dealtIt('foreign reloads: replace a scheduled one', async () => {
      await shared.use(async (stack) => {
        const { service } = stack;
        // The service's reloads are ten seconds apart, so the next scheduled one waits.
        expect((await service.call('POST', '/api/config/reload')).status).toBe(200);
        const { master, current } = await service.processes();
        await unlink(service.paths.masterSocket);
        expect((await done(service.block('127.0.1.1'))).body).toMatchObject({ reload_scheduled: true });
        expect((await service.health()).body['scheduled_reload']).not.toBeNull();
        kill(master.pid, 'SIGUSR2');
        await service.healthy();
        expect(await service.visit('127.0.1.1')).toBe(403);
        expect(await service.workerPid()).not.toBe(current[0]?.pid);
        expect((await service.health()).body['scheduled_reload']).toBeNull();
        expect(await stack.log()).toContain('Scheduled reload dropped');
        expect(await stack.reloads()).toHaveLength(1);
      });
    });

    itInLongTests('a missing master socket: is created again without any block', async () => {
      await shared.use(async (stack) => {
        const { service } = stack;
        await unlink(service.paths.masterSocket);
        await eventually('the socket is back', async () => (await stat(service.paths.masterSocket)).isSocket());
        await service.healthy();
        await expectOneReload(stack);
      });
    });

    dealtIt('a missing master socket: loses no acknowledged block to a death of the service', async () => {
      await shared.use(async (stack) => {
        const { service } = stack;
        const { master } = await service.processes();
        await suspend(master.pid);
        await unlink(service.paths.masterSocket);
        expect((await done(service.block('127.0.1.1'))).body).toMatchObject({ reload_scheduled: true });
        service.kill('SIGKILL');
        await service.ended();
        // A worker that was started before the death would have read the file.
        expect(await service.visit('127.0.1.1')).toBe(200);
        kill(master.pid, 'SIGCONT');
        await service.launch();
        await service.healthy();
        expect(await service.visit('127.0.1.1')).toBe(403);
        await holdsTheWholeSet(service);
      });
    });

    dealtIt('a hung worker: blocks are answered in time, and everything is in sync when it resumes', async () => {
      await shared.use(async (stack) => {
        const { service } = stack;
        await service.block('127.0.9.9');
        const { current } = await service.processes();
        const hung = current[0]!.pid;
        await suspend(hung);
        const first = await done(service.block('127.0.1.1'));
        failureOf(first, 'add|get', '127.0.1.1');
        expect(first.body['runtime_map_failures'][0].worker).toBe(hung);
        // The master reloads; the hung worker keeps draining, with its own copy of the map.
        await eventually('a new worker is there', async () => (await service.processes()).current[0]?.pid !== hung);
        for (let nth = 2; nth <= blocksMeanwhile; nth += 1) await done(service.block(`127.0.1.${nth}`));
        const together = Array.from({ length: 20 }, (_, index) => `127.0.2.${index + 1}`);
        await Promise.all(together.map((ip) => done(service.block(ip))));
        const health = await eventually('the new worker is right and the old one is named', async () => {
          const { body } = await done(service.block('127.0.4.1'));
          const failures = body['runtime_map_failures'] as { worker: number; command: string; reason: string }[];
          // While the socket is down, the hung worker is still the last one known as current.
          const named = failures.every(({ worker, command }) => worker === hung && !command.startsWith('@1'));
          return named && body['reload_scheduled'] === false ? body : null;
        });
        expect(health).toMatchObject({
          runtime_map_updated: false,
          runtime_map_failures: [
            { ip_address: '127.0.4.1', worker: hung, command: expect.stringContaining(`@!${hung}`) },
          ],
          reload_scheduled: false,
        });
        await done(service.unblock('127.0.9.9'));
        expect(await service.health()).toMatchObject({ status: 503, body: { status: 'degraded' } });
        // One reload; an overloaded machine may need another before the new worker answers in time.
        const made = await eventually('no reload is left to do', async () => {
          const { body } = await service.health();
          const history = await stack.reloads();
          return body['scheduled_reload'] === null && history.some(({ status }) => status === 'completed')
            ? history
            : null;
        });

        kill(hung, 'SIGCONT');
        await service.healthy();
        expect(await service.visit('127.0.1.1')).toBe(403);
        expect(await service.visit('127.0.2.20')).toBe(403);
        expect(await service.visit('127.0.9.9')).toBe(200);
        await holdsTheWholeSet(service);
        // Failures of only the draining worker scheduled none.
        expect(await stack.reloads()).toHaveLength(made.length);
      });
    });

    dealtIt('a hung draining worker: delays neither blocks nor a reload', async () => {
      await shared.use(async (stack) => {
        const { service } = stack;
        const client = service.keepAliveClient('127.0.0.4');
        expect(await client.visit()).toBe(200);
        const hung = await service.workerPid();
        expect((await service.call('POST', '/api/config/reload')).status).toBe(200);
        await suspend(hung);
        await eventually('it is noticed', async () => {
          const draining = (await service.health()).body['workers'].draining as { pid: number; whole: boolean }[];
          return draining.some(({ pid, whole }) => pid === hung && !whole);
        });
        expect((await done(service.block('127.0.0.4'))).body).toMatchObject({
          runtime_map_updated: false,
          runtime_map_failures: [{ ip_address: '127.0.0.4', worker: hung }],
          runtime_map_failures_total: 1,
          reload_scheduled: false,
        });
        // Answered while that worker hangs.
        const reload = await service.call('POST', '/api/config/reload');
        expect(reload).toMatchObject({ status: 200, body: { warnings: [expect.stringContaining(`worker ${hung}`)] } });
        expect(await stack.log()).not.toContain('Master socket is down');

        kill(hung, 'SIGCONT');
        await service.healthy();
        expect(await client.visit()).toBe(403);
        client.close();
      });
    });
  });
});
