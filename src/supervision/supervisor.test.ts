import { execFileSync } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../testkit/blocking.ts';
import { eventually } from '../../testkit/conditions.ts';
import { freePort } from '../../testkit/free-port.ts';
import { describeOnEachProxy } from '../../testkit/proxies.ts';
import { MasterSocket } from '../haproxy/socket/master-socket.ts';
import { commandLine } from '../system/processes.ts';
import { Supervisor } from './supervisor.ts';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

async function processesOf(configFile: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const words = await Promise.all(pids.map(commandLine));
  return pids.filter((_, index) => words[index]?.includes(configFile) === true);
}

describeOnEachProxy('a proxy that does not start', ({ bin }) => {
  const secret = 'hunter2';
  const failed = async (configuration: string, obstacle: Error | null) => {
    const folder = await temporaryFolder();
    const at = (name: string): string => join(folder.path, name);
    await writeFile(at('proxy.cfg'), configuration);
    const logged: unknown[] = [];
    const socket = new MasterSocket(at('m.sock'));
    const supervisor = new Supervisor({
      proxyBin: bin,
      configFile: at('proxy.cfg'),
      masterSocketPath: at('m.sock'),
      pidFile: at('pid'),
      outputFile: at('output'),
      socket,
      log: { ...log, error: (_message: string, fields?: object) => void logged.push(fields) },
      beforeStart: async () => obstacle,
      takenAddresses: async () => [],
      onRunning: () => expect.unreachable(),
    });
    try {
      await supervisor.start();
      await supervisor.stop();
      return { state: supervisor.state, logged };
    } finally {
      socket.close();
      await supervisor.endProxy(100);
      await folder.remove();
    }
  };

  it('the state of a failed start omits the output of HAProxy, which the log has', async () => {
    const { state, logged } = await failed(`global\n  nonsense ${secret}\n`, null);
    expect(state).toEqual({
      running: false,
      reason: expect.stringMatching(/^HAProxy did not start, it exited with \d+; /),
    });
    expect(JSON.stringify(state)).not.toContain(secret);
    expect(logged).toMatchObject([{ cause: expect.stringContaining('nonsense') }]);
    const refused = new Error('no configuration', { cause: new Error(`[ALERT] ${secret}`) });
    const before = await failed('', refused);
    expect(before.state).toEqual({ running: false, reason: 'no configuration' });
    expect(before.logged).toMatchObject([{ cause: expect.stringContaining(secret) }]);
  });
});

describeOnEachProxy('a proxy that reads its configuration without end', ({ bin }) => {
  it('a proxy that never finishes reading its configuration is ended together with its worker', async () => {
    const folder = await temporaryFolder();
    const at = (name: string): string => join(folder.path, name);
    // An empty pipe: the start blocks on it.
    execFileSync('mkfifo', [at('held.map')]);
    await writeFile(
      at('proxy.cfg'),
      `defaults
  mode http
  timeout client 1s
  timeout connect 1s
  timeout server 1s
frontend held
  bind 127.0.0.1:${await freePort()}
  http-request deny if { src,map_ip(${at('held.map')},0) -m int gt 0 }
`,
    );
    const socket = new MasterSocket(at('m.sock'));
    const supervisor = new Supervisor({
      proxyBin: bin,
      configFile: at('proxy.cfg'),
      masterSocketPath: at('m.sock'),
      pidFile: at('pid'),
      outputFile: at('output'),
      socket,
      log,
      beforeStart: async () => null,
      takenAddresses: async () => [],
      onRunning: () => expect.unreachable(),
    });
    const processes = () => processesOf(at('proxy.cfg'));
    try {
      const started = supervisor.start();
      await eventually('it runs', async () => (await processes()).length > 0);
      supervisor.abandon();
      await started;
      await supervisor.stop();
      await supervisor.endProxy(100);
      await eventually('no process of it is left', async () => (await processes()).length === 0);
    } finally {
      socket.close();
      for (const pid of await processes()) process.kill(pid, 'SIGKILL');
      await folder.remove();
    }
  });
});
