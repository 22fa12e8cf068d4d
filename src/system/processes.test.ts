import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pid as ownPid } from 'node:process';
import { expect, it } from 'vitest';
import { eventually } from '../../testkit/conditions.ts';
import { childrenOf, commandLine, membersOfSession, parseUnit, processAlive, processStartTime } from './processes.ts';

it('a process is alive only with both its pid and its start time, until it ends', async () => {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' });
  const pid = Number(child.pid);
  try {
    const startTime = await processStartTime(pid);
    expect(startTime).toBeGreaterThan(0);
    expect(await processAlive(pid, startTime)).toBe(true);
    expect(await processAlive(pid, null)).toBe(true);
    expect(await processAlive(pid, Number(startTime) + 1)).toBe(false);
    expect(await childrenOf(ownPid)).toContain(pid);
    expect(await eventually('it is sleep', async () => (await commandLine(pid))?.[0] === 'sleep')).toBe(true);
    expect(await commandLine(pid)).toEqual(['sleep', '600']);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await processAlive(pid, startTime)).toBe(false);
  } finally {
    child.kill('SIGKILL');
  }
});

it('an unused pid has no start time, no command line and no children', async () => {
  expect(await processStartTime(4_194_304)).toBeNull();
  expect(await commandLine(4_194_304)).toBeNull();
  expect(await childrenOf(4_194_304)).toEqual([]);
  expect(await membersOfSession(4_194_304)).toEqual([]);
});

it('the members of a session are found after its leader has died', async () => {
  const leader = spawn('sh', ['-c', 'sleep 600 & wait'], { stdio: 'ignore', detached: true });
  const pid = Number(leader.pid);
  const [child] = await eventually('it has a child', async () => {
    const children = await childrenOf(pid);
    return children.length === 1 && children;
  });
  expect((await membersOfSession(pid)).toSorted()).toEqual([pid, child].toSorted());
  leader.kill('SIGKILL');
  await once(leader, 'exit');
  expect(await membersOfSession(pid)).toEqual([child]);
  process.kill(Number(child), 'SIGKILL');
  await eventually('nothing is left', async () => (await membersOfSession(pid)).length === 0);
});

it('a zombie is dead', async () => {
  // The shell does not wait for its child while it sleeps in `exec`.
  const parent = spawn('sh', ['-c', 'true & exec sleep 600'], { stdio: 'ignore' });
  const state = async (): Promise<number | undefined> => {
    const { readFile, readdir } = await import('node:fs/promises');
    for (const name of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
      const stat = await readFile(`/proc/${name}/stat`, 'latin1').catch(() => '');
      if (stat.includes(`) Z ${parent.pid} `)) return Number(name);
    }
    return undefined;
  };
  try {
    const zombie = await eventually('there is a zombie', state);
    expect(await processAlive(zombie, null)).toBe(false);
  } finally {
    parent.kill('SIGKILL');
  }
});

it.each([
  ['0::/system.slice/haproxy.service\n', 'haproxy.service'],
  ['0::/system.slice/system-haproxy.slice/haproxy@a.service\n', 'haproxy@a.service'],
  ['0::/system.slice/haproxy.service/worker\n', 'haproxy.service'],
  ['12:pids:/x.service\n1:name=systemd:/system.slice/haproxy.service\n', 'haproxy.service'],
  ['0::/user.slice/user-0.slice/session-3.scope\n', null],
  ['0::/user.slice/user-1000.slice/user@1000.service/app.slice/terminal.scope\n', null],
  ['12:pids:/x.service\n0::/\n', null],
  ['', null],
  ['9:name=systemd:/\n1:cpu:/\n0::/system.slice/haproxy.service\n', 'haproxy.service'],
])('reads the service of %j', (text, unit) => {
  expect(parseUnit(text)).toBe(unit);
});
