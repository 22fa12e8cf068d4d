// A worker that read the map file before a change and serves after it (promises 1 and 7). `npm run test:long` runs it on
// every version.
import { appendFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type BlockingKit, caller, openBlocking, temporaryFolder, toBlock } from '../../../testkit/blocking.ts';
import { eventually, within } from '../../../testkit/conditions.ts';
import { beginHeldReload } from '../../../testkit/held-reload.ts';
import { describeOnProductProxies } from '../../../testkit/proxies.ts';
import { defaultConfig, RealProxy } from '../../../testkit/real-proxy.ts';
import { capabilitiesOf } from '../../haproxy/process/proxy-version.ts';
import { showProcesses } from '../../haproxy/process/workers.ts';

describeOnProductProxies('a block during a reload', ({ bin, major, minor }) => {
  const { workerReadsConfiguration } = capabilitiesOf({ text: '', major, minor });
  let proxy: RealProxy;
  let kit: BlockingKit;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;

  beforeEach(async () => {
    proxy = await RealProxy.start(bin, {
      config: (paths) => {
        appendFileSync(`${paths.blockedMap}.trusted`, '');
        const trusted = `!{ src,map_ip(${paths.blockedMap}.trusted,0) -m int gt 0 }`;
        return defaultConfig(paths).replace('-m int gt 0 }', `-m int gt 0 } ${trusted}`);
      },
    });
    folder = await temporaryFolder();
    const { masterSocket, blockedMap } = proxy.paths;
    kit = await openBlocking({ folder: folder.path, masterSocket, blockedMap });
    await kit.keeper.updateBlockedIpsMap();
    await kit.reconciler.check(true);
  });
  afterEach(async () => {
    await kit?.close();
    await proxy?.stop();
    await folder?.remove();
  });

  const held = async (pid: number): Promise<string[]> => {
    const keys: string[] = [];
    const worker = { kind: 'pid', pid } as const;
    await kit.blocked.runtime.runtimeMapKeys(
      within(20_000),
      (batch) => void keys.push(...batch.map(({ key }) => key)),
      worker,
    );
    return keys;
  };

  it('is answered once a worker that had read the map file holds it', async () => {
    const before = await proxy.workerPid();
    const reload = await beginHeldReload(proxy);
    // A minute, so that the load of the machine does not end the wait.
    const patient = { ...caller(), receivedAt: performance.now() + 60_000 };
    const block = kit.blockedSet.block(toBlock('192.0.2.1'), patient);
    // The line is durable: the block waits only for the worker.
    await eventually('the line is in the file', async () => (await kit.fileEntries()).includes('192.0.2.1 1'));
    await reload.release();
    const { answer } = await block;
    expect(answer).toMatchObject({ runtime_map_updated: true, runtime_map_failures: [] });
    const { current } = await eventually('the master answers', () => showProcesses(proxy.socket, within(20_000)));
    expect(current[0]?.pid).not.toBe(before);
    expect(await held(current[0]!.pid)).toEqual(['192.0.2.1']);
    expect(kit.reloads).toEqual([]);
  });

  it('reports a worker that does not start in time, and blocks there once it serves', async () => {
    const before = await proxy.workerPid();
    const reload = await beginHeldReload(proxy);
    const { answer } = await kit.blockedSet.block(toBlock('192.0.2.1'), caller());
    expect(answer.runtime_map_updated).toBe(false);
    const blocked = ['192.0.2.1'];
    if (workerReadsConfiguration) {
      // On a busy machine the current worker may miss the deadline too; groups are then not sent until a probe answers.
      await eventually('the socket is known to be up', () => kit.link.state.up);
      // No group waits for that worker again: this one is answered while it still starts.
      const patient = { ...caller(), receivedAt: performance.now() + 60_000 };
      const { answer: next } = await kit.blockedSet.block(toBlock('192.0.2.2'), patient);
      const { current, starting } = await eventually('the master answers', () =>
        showProcesses(proxy.socket, within(20_000)),
      );
      expect(current.map(({ pid }) => pid)).toEqual([before]);
      expect(starting).toHaveLength(1);
      const failed = answer.runtime_map_failures.map(({ worker }) => worker);
      expect(failed).toContain(starting[0]?.pid);
      expect(next.runtime_map_failures).toMatchObject([
        { ip_address: '192.0.2.2', worker: starting[0]?.pid, reason: 'worker is starting' },
      ]);
      blocked.push('192.0.2.2');
      expect(await held(before)).toEqual(failed.includes(before) ? expect.arrayContaining(['192.0.2.2']) : blocked);
    }
    await reload.release();
    await eventually('the new worker serves', async () => (await proxy.workerPid()) !== before);
    await eventually('the socket is known to be up', () => kit.link.state.up);
    await kit.reconciler.checkThroughReload(false);
    expect((await held(await proxy.workerPid())).sort()).toEqual(blocked);
    expect(kit.registry.allInSync()).toBe(true);
  });
});
