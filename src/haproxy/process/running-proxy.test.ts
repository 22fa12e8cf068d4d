import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { geteuid } from 'node:process';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../testkit/conditions.ts';
import { freePort } from '../../../testkit/free-port.ts';
import { describeOnOneProxy, describeOnProductProxies } from '../../../testkit/proxies.ts';
import { RealProxy } from '../../../testkit/real-proxy.ts';
import { childrenOf, commandLine, processIds } from '../../system/processes.ts';
import { findRunningProxies } from './running-proxy.ts';

const found = async (pid: number) => (await findRunningProxies()).find((proxy) => proxy.pid === pid);

let folder: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pm-'));
});

afterEach(async () => {
  await Promise.all(
    children.splice(0).map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
    }),
  );
});

afterAll(() => rm(folder, { recursive: true }));

const writeConfig = async (): Promise<string> => {
  const port = await freePort();
  const path = join(folder, `${port}.cfg`);
  const timeouts = 'timeout connect 5s\ntimeout client 5s\ntimeout server 5s';
  await writeFile(path, `defaults\nmode http\n${timeouts}\nfrontend f\nbind 127.0.0.1:${port}\n`);
  return path;
};

const start = (program: string, args: readonly string[], uid?: number): number => {
  const child = spawn(program, args, { stdio: 'ignore', cwd: '/', ...(uid === undefined ? {} : { uid }) });
  children.push(child);
  return child.pid ?? 0;
};

/** The map file is named after the port. */
const isServing = (config: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(Number(basename(config, '.cfg')), '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

/** The process whose last argument is this one. */
const withLastWord = (word: string, besides: number) =>
  eventually('it runs', async () => {
    for (const pid of await processIds()) {
      if (pid !== besides && (await commandLine(pid))?.at(-1) === word) return pid;
    }
    return null;
  });

describeOnProductProxies('the HAProxies of this machine', ({ bin }) => {
  test('finds a master before and after a reload, and none of its workers', async () => {
    const proxy = await RealProxy.start(bin);
    try {
      const { masterSocket, config, pidFile } = proxy.paths;
      const master = {
        pid: proxy.masterPid,
        startTime: expect.any(Number),
        exe: bin,
        unit: null,
        arguments: { files: [config], pidFile, masterSocket, masterSocketOptions: ['mode', '600'], isMaster: true },
      };
      expect(await found(proxy.masterPid)).toMatchObject(master);
      await proxy.reload();
      expect(await found(proxy.masterPid)).toMatchObject(master);
      const workers = await childrenOf(proxy.masterPid);
      expect(workers.length).toBeGreaterThan(0);
      for (const worker of workers) expect(await found(worker)).toBeUndefined();
    } finally {
      await proxy.stop();
    }
  });

  test('finds a proxy without master-worker mode, which is no master', async () => {
    const config = await writeConfig();
    const pid = start(bin, ['-db', '-f', config]);
    const proxy = await eventually('it is found', () => found(pid));
    expect(proxy).toMatchObject({ exe: bin, arguments: { files: [config], isMaster: false } });
  });

  test('finds a master whose configuration sets master-worker', async () => {
    const config = await writeConfig();
    await writeFile(`${config}.master`, 'global\nmaster-worker\n');
    const pid = start(bin, ['-db', '-f', `${config}.master`, '-f', config]);
    await eventually('it has a worker', async () => (await found(pid))?.arguments.isMaster);
    for (const worker of await childrenOf(pid)) expect(await found(worker)).toBeUndefined();
  });
});

describeOnOneProxy('a process that is none of the HAProxies of this machine', ({ bin }) => {
  test('ignores a program of another name', async () => {
    const pid = start('sh', ['-c', 'sleep 60; true', 'haproxy', '-W', '-f', '/etc/haproxy.cfg']);
    await eventually('it runs', async () => (await commandLine(pid))?.[0] === 'sh');
    expect(await found(pid)).toBeUndefined();
  });

  test('ignores a proxy that only checks a configuration', async () => {
    // An empty pipe: both wait for it.
    const config = join(folder, 'waiting.cfg');
    await promisify(execFile)('mkfifo', [config]);
    const [check, proxy] = [start(bin, ['-c', '-f', config]), start(bin, ['-db', '-f', config])];
    await eventually('both run', async () => (await found(proxy)) && (await commandLine(check))?.[0] === bin);
    expect(await found(check)).toBeUndefined();
  });

  test.skipIf(geteuid?.() !== 0)('ignores a proxy of another user, whose arguments cannot be trusted', async () => {
    const config = await writeConfig();
    await chmod(folder, 0o755);
    const pid = start(bin, ['-db', '-f', config], 65_534);
    await eventually('it serves', () => isServing(config));
    expect(await found(pid)).toBeUndefined();
  });

  test.skipIf(geteuid?.() !== 0)('ignores a proxy in a container', async () => {
    const config = await writeConfig();
    const unshare = start('unshare', ['--pid', '--fork', '--kill-child', bin, '-db', '-f', config]);
    const pid = await withLastWord(config, unshare);
    await eventually('it serves', () => isServing(config));
    expect(await found(pid)).toBeUndefined();
  });

  test('ignores a worker that outlived its master', async () => {
    const proxy = await RealProxy.start(bin);
    try {
      const worker = await proxy.workerPid();
      process.kill(worker, 'SIGSTOP');
      process.kill(proxy.masterPid, 'SIGKILL');
      await eventually('the master is gone', async () => (await found(proxy.masterPid)) === undefined);
      expect(await found(worker)).toBeUndefined();
      process.kill(worker, 'SIGKILL');
    } finally {
      await proxy.stop();
    }
  });
});
