import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kill } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually, within } from '../../../testkit/conditions.ts';
import { longTests, testProxies } from '../../../testkit/proxies.ts';
import { RealProxy } from '../../../testkit/real-proxy.ts';
import { ScriptedMaster } from '../../../testkit/scripted-master.ts';
import { suspend } from '../../../testkit/suspend.ts';
import { capabilitiesOf } from '../process/proxy-version.ts';
import { WorkerLine } from './conversation-command.ts';
import { MasterSocket } from './master-socket.ts';

const MAP = '/etc/proxy/blocked_ips.map';
const addresses = Array.from({ length: 200 }, (_, n) => `192.0.2.${n}`);

function removals(pid: number, map = MAP): { commands: string[]; line: WorkerLine } {
  const commands = addresses.map((ip) => `@!${pid} del map ${map} ${ip}`);
  const [line] = WorkerLine.of(pid, commands);
  if (line === undefined) throw new Error('no line');
  return { commands, line };
}

async function timesOut(socket: MasterSocket, line: WorkerLine, milliseconds: number): Promise<void> {
  const conversation = await socket.converse(within(milliseconds), { change: true });
  await expect(conversation.finish(['show proc'], line)).rejects.toMatchObject({ reason: 'deadline' });
  conversation.close();
}

describe('a line whose replies missed the deadline', () => {
  const { commands, line } = removals(101);
  const last = commands.at(-1) ?? '';
  const GET = `@!101 get map ${MAP} 192.0.2.1`;
  const notSent = { reason: 'deadline', message: expect.stringContaining('nothing was sent') };
  let folder: string;
  let master: ScriptedMaster;
  let socket: MasterSocket;
  let go: () => void;

  const exchange = async (...sent: string[]) =>
    await (await socket.converse(within(60_000), { change: true })).finish(sent);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pm-'));
    const content = addresses.map((ip) => `${ip} 1`);
    master = new ScriptedMaster(join(folder, 'm.sock'), { [MAP]: content });
    master.master.version = '3.2.0-1';
    await master.listen();
    socket = new MasterSocket(master.path);
    const { promise, resolve } = Promise.withResolvers<void>();
    go = resolve;
    master.script = (command) => (command === last ? { kind: 'wait', until: promise } : undefined);
    await timesOut(socket, line, 500);
    expect(master.commands).toContain(last);
  });
  afterEach(async () => {
    go();
    socket.close();
    await master.stop();
    await rm(folder, { recursive: true });
  });

  it('keeps other commands from its worker until its last reply', async () => {
    await expect(exchange(GET)).rejects.toMatchObject(notSent);
    expect(socket.connections).toBe(1);
    go();
    await socket.settled('@!101', within(60_000));
    expect(await exchange(GET)).toEqual(['type=ip, case=sensitive, found=no']);
    expect(socket.connections).toBe(0);
    // The line's own replies were the proof.
    expect(master.commands).not.toContain('@!101 show map');
  });

  it('does not keep commands from other workers', async () => {
    expect(await exchange(`@1 get map ${MAP} 203.0.113.1`)).toHaveLength(1);
  });

  it('is given time to end if its connection ended early', async () => {
    master.dropConnections();
    await eventually('the worker is probed', () => master.commands.includes('@!101 show map'));
    const probed = performance.now();
    await expect(exchange(GET)).rejects.toMatchObject(notSent);
    await socket.settled('@!101', within(60_000));
    expect(performance.now() - probed).toBeGreaterThan(450);
    expect(await exchange(GET)).toHaveLength(1);
  });

  it('is not taken as ended while the master accepts no probe', async () => {
    master.welcome = 'close';
    master.dropConnections();
    await pause(900);
    await expect(exchange(GET)).rejects.toMatchObject(notSent);
    master.welcome = 'serve';
    await socket.settled('@!101', within(60_000));
    expect(master.commands).toContain('@!101 show map');
    expect(await exchange(GET)).toHaveLength(1);
  });

  it('is waited for under a master whose socket was recreated', async () => {
    await rename(master.path, `${master.path}.old`);
    const recreated = new ScriptedMaster(master.path, { [MAP]: [] });
    await recreated.listen();
    await expect(exchange(GET)).rejects.toMatchObject(notSent);
    await eventually('the worker is probed there', () => recreated.commands.includes('@!101 show map'));
    expect(recreated.commands).not.toContain(GET);
    await socket.settled('@!101', within(60_000));
    expect(await exchange(GET)).toHaveLength(1);
    await recreated.stop();
  });

  it('ends with the socket’s own end', async () => {
    const settled = socket.settled('@!101', within(60_000));
    socket.close();
    await settled;
    expect(socket.connections).toBe(0);
  });
});

const withLines = testProxies().found.filter((proxy) => capabilitiesOf({ text: '', ...proxy }).workerLines);

describe.each(longTests ? withLines : withLines.slice(-1))('a hung worker on HAProxy $version', ({ bin }) => {
  it('has carried out its line when something else is sent to it', async () => {
    const proxy = await RealProxy.start(bin, { blocked: addresses.map((ip) => `${ip} 1`) });
    const { blockedMap } = proxy.paths;
    try {
      const pid = await proxy.workerPid();
      const { line } = removals(pid, blockedMap);
      const exchange = async (...commands: string[]) =>
        await (await proxy.socket.converse(within(60_000), { change: true })).finish(commands);
      for (let round = 0; round < 5; round += 1) {
        await suspend(pid);
        await timesOut(proxy.socket, line, 300);
        await expect(exchange(`@!${pid} show map`)).rejects.toMatchObject({ reason: 'deadline' });
        kill(pid, 'SIGCONT');
        await proxy.socket.settled(`@!${pid}`, within(60_000));
        expect(await exchange(`@!${pid} show map ${blockedMap}`)).toEqual(['']);
        await exchange(...addresses.map((ip) => `@!${pid} add map ${blockedMap} ${ip} 1`));
      }
    } finally {
      await proxy.stop();
    }
  });
});
