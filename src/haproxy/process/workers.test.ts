import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually, within } from '../../../testkit/conditions.ts';
import { beginHeldReload } from '../../../testkit/held-reload.ts';
import { describeOnEachProxy } from '../../../testkit/proxies.ts';
import { RealProxy } from '../../../testkit/real-proxy.ts';
import { hang, ScriptedMaster, say } from '../../../testkit/scripted-master.ts';
import { stopTime } from '../../../testkit/stop-time.ts';
import { MasterSocket } from '../socket/master-socket.ts';
import { capabilitiesOf } from './proxy-version.ts';
import { configurationReadSince, listProcesses, type Processes, showProcesses } from './workers.ts';

const soon = (): number => within(60_000);
const pids = ({ current, draining, starting }: Processes) => ({
  current: current.map(({ pid }) => pid),
  draining: draining.map(({ pid }) => pid),
  starting: starting.map(({ pid }) => pid),
});

describe('the processes of a master', () => {
  let folder: string;
  let master: ScriptedMaster;
  let socket: MasterSocket;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pm-'));
    master = new ScriptedMaster(join(folder, 'm.sock'), { '/m': [] });
    await master.listen();
    socket = new MasterSocket(master.path);
  });
  afterEach(async () => {
    socket.close();
    await master.stop();
    await rm(folder, { recursive: true });
  });

  it('the current worker is the serving one while another starts, then the new one', async () => {
    const old = master.current.pid;
    const starting = master.beginReload().pid;
    expect(pids(await showProcesses(socket, soon()))).toEqual({ current: [old], draining: [], starting: [starting] });
    master.finishReload();
    expect(pids(await showProcesses(socket, soon()))).toEqual({ current: [starting], draining: [old], starting: [] });
  });

  it('the current worker after a refused reload is the one that continues, under any heading', async () => {
    const first = master.current.pid;
    const second = master.reload().pid;
    master.beginReload();
    master.refuseReload();
    const processes = await showProcesses(socket, soon());
    expect(pids(processes)).toEqual({ current: [second], draining: [first], starting: [] });
    expect(processes.currentAnswered).toBe(true);
  });

  it('a draining worker is not the current one when the serving worker is gone', async () => {
    const first = master.current.pid;
    master.reload();
    master.beginReload();
    master.refuseReload();
    await showProcesses(socket, soon());
    master.currentDies();
    const processes = await showProcesses(socket, soon());
    expect(pids(processes)).toEqual({ current: [], draining: [first], starting: [] });
    expect(processes.currentAnswered).toBe(false);
  });

  it('the current worker is the one that took over while its predecessor was probed', async () => {
    const former = master.current.pid;
    const next = master.beginReload().pid;
    master.script = (command) => {
      if (command === `@!${former} show info` && master.current.pid === former) master.finishReload();
      return undefined;
    };
    expect(pids(await showProcesses(socket, soon()))).toEqual({ current: [next], draining: [former], starting: [] });
  });

  it('there is no current worker while the first one starts', async () => {
    master.script = (command) =>
      command.startsWith('@!') ? say("Can't find the target PID matching the prefix '@!101'\n", 'close') : undefined;
    expect(pids(await showProcesses(socket, soon()))).toEqual({ current: [], draining: [], starting: [101] });
  });

  it('each worker is probed once, and again when another process has its pid', async () => {
    const asked = () => master.commands.filter((command) => command.startsWith('@!')).length;
    await showProcesses(socket, soon());
    await showProcesses(socket, soon());
    expect(asked()).toBe(1);
    const { pid } = master.reload();
    await showProcesses(socket, soon());
    expect(asked()).toBe(2);
    expect(master.commands.at(-1)).toBe(`@!${pid} show info`);
  });

  it('a hanging worker is the current one and reported as not answering', async () => {
    using time = stopTime();
    master.script = (command) => (command.startsWith('@!') ? hang : undefined);
    const processes = await time.during(showProcesses(socket, within(400)));
    expect(pids(processes)).toEqual({ current: [101], draining: [], starting: [] });
    expect(processes.currentAnswered).toBe(false);
  });

  it('listing workers rejects when the time is too short to tell a starting worker from a hanging one', async () => {
    using time = stopTime();
    master.beginReload();
    master.script = (command) => (command.startsWith('@!') ? hang : undefined);
    await expect(time.during(showProcesses(socket, within(150)))).rejects.toMatchObject({ reason: 'deadline' });
  });

  it('listing workers rejects when no slot is left for the probe', async () => {
    using time = stopTime();
    master.beginReload();
    master.script = (command) => (command.startsWith('@!') ? hang : undefined);
    const narrow = new MasterSocket(master.path, { maxConnections: 3 });
    const others: Promise<unknown>[] = [];
    // Set after the list, so that nothing is left for the worker.
    master.script = (command) => {
      if (command !== 'show proc') return hang;
      for (let nth = 0; nth < 2; nth += 1) others.push(narrow.converse(within(60_000), { change: true }));
      return undefined;
    };
    await expect(time.during(showProcesses(narrow, within(2_000)))).rejects.toMatchObject({ reason: 'deadline' });
    narrow.close();
    await Promise.allSettled(others);
  });

  it('listing workers rejects when the master goes away during a probe, since its list is stale', async () => {
    master.script = (command) => (command.startsWith('@!') ? say('', 'reset') : undefined);
    await expect(showProcesses(socket, soon())).rejects.toMatchObject({
      reason: expect.stringMatching(/^(reset|no-reply)$/),
    });
  });

  it('workers can be listed without a command to any of them', async () => {
    const old = master.current.pid;
    const starting = master.beginReload().pid;
    const { workers } = await listProcesses(socket, soon());
    expect(workers.map(({ pid }) => pid)).toEqual([starting, old]);
    expect(master.commands).toEqual(['show proc']);
  });
});

describeOnEachProxy('a worker that starts', ({ bin, major, minor }) => {
  it('its configuration was read later than it tells', async () => {
    const proxy = await RealProxy.start(bin);
    try {
      const before = await proxy.workerPid();
      const since = (pid: number) => configurationReadSince(proxy.socket, pid, soon());
      const requestedAt = Date.now();
      const reload = await beginHeldReload(proxy);
      const readAt = Date.now();
      await reload.release().catch(() => undefined);
      const pid = await eventually('another worker serves', async () => {
        const { current } = await showProcesses(proxy.socket, soon());
        return current[0]?.pid === before ? null : current[0]?.pid;
      });
      expect(await since(pid)).toBeGreaterThanOrEqual(requestedAt);
      expect(await since(pid)).toBeLessThanOrEqual(readAt);
      expect(await since(4_194_304)).toBeNull();
    } finally {
      await proxy.stop();
    }
  });

  if (!capabilitiesOf({ text: '', major, minor }).workerReadsConfiguration) {
    it('a starting worker keeps the master from answering', async () => {
      const proxy = await RealProxy.start(bin);
      try {
        const reload = await beginHeldReload(proxy);
        await expect(showProcesses(proxy.socket, soon())).rejects.toMatchObject({ reason: 'refused' });
        await reload.release().catch(() => undefined);
      } finally {
        await proxy.stop();
      }
    });
    return;
  }

  it('a worker is listed as starting until it serves', async () => {
    const proxy = await RealProxy.start(bin);
    try {
      const before = await proxy.workerPid();
      const reload = await beginHeldReload(proxy);
      // The master re-executes itself and does not listen for a moment.
      const listed = () => eventually('the master answers', () => showProcesses(proxy.socket, soon()));
      const during = await listed();
      expect(pids(during)).toMatchObject({ current: [before], draining: [] });
      expect(during.starting).toHaveLength(1);
      expect(await reload.release()).toMatchObject({ kind: 'success' });
      expect(pids(await listed()).current).toEqual([during.starting[0]?.pid]);
    } finally {
      await proxy.stop();
    }
  });
});
