import { access } from 'node:fs/promises';
import { kill } from 'node:process';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RuntimeMap } from '../src/haproxy/maps/runtime-map.ts';
import { showProcesses } from '../src/haproxy/process/workers.ts';
import type { MasterSocketError } from '../src/haproxy/socket/master-socket.ts';
import { processAlive } from '../src/system/processes.ts';
import { eventually, patienceMs, within } from './conditions.ts';
import { dealt, describeOnProductProxies } from './proxies.ts';
import { defaultConfig, RealProxy } from './real-proxy.ts';
import { stopTime } from './stop-time.ts';
import { suspend } from './suspend.ts';

const current = { kind: 'current' } as const;
const soon = (): number => within(patienceMs);

describeOnProductProxies('a real proxy', ({ bin, major, minor }) => {
  const dealtIt = dealt(bin, it);
  let proxy: RealProxy;
  let map: RuntimeMap;

  beforeEach(async () => {
    proxy = await RealProxy.start(bin);
    map = new RuntimeMap({ socket: proxy.socket, path: proxy.paths.blockedMap });
  });
  afterEach(() => proxy.stop());

  dealtIt('blocks and serves again at once, with the same worker', async () => {
    const before = await proxy.workerPid();
    expect(await proxy.request({ from: '127.0.0.2' })).toBe(200);
    expect(await map.addIpToRuntimeMap('127.0.0.2', soon())).toBe(true);
    expect(await proxy.request({ from: '127.0.0.2' })).toBe(403);
    expect(await proxy.request({ from: '127.0.0.3' })).toBe(200);
    expect(await map.removeIpFromRuntimeMap('127.0.0.2', soon())).toBe(true);
    expect(await proxy.request({ from: '127.0.0.2' })).toBe(200);
    expect(await proxy.workerPid()).toBe(before);
  });

  dealtIt('keeps blocking an address while its duplicates are removed', async () => {
    await map.addMany(current, ['127.0.0.2'], soon());
    await map.addMany(current, ['127.0.0.2'], soon());
    const client = proxy.keepAliveClient('127.0.0.2');
    const statuses = new Set<number>();
    let done = false;
    const load = (async () => {
      while (!done) statuses.add(await client.request());
    })();
    for (let i = 0; i < 100; i++) {
      await map.changeElements(current, await map.duplicateChanges(current, ['127.0.0.2'], soon()), soon());
      await map.addMany(current, ['127.0.0.2'], soon());
    }
    done = true;
    await load;
    client.close();
    expect([...statuses]).toEqual([403]);
  });

  dealtIt('counts an entry once although the configuration uses the map with two types', async () => {
    await proxy.stop();
    const use = 'http-request set-var(txn.n) src,map_ip_int';
    proxy = await RealProxy.start(bin, {
      blocked: ['127.0.0.2 1', '127.0.0.4 1'],
      config: (paths) =>
        defaultConfig(paths).replace('  http-request', `  ${use}(${paths.blockedMap},0)\n  http-request`),
    });
    map = new RuntimeMap({ socket: proxy.socket, path: proxy.paths.blockedMap });
    expect(await map.addIpToRuntimeMap('127.0.0.3', soon())).toBe(true);
    expect((await map.entryCount(soon())).entries).toBe(3);
  });

  dealtIt('replies to a reload as its version does, and lists a new worker', async () => {
    const { reply, before, after } = await proxy.reload();
    expect(reply.kind).toBe(major > 2 || minor >= 7 ? 'success' : 'silent');
    expect(after).not.toBe(before);
    const { master, current: workers } = await showProcesses(proxy.socket, soon());
    expect(master).toMatchObject({ pid: proxy.masterPid, reloads: 1, failed: 0 });
    expect(workers[0]?.startTime).toBeGreaterThan(0);
  });

  dealtIt('lets a block reach the client of a draining worker', async () => {
    const client = proxy.keepAliveClient('127.0.0.2');
    expect(await client.request()).toBe(200);
    const { before } = await proxy.reload();
    const group = { add: ['127.0.0.2'], remove: [], committed: Promise.resolve(), processes: true, deadline: soon() };
    expect((await map.changeGroup({ ...group, worker: { kind: 'pid', pid: before } })).failures).toEqual([]);
    expect(await client.request()).toBe(403);
    client.close();
  });

  dealtIt('that hangs costs one deadline and few connections, and is used again when it resumes', async () => {
    const pid = await proxy.workerPid();
    await suspend(pid);
    const time = stopTime();
    const tries = Array.from({ length: 6 }, (_, i) =>
      map.changeGroup({
        worker: current,
        add: [`192.0.2.${i}`],
        remove: [],
        processes: true,
        deadline: within(1_000),
      }),
    );
    for (const outcome of await time.during(Promise.all(tries))) {
      expect(outcome.failures).toMatchObject([{ reason: 'deadline' }]);
      expect(outcome.ended?.reason).toBe('deadline');
    }
    time[Symbol.dispose]();
    expect(proxy.socket.connections).toBe(1);
    expect(await proxy.socket.ask('show proc', soon(), { reserved: true })).toContain(`${pid} `);
    kill(pid, 'SIGCONT');
    await eventually('its places are free', () => proxy.socket.connections === 0);
    expect(await map.addIpToRuntimeMap('192.0.2.1', soon())).toBe(true);
  });

  dealtIt('drops the commands after an abandoned one', async () => {
    const pid = await proxy.workerPid();
    await suspend(pid);
    const time = stopTime();
    const conversation = await proxy.socket.converse(within(150));
    const adds = [1, 2, 3].map((i) => `@1 add map ${proxy.paths.blockedMap} 192.0.2.${i} 1`);
    const error = await time.during(conversation.send(adds).catch((reason: MasterSocketError) => reason));
    time[Symbol.dispose]();
    expect(error).toMatchObject({ reason: 'deadline', responses: [] });
    kill(pid, 'SIGCONT');
    await eventually('its place is free', () => proxy.socket.connections === 0);
    const keys: string[] = [];
    await map.runtimeMapKeys(soon(), (batch) => void keys.push(...batch.map((entry) => entry.key)));
    expect(keys).not.toContain('192.0.2.2');
    expect(keys).not.toContain('192.0.2.3');
  });

  dealtIt('that stays hung is reloaded through the reserved connection', async () => {
    const pid = await proxy.workerPid();
    await suspend(pid);
    {
      using time = stopTime();
      expect(await time.during(map.addIpToRuntimeMap('192.0.2.1', within(100)))).toBe(false);
    }
    const { after } = await proxy.reload();
    expect(after).not.toBe(pid);
    await eventually('its place is free', () => proxy.socket.connections === 0);
    expect(await map.addIpToRuntimeMap('192.0.2.1', soon())).toBe(true);
    kill(pid, 'SIGCONT');
  });

  dealtIt('reports every address that a reload loses', async () => {
    let reloading = true;
    const reloads = (async () => {
      for (let i = 0; i < 4; i++) await proxy.reload();
      reloading = false;
    })();
    const reasons = new Set<string>();
    let good = 0;
    for (let i = 0; reloading || i < 50; i++) {
      const ip = `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`;
      const outcome = await map.changeGroup({
        worker: current,
        add: [ip],
        remove: [],
        processes: true,
        deadline: soon(),
      });
      if (outcome.failures.length === 0) {
        good += 1;
        expect(outcome.ended ?? outcome.processes).not.toBeNull();
      }
      for (const failure of outcome.failures) reasons.add(failure.reason);
    }
    await reloads;
    expect(good).toBeGreaterThan(0);
    const known = ['refused', 'missing', 'reset', 'no-reply', 'cut-short', 'read-back absent'];
    expect(known).toEqual(expect.arrayContaining([...reasons]));
  });

  dealtIt('leaves no process after its stop', async () => {
    const client = proxy.keepAliveClient();
    await client.request();
    const { before, after } = await proxy.reload();
    const pids = [proxy.masterPid, before, after];
    for (const pid of pids) expect(await processAlive(pid, null)).toBe(true);
    await proxy.stop();
    for (const pid of pids) expect(await processAlive(pid, null)).toBe(false);
    await expect(access(proxy.paths.folder)).rejects.toThrow('ENOENT');
    client.close();
  });
});
