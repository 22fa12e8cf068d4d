import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually, within } from '../../../testkit/conditions.ts';
import { beginHeldReload } from '../../../testkit/held-reload.ts';
import { describeOnEachProxy } from '../../../testkit/proxies.ts';
import { RealProxy } from '../../../testkit/real-proxy.ts';
import { ScriptedMaster, say } from '../../../testkit/scripted-master.ts';
import { stopTime } from '../../../testkit/stop-time.ts';
import { childrenOf, processAlive } from '../../system/processes.ts';
import { MasterSocket } from '../socket/master-socket.ts';
import { masterAt } from './master-process.ts';
import { ProxyReloader } from './reloader.ts';

const soon = (): number => within(60_000);

const reloaderOf = ({ paths, socket: own }: RealProxy, socket = own): ProxyReloader =>
  new ProxyReloader({
    socket,
    pidFile: paths.pidFile,
    configFile: paths.config,
    workerReadsConfiguration: () => false,
  });

describeOnEachProxy('a reload', ({ bin, major }) => {
  let proxy: RealProxy;
  let config: string;
  beforeAll(async () => {
    proxy = await RealProxy.start(bin);
    config = await readFile(proxy.paths.config, 'utf8');
  });
  afterEach(() => writeFile(proxy.paths.config, config));
  afterAll(() => proxy?.stop());

  it('a reload is confirmed by a new worker', async () => {
    const before = await proxy.workerPid();
    const outcome = await reloaderOf(proxy).reload(soon());
    expect(outcome).toMatchObject({ confirmed: true, by: 'socket', workerBefore: before });
    const after = await proxy.workerPid();
    expect(after).not.toBe(before);
    expect(outcome.workerAfter).toBe(after);
  });

  it('a reload with an invalid configuration is refused, and the worker stays', async () => {
    const before = await proxy.workerPid();
    await writeFile(proxy.paths.config, `${config}  no-such-keyword\n`);
    const outcome = await reloaderOf(proxy).reload(soon());
    expect(outcome).toMatchObject({ confirmed: false, reason: 'refused', workerBefore: before });
    expect(await proxy.workerPid()).toBe(before);
    await writeFile(proxy.paths.config, config);
    expect(await reloaderOf(proxy).reload(soon())).toMatchObject({ confirmed: true });
  });

  it('a second refused reload is reported by its own failure, not by the earlier one', async () => {
    await writeFile(proxy.paths.config, `${config}  no-such-keyword\n`);
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await reloaderOf(proxy).reload(soon())).toMatchObject({ confirmed: false, reason: 'refused' });
    }
    await writeFile(proxy.paths.config, config);
    expect(await reloaderOf(proxy).reload(soon())).toMatchObject({ confirmed: true });
  });

  it('concurrent reloads are each confirmed by a worker started after their request', async () => {
    const reloader = reloaderOf(proxy);
    const before = await proxy.workerPid();
    const outcomes = await Promise.all([reloader.reload(soon()), reloader.reload(soon())]);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ confirmed: true });
      expect(outcome.workerAfter).not.toBe(before);
    }
  });

  it('a reload waits until the worker of another reload serves, and is confirmed by its own', async () => {
    const other = await beginHeldReload(proxy);
    const reload = reloaderOf(proxy).reload(soon());
    // Proof that the reload was requested: it is retried when refused or unanswered.
    await other.release().catch(() => undefined);
    const outcome = await reload;
    expect(outcome).toMatchObject({ confirmed: true });
    expect(outcome.workerAfter).toBe(await proxy.workerPid());
    // The released configuration has no further map, unlike that of the held worker.
    const [maps = ''] = await (await proxy.socket.converse(soon())).finish(['@1 show map']);
    expect(maps).not.toContain('held.map');
  });

  it('a reload without the file of the socket uses a signal, which recreates the socket', async () => {
    await rm(proxy.paths.masterSocket);
    const outcome = await reloaderOf(proxy).reload(soon());
    expect(outcome).toMatchObject({ confirmed: true, by: 'signal', workerBefore: expect.any(Number) });
    expect(outcome.workerAfter).not.toBe(outcome.workerBefore);
    expect(await proxy.workerPid()).toBe(outcome.workerAfter);
  });

  it('a reload whose socket is deleted after the request ends with a new worker and a new socket', async () => {
    const before = await proxy.workerPid();
    const { masterSocket } = proxy.paths;
    class Deleted extends MasterSocket {
      override async ask(...asked: Parameters<MasterSocket['ask']>): Promise<string> {
        try {
          return await super.ask(...asked);
        } finally {
          if (asked[0] === 'reload') await rm(masterSocket, { force: true });
        }
      }
    }
    const socket = new Deleted(masterSocket);
    using time = stopTime();
    const began = performance.now();
    const outcome = await time.during(reloaderOf(proxy, socket).reload(soon()), 20);
    socket.close();
    expect(outcome).toMatchObject({ confirmed: true, workerBefore: before });
    // 2.6 closes the connection and reloads then, which makes the socket again.
    expect(outcome).toMatchObject({ by: major === 2 ? 'socket' : 'signal' });
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(outcome.workerAfter).not.toBe(before);
    expect(await proxy.workerPid()).toBe(outcome.workerAfter);
  });

  it('a reload by signal with an invalid configuration is refused', async () => {
    const before = await proxy.workerPid();
    await rm(proxy.paths.masterSocket);
    await writeFile(proxy.paths.config, `${config}  no-such-keyword\n`);
    const outcome = await reloaderOf(proxy).reload(soon());
    expect(outcome).toMatchObject({ confirmed: false, reason: 'refused' });
    await writeFile(proxy.paths.config, config);
    expect(await proxy.workerPid()).toBe(before);
  });

  it('a reload of a proxy that is gone fails at once as not-running', async () => {
    process.kill(proxy.masterPid, 'SIGKILL');
    await eventually('it is gone', async () => !(await processAlive(proxy.masterPid, null)));
    {
      using _time = stopTime();
      expect(await reloaderOf(proxy).reload(soon())).toMatchObject({ confirmed: false, reason: 'not-running' });
    }
    await proxy.launch();
  });
});

describe('a reload', () => {
  it('a reload whose signal was lost is retried once the master was seen not to reload', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pm-signal-'));
    const configFile = join(folder, 'proxy.cfg');
    const deaf = spawn('sh', ['-c', 'trap "" USR2; sleep 60; true', 'haproxy', '-W', '-f', configFile]);
    const master = new ScriptedMaster(join(folder, 'm.sock'), {});
    const socket = new MasterSocket(master.path);
    try {
      master.master.pid = deaf.pid ?? 0;
      await master.listen();
      // Unreadable once: the socket cannot be used, so the signal is sent.
      master.script = (_command, nth) => (nth === 1 ? say('what?\n') : undefined);
      await eventually('its words are there', () => masterAt(master.master.pid, configFile));
      const worker = await eventually('its child is there', async () => (await childrenOf(master.master.pid))[0]);
      master.current = { pid: worker, maps: new Map() };
      const reloader = new ProxyReloader({
        socket,
        pidFile: join(folder, 'none'),
        configFile,
        knownMaster: () => master.master.pid,
        workerReadsConfiguration: () => false,
      });
      const outcome = await reloader.reload(soon());
      expect(outcome).toMatchObject({ confirmed: true, by: 'socket', workerBefore: worker, workerAfter: 102 });
      expect(master.commands.filter((command) => command === 'reload')).toHaveLength(1);
    } finally {
      deaf.kill('SIGKILL');
      socket.close();
      await master.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('a reload is not confirmed by the previous worker that continues when another reload fails', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pm-'));
    const master = new ScriptedMaster(join(folder, 'm.sock'), {});
    const socket = new MasterSocket(master.path);
    try {
      await master.listen();
      const old = master.current.pid;
      const other = master.beginReload().pid;
      let asked = 0;
      master.script = (command) => {
        if (command === 'reload') {
          // The other worker has just failed, so this reload is accepted.
          master.refuseReload();
          master.beginReload();
          return say('', 'close');
        }
        if (command === 'show proc' && master.starting !== null && master.starting.pid !== other) {
          asked += 1;
          if (asked === 3) master.finishReload();
        }
        return undefined;
      };
      const reloader = new ProxyReloader({
        socket,
        pidFile: join(folder, 'none'),
        configFile: join(folder, 'proxy.cfg'),
        workerReadsConfiguration: () => true,
      });
      const outcome = await reloader.reload(soon());
      expect(outcome).toMatchObject({ confirmed: true, workerBefore: other, workerAfter: other + 1 });
      expect(asked).toBe(3);
      expect(master.draining.map(({ pid }) => pid)).toEqual([old]);
    } finally {
      socket.close();
      await master.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('a reload during which the master dies fails at once', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pm-'));
    const master = new ScriptedMaster(join(folder, 'm.sock'), {});
    const socket = new MasterSocket(master.path);
    const mortal = spawn('sleep', ['600'], { stdio: 'ignore' });
    try {
      await master.listen();
      master.master.pid = mortal.pid!;
      master.script = (command) => {
        if (command !== 'reload') return undefined;
        mortal.kill('SIGKILL');
        return say('', 'close');
      };
      const reloader = new ProxyReloader({
        socket,
        pidFile: join(folder, 'none'),
        configFile: join(folder, 'proxy.cfg'),
        workerReadsConfiguration: () => false,
      });
      expect(await reloader.reload(soon())).toMatchObject({
        confirmed: false,
        detail: 'the master died during the reload',
        workerAfter: null,
      });
    } finally {
      mortal.kill('SIGKILL');
      socket.close();
      await master.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('a reload is retried while the master reports another one in progress', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pm-'));
    const master = new ScriptedMaster(join(folder, 'm.sock'), {});
    const socket = new MasterSocket(master.path);
    try {
      await master.listen();
      let asked = 0;
      master.script = (command) => {
        if (command !== 'reload') return undefined;
        asked += 1;
        if (asked < 4) return say('Success=0\n--\nAnother reload is still in progress.\n\n', 'close');
        return undefined;
      };
      const reloader = new ProxyReloader({
        socket,
        pidFile: join(folder, 'none'),
        configFile: join(folder, 'proxy.cfg'),
        workerReadsConfiguration: () => true,
      });
      expect(await reloader.reload(soon())).toMatchObject({ confirmed: true, workerAfter: 102 });
      expect(asked).toBe(4);
    } finally {
      socket.close();
      await master.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('a reload without socket and pid file does not throw', async () => {
    const socket = new MasterSocket('/nowhere/master.sock');
    const reloader = new ProxyReloader({
      socket,
      pidFile: '/nowhere/pid',
      configFile: '/nowhere/cfg',
      workerReadsConfiguration: () => false,
    });
    expect(await reloader.reload(soon())).toMatchObject({
      confirmed: false,
      reason: 'not-running',
      detail: expect.stringContaining('/nowhere/pid'),
    });
    socket.close();
  });
});
