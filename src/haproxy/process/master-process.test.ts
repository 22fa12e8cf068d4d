import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { geteuid } from 'node:process';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../testkit/conditions.ts';
import { caseCount, describeOnEachProxy } from '../../../testkit/proxies.ts';
import { RealProxy } from '../../../testkit/real-proxy.ts';
import { commandLine } from '../../system/processes.ts';
import { findMaster, findMasterBeingStarted, masterAt, runsConfiguration } from './master-process.ts';

describe('the arguments of a master', () => {
  it.each([
    ['as it was started', ['haproxy', '-W', '-S', '/tmp/s', '-f', '/etc/proxy.cfg'], true],
    ['as systemd starts it', ['haproxy', '-Ws', '-f', '/etc/proxy.cfg', '-p', '/run/p'], true],
    ['as it re-executes itself', ['haproxy', '-sf', '12', '-x', 'sockpair@5', '-W', '-f', '/etc/proxy.cfg'], true],
    ['with a path that means the same', ['haproxy', '-W', '-f', '/etc/x/../proxy.cfg'], true],
    ['of another configuration', ['haproxy', '-W', '-f', '/etc/other.cfg'], false],
    ['of a check', ['haproxy', '-c', '-f', '/etc/proxy.cfg'], false],
    ['of an editor', ['vi', '/etc/proxy.cfg'], false],
    ['cut short', ['haproxy', '-W', '-f'], false],
  ])('%s: %j', (_what, words, is) => {
    expect(runsConfiguration(words, '/etc/proxy.cfg')).toBe(is);
  });
});

describe.skipIf(geteuid?.() !== 0)('a master that is starting, perhaps launched by a service that died', () => {
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  const words = (config: string) => ['-c', 'sleep 60; true', 'haproxy', '-W', '-f', config];
  const started = async (config: string, program: string, args: readonly string[], uid = 0): Promise<void> => {
    const child = spawn(program, args, { detached: true, stdio: 'ignore', uid });
    children.push(child);
    await eventually('it runs', async () => {
      const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
      const lines = await Promise.all(names.map((name) => commandLine(Number(name))));
      return lines.some((line) => line?.[0] === 'sh' && line.at(-1) === config);
    });
  };

  it('a starting master of root or this user is found', async () => {
    const config = '/etc/being-started/own.cfg';
    await started(config, 'sh', words(config));
    expect(await findMasterBeingStarted(config)).toMatchObject({ pid: children[0]?.pid });
  });

  it('a process of another user with such arguments is no starting master: it would keep HAProxy from being started', async () => {
    const config = '/etc/being-started/strange.cfg';
    await started(config, 'sh', words(config), 65_534);
    expect(await findMasterBeingStarted(config)).toBeNull();
  });

  it('a starting master in a container is not found, since its file is another', async () => {
    const config = '/etc/being-started/contained.cfg';
    const inside = `exec setsid sh -c 'sleep 60; true' haproxy -W -f ${config}`;
    await started(config, 'unshare', ['--pid', '--fork', '--kill-child', 'sh', '-c', inside]);
    expect(await findMasterBeingStarted(config)).toBeNull();
  });
});

it('a process that re-executes itself repeatedly is recognised all the time', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pm-exec-'));
  const script = join(folder, 'again.sh');
  await writeFile(script, 'exec sh "$0" "$@"\n');
  const child = spawn('sh', [script, 'haproxy', '-W', '-f', '/etc/again.cfg'], { stdio: 'ignore' });
  try {
    const pid = child.pid ?? 0;
    await eventually('it runs', () => masterAt(pid, '/etc/again.cfg'));
    for (let n = 0; n < caseCount(2_000); n += 1) {
      expect(await masterAt(pid, '/etc/again.cfg'), `check ${n}`).toMatchObject({ pid });
    }
  } finally {
    child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  }
});

describe('a pid file', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pm-pid-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each([
    ['the pid of another process', String(process.pid)],
    ['an unused pid', '4194303'],
    ['no content', ''],
    ['words', 'haproxy'],
    ['a process group', '-1'],
    ['the pid 0', '0'],
  ])('a pid file with %s names no master, so no process is signalled', async (_what, content) => {
    const file = join(folder, 'proxy.pid');
    await writeFile(file, content);
    expect(await findMaster(file, '/etc/proxy.cfg')).toBeNull();
  });

  it('a missing pid file names no master', async () => {
    expect(await findMaster(join(folder, 'absent'), '/etc/proxy.cfg')).toBeNull();
  });
});

describeOnEachProxy('a running master', ({ bin }) => {
  let proxy: RealProxy;
  beforeAll(async () => {
    proxy = await RealProxy.start(bin);
  });
  afterAll(() => proxy?.stop());

  it('a running master is found before and after a reload, and its worker is not', async () => {
    const { pidFile, config } = proxy.paths;
    const found = await findMaster(pidFile, config);
    expect(found?.pid).toBe(proxy.masterPid);
    await proxy.reload();
    expect(await findMaster(pidFile, config)).toEqual(found);
    expect(await findMaster(pidFile, '/etc/other.cfg')).toBeNull();
    expect(await masterAt(process.pid, config)).toBeNull();
  });
});
