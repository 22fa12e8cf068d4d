import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { describe, expect, it, vi } from 'vitest';
import { noFacts } from '../../../testkit/no-facts.ts';
import type { GroupOutcome, RuntimeMap } from '../../haproxy/maps/runtime-map.ts';
import type { GroupRequest } from '../../haproxy/maps/runtime-map-changes.ts';
import type { Processes, Worker } from '../../haproxy/process/workers.ts';
import { MasterSocketError } from '../../haproxy/socket/master-socket.ts';
import { processStartTime } from '../../system/processes.ts';
import { PendingVersions } from '../compare/map-replacement.ts';
import { WorkerRegistry } from '../compare/worker-registry.ts';
import { RuntimeChanger } from './runtime-changer.ts';
import type { RuntimeLink } from './runtime-link.ts';

const good: GroupOutcome = {
  failures: [],
  ended: null,
  workerGone: false,
  processes: null,
  alreadyThere: 0,
  removed: [],
};

const processesOf = (current: number, ...draining: number[]): Processes => ({
  ...withStarting([], current, ...draining),
});

const withStarting = (starting: readonly Worker[], current: number, ...draining: number[]): Processes => {
  // Without a start time the process cannot be identified.
  const worker = (pid: number) => ({ pid, startTime: null, version: '3.0.11' });
  return {
    master: { pid: 1, reloads: 0, failed: 0, version: '3.0.11', uptimeSeconds: 9 },
    current: [worker(current)],
    currentAnswered: true,
    draining: draining.map(worker),
    starting,
  };
};

const takingLines = ({ master, ...workers }: Processes): Processes => ({
  ...workers,
  master: { ...master, version: '3.4.0' },
});

/** A changer whose proxy answers each group with `answer`, and the workers addressed, in order. */
function changerBefore(answer: (worker: string) => GroupOutcome, addresses = ['192.0.2.1']) {
  const asked: string[] = [];
  const registry = new WorkerRegistry({ now: () => new Date(), emit: noFacts });
  const pending = new PendingVersions();
  const map = {
    path: '/etc/proxy/blocked_ips.map',
    lookUpGroup: ({ worker }: GroupRequest) => {
      const name = worker.kind === 'current' ? '@1' : `${worker.kind === 'line' ? '@' : ''}@!${worker.pid}`;
      const apply = async (): Promise<GroupOutcome> => {
        asked.push(name);
        return answer(name);
      };
      return { worker, apply };
    },
  } as unknown as RuntimeMap;
  const link = {
    state: { up: true },
    hold: (_: number, attempt: () => unknown) => attempt(),
  } as unknown as RuntimeLink;
  const changer = new RuntimeChanger({ link, registry, pending, onNewWorkers: () => undefined });
  const lookUp = (givenMs = 60_000) =>
    changer.lookUp({ map, name: 'blocked', add: addresses, remove: [], deadline: performance.now() + givenMs });
  const block = (givenMs?: number) => lookUp(givenMs).apply(addresses);
  return { asked, registry, pending, lookUp, block };
}

describe('a change in the running maps', () => {
  it('is verified once the current and every listed worker were read back', async () => {
    const { asked, registry, block } = changerBefore((worker) =>
      worker === '@1' ? { ...good, processes: processesOf(20, 10) } : good,
    );
    registry.observe(processesOf(20));
    expect(await block()).toMatchObject({ failures: [], currentFailed: false });
    // A worker that only the final `show proc` listed has its own round.
    expect(asked).toEqual(['@1', '@!10']);
  });

  it.each([
    [
      ['192.0.2.1', '192.0.2.2', '192.0.2.3'],
      ['@@!20', '@@!10'],
    ],
  ])('of %j goes to workers that take lines as %j', async (addresses, expected) => {
    const listed = { ...good, processes: takingLines(processesOf(20, 10)) };
    const { asked, registry, block } = changerBefore((worker) => (worker.includes('20') ? listed : good), addresses);
    registry.observe(takingLines(processesOf(20)));
    expect(await block()).toMatchObject({ failures: [], currentFailed: false });
    expect(asked).toEqual(expected);
  });

  it('is not verified without the list of workers: an unknown one may lack the entry', async () => {
    const ended = new MasterSocketError('deadline', { path: '/s', command: 'show proc' });
    const { registry, block } = changerBefore(() => ({ ...good, ended }));
    registry.observe(processesOf(20));
    const { failures, currentFailed } = await block();
    expect(currentFailed).toBe(true);
    expect(failures).toMatchObject([{ ip_address: '192.0.2.1', command: 'show proc' }]);
  });

  it('also changes the newer worker if the one with a pending version is draining', async () => {
    const { asked, registry, pending, block } = changerBefore(() => ({ ...good, processes: processesOf(30, 20) }));
    registry.observe(processesOf(20));
    pending.begin(20, 'blocked', 1);
    expect(await block()).toMatchObject({ failures: [], currentFailed: false });
    expect(asked).toEqual(['@!20', '@!30', '@!20']);
  });

  it('addresses a worker that took over meanwhile by pid, because @1 is ambiguous', async () => {
    const { asked, registry, block } = changerBefore(() => ({ ...good, processes: processesOf(30, 20) }));
    registry.observe(processesOf(20));
    expect(await block()).toMatchObject({ failures: [], currentFailed: false });
    expect(asked).toEqual(['@1', '@!30', '@!20']);
  });

  it('continues with the current worker if the one with a pending version is gone', async () => {
    const { asked, registry, pending, block } = changerBefore((worker) =>
      worker === '@!20' ? { ...good, workerGone: true } : { ...good, processes: processesOf(30) },
    );
    registry.observe(processesOf(20));
    pending.begin(20, 'blocked', 1);
    expect(await block()).toMatchObject({ failures: [], currentFailed: false });
    expect(asked).toEqual(['@!20', '@1', '@!30']);
  });

  it('counts removals of all rounds', async () => {
    const { registry, block } = changerBefore((worker) => ({
      ...good,
      processes: processesOf(30),
      removed: worker === '@1' ? ['192.0.2.9'] : [],
    }));
    registry.observe(processesOf(20));
    expect([...(await block()).removedFromWorkers]).toEqual(['192.0.2.9']);
  });

  describe('while a worker starts', () => {
    const starting = async (): Promise<Worker> => ({
      pid: process.pid,
      startTime: await processStartTime(process.pid),
      version: '3.4.0',
    });

    it('waits until it serves, and changes it too', async () => {
      const worker = await starting();
      let tries = 0;
      const { asked, registry, block } = changerBefore((name) => {
        if (name === '@1') return { ...good, processes: withStarting([worker], 20) };
        tries += 1;
        return tries < 3 ? { ...good, workerGone: true } : good;
      });
      registry.observe(processesOf(20));
      expect(await block()).toMatchObject({ failures: [], currentFailed: false });
      expect(asked).toEqual(['@1', ...Array(3).fill(`@!${worker.pid}`)]);
    });

    it('reports it after the deadline, and schedules no reload', async () => {
      const worker = await starting();
      const { registry, block } = changerBefore((name) =>
        name === '@1' ? { ...good, processes: withStarting([worker], 20) } : { ...good, workerGone: true },
      );
      registry.observe(processesOf(20));
      expect(await block(60)).toMatchObject({
        failures: [{ ip_address: '192.0.2.1', worker: worker.pid, reason: 'worker is starting' }],
        currentFailed: false,
      });
    });

    it('does not wait for a worker that has ended', async () => {
      const ended = { ...(await starting()), startTime: 1 };
      const { asked, registry, block } = changerBefore((name) =>
        name === '@1' ? { ...good, processes: withStarting([ended], 20) } : { ...good, workerGone: true },
      );
      registry.observe(processesOf(20));
      expect(await block(60_000)).toMatchObject({ failures: [] });
      expect(asked).toHaveLength(2);
    });
  });

  it('does not count an exited draining worker as a failure', async () => {
    const { registry, block } = changerBefore((worker) =>
      worker === '@1'
        ? { ...good, processes: processesOf(20) }
        : { ...good, workerGone: true, failures: [failureOf(10, 'worker gone')] },
    );
    registry.observe(processesOf(20, 10));
    expect(await block()).toMatchObject({ failures: [], currentFailed: false });
  });

  it('does not count a failed draining worker that has exited as a failure, whatever the master reports', async () => {
    const { registry, block } = changerBefore((worker) =>
      worker === '@1' ? { ...good, processes: processesOf(20) } : { ...good, failures: [failureOf(10, 'rejected')] },
    );
    const processes = processesOf(20, 10);
    registry.observe({ ...processes, draining: [{ pid: 10, startTime: 1, version: '3.0.11' }] });
    expect(await block()).toMatchObject({ failures: [], currentFailed: false });
    expect(registry.byPid(10)).toBeNull();
  });

  it('marks a draining worker that it skips as out of sync', async () => {
    const { registry, block } = changerBefore(() => ({ ...good, processes: processesOf(20, 10) }));
    registry.observe(processesOf(20, 10));
    registry.markInSync(10, 'blocked');
    registry.byPid(10)!.unresponsive = true;
    expect(await block()).toMatchObject({ failures: [{ worker: 10 }], currentFailed: false });
    registry.byPid(10)!.unresponsive = false;
    expect(registry.holdsTheSet(registry.byPid(10)!, 'blocked')).toBe(false);
  });

  it('marks the worker that it addressed, although another one is current by then', async () => {
    const { registry, lookUp } = changerBefore(() => ({
      ...good,
      ended: new MasterSocketError('deadline', { path: '/s', command: 'show proc' }),
    }));
    registry.observe(processesOf(20));
    registry.markInSync(20, 'blocked');
    const group = lookUp();
    registry.observe(processesOf(30, 20));
    expect((await group.apply(['192.0.2.1'])).currentFailed).toBe(true);
    expect(registry.holdsTheSet(registry.byPid(20)!, 'blocked')).toBe(false);
  });

  it('counts a failed draining worker if no file descriptor is left to see whether it has exited', async () => {
    const { registry, block } = changerBefore((worker) =>
      worker === '@1' ? { ...good, processes: processesOf(20) } : { ...good, failures: [failureOf(10, 'exhausted')] },
    );
    registry.observe({ ...processesOf(20), draining: [{ pid: 10, startTime: 1, version: '3.0.11' }] });
    using _limit = withoutDescriptors();
    expect(await block()).toMatchObject({ failures: [{ worker: 10, reason: 'exhausted' }], currentFailed: false });
  });

  it('does not count a draining worker that exited during the commit as a failure', async () => {
    const { registry, lookUp } = changerBefore((worker) =>
      worker === '@1' ? { ...good, processes: processesOf(20) } : { ...good, failures: [failureOf(10, 'rejected')] },
    );
    registry.observe({ ...processesOf(20), draining: [{ pid: 10, startTime: 1, version: '3.0.11' }] });
    const group = lookUp();
    registry.observe(processesOf(20));
    expect(await group.apply(['192.0.2.1'])).toMatchObject({ failures: [], currentFailed: false });
  });

  it('does not wait for an exited draining worker, although the master closes the connection', async () => {
    const gone = "Can't find the target PID matching the prefix '@!10'\n";
    const ended = new MasterSocketError('cut-short', { path: '/s', command: 'get map', partial: gone });
    const { asked, registry, block } = changerBefore((worker) =>
      worker === '@1' ? { ...good, processes: processesOf(20) } : { ...good, ended, workerGone: true },
    );
    registry.observe(processesOf(20, 10));
    await block();
    expect(asked).toEqual(['@1', '@!10']);
  });

  it('schedules no reload if only a draining worker failed', async () => {
    const { registry, block } = changerBefore((worker) =>
      worker === '@1'
        ? { ...good, processes: processesOf(20, 10) }
        : { ...good, failures: [failureOf(10, 'rejected')] },
    );
    registry.observe(processesOf(20, 10));
    expect(await block()).toMatchObject({ failures: [{ worker: 10, reason: 'rejected' }], currentFailed: false });
  });
});

function failureOf(worker: number, reason: string) {
  return { ip_address: '192.0.2.1', worker, command: 'add', responses: [], reason };
}

/** Until it is disposed, `openSync` fails as at the limit of open files. */
function withoutDescriptors(): Disposable {
  const opening = vi.spyOn(fs, 'openSync').mockImplementation(() => {
    throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
  });
  syncBuiltinESMExports();
  return {
    [Symbol.dispose]: () => {
      opening.mockRestore();
      syncBuiltinESMExports();
    },
  };
}
