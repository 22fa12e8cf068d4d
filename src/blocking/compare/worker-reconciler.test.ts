import { appendFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type BlockingKit,
  caller,
  entryOf,
  openBlocking,
  temporaryFolder,
  toBlock,
} from '../../../testkit/blocking.ts';
import { within } from '../../../testkit/conditions.ts';
import { noFacts } from '../../../testkit/no-facts.ts';
import { describeOnProductProxies, isOnlyProxyFor, longTests } from '../../../testkit/proxies.ts';
import { defaultConfig, RealProxy } from '../../../testkit/real-proxy.ts';
import { openScriptedBlocking, type ScriptedBlocking } from '../../../testkit/scripted-blocking.ts';
import { say } from '../../../testkit/scripted-master.ts';
import { capabilitiesOf } from '../../haproxy/process/proxy-version.ts';
import { showProcesses } from '../../haproxy/process/workers.ts';
import { Conversation } from '../../haproxy/socket/conversation.ts';
import { DeleteStrategy } from '../write/delete-strategy.ts';
import { PendingVersions } from './map-replacement.ts';
import { RepairTime, RepairTooLong } from './repair-limits.ts';
import { WorkerReconciler } from './worker-reconciler.ts';

const config = (paths: Parameters<typeof defaultConfig>[0]): string =>
  defaultConfig(paths).replace(
    '-m int gt 0 }',
    `-m int gt 0 } !{ src,map_ip(${paths.blockedMap}.trusted,0) -m int gt 0 }`,
  );

describeOnProductProxies('a worker’s map', ({ bin, major, minor }) => {
  const { versionedMaps, fastDeletes, deletesInEveryVersion, workerLines } = capabilitiesOf({ text: '', major, minor });
  const replaces = versionedMaps && deletesInEveryVersion;
  /** The comparison is the same for each version; `npm test` makes those with long repairs on one. */
  const itOnOne = isOnlyProxyFor(bin) ? it : () => undefined;
  let proxy: RealProxy;
  let kit: BlockingKit;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;

  beforeAll(async () => {
    proxy = await RealProxy.start(bin, {
      config: (paths) => {
        appendFileSync(`${paths.blockedMap}.trusted`, '');
        return config(paths);
      },
    });
    folder = await temporaryFolder();
    kit = await openBlocking({
      folder: folder.path,
      masterSocket: proxy.paths.masterSocket,
      blockedMap: proxy.paths.blockedMap,
      fastDeletes,
      deletesInEveryVersion,
    });
    await kit.keeper.updateBlockedIpsMap();
  });
  afterAll(async () => {
    await kit?.close();
    await proxy?.stop();
    await folder?.remove();
  });

  const raw = async (...commands: string[]) => {
    const conversation = await proxy.socket.converse(within(60_000));
    return await conversation.finish(commands);
  };
  const map = () => proxy.paths.blockedMap;
  const running = async (): Promise<string[]> => {
    const entries: string[] = [];
    await kit.blocked.runtime.runtimeMapKeys(within(60_000), (batch) => {
      for (const { key, value } of batch) entries.push(`${key} ${value}`);
    });
    return entries.sort();
  };
  const database = async () => (await kit.store.scanTexts(null, 1_000_000)).texts.map((text) => `${text} 1`).sort();
  const ensure = async () => {
    kit.registry.observe(await showProcesses(kit.socket, within(60_000)));
    return await kit.workers.sync(kit.blocked, kit.registry.current()!.pid);
  };

  it('is repaired of every kind of wrong entry, without a change of its file', async () => {
    for (const ip of ['192.0.2.1', '192.0.2.2', '192.0.2.3', '2001:db8::1', '10.0.0.0/8', '10.1.0.0/16', '10.1.2.3'])
      await kit.blockedSet.block(toBlock(ip, { allowWide: true }), caller());
    expect((await ensure()).inSync).toBe(true);
    await raw(
      `@1 del map ${map()} 192.0.2.1`,
      `@1 del map ${map()} 10.1.0.0/16`,
      `@1 set map ${map()} 192.0.2.2 0`,
      `@1 add map ${map()} 192.0.2.3 1`,
      `@1 add map ${map()} 10.0.0.0/8 0`,
      `@1 add map ${map()} 198.51.100.7 1`,
      `@1 add map ${map()} 2001:DB8::1 0`,
      `@1 add map ${map()} 192.0.2.3/32 1`,
      `@1 add map ${map()} 10.1.2.0/24 0`,
    );
    expect(await running()).not.toEqual(await database());
    const verdict = await ensure();
    expect(verdict).toMatchObject({ inSync: true, reason: null, added: 2, removed: 4 });
    expect(await running()).toEqual(await database());
    expect((await ensure()).added).toBe(0);
  });

  it('is repaired of a value 0 after a 1, and of three duplicates', async () => {
    await raw(
      `@1 add map ${map()} 192.0.2.1 0`,
      `@1 add map ${map()} 192.0.2.2 1`,
      `@1 add map ${map()} 192.0.2.2 0`,
      `@1 add map ${map()} 10.1.0.0/16 1`,
      `@1 add map ${map()} 2001:db8::1 1`,
      `@1 set map ${map()} 2001:db8::1 0`,
    );
    expect(await ensure()).toMatchObject({ inSync: true });
    expect(await running()).toEqual(await database());
  });

  /** Slower than any real one, so that the load of the machine does not matter. */
  const deletesAreSlow = () => kit.strategy.record(kit.registry.current()!.pid, kit.blocked.expected.total, 1, 10_000);

  // Enough for a replace to fill its version in many turns, with blocks in between.
  const all = replaces ? 30_000 : 5_000;
  const thousands = longTests ? all : all * 0.3;
  const blockThousands = async () => {
    const add = Array.from({ length: thousands }, (_, n) => ({
      index: n,
      request: toBlock(`20.${n >> 14}.${(n >> 7) & 127}.${n & 127}`),
    }));
    await kit.blockedSet.batch({ add, remove: [], rejected: [] }, caller());
    expect((await ensure()).inSync).toBe(true);
  };

  const isReplaced = async () => {
    await raw(
      ...Array.from({ length: 150 }, (_, n) => `@1 add map ${map()} 30.0.0.${n} 1`),
      ...Array.from({ length: 150 }, (_, n) => `@1 add map ${map()} 20.0.0.${n & 127} 1`),
    );
    deletesAreSlow();
    let going = true;
    const repair = ensure().finally(() => {
      going = false;
    });
    let n = 0;
    for (; going; n += 1) {
      const fresh = await kit.blockedSet.block(toBlock(`9.1.${n >> 8}.${n & 255}`), caller());
      expect(fresh.answer.runtime_map_updated).toBe(true);
      // Existing entries and new ones: neither may be missing or doubled in the new version.
      await kit.blockedSet.block(toBlock(`20.0.${40 + ((n >> 7) & 15)}.${n & 127}`), caller());
      await kit.blockedSet.block(toBlock(`9.1.${n >> 8}.${n & 255}`), caller());
      await kit.blockedSet.unblock(entryOf(`20.0.${(n >> 7) & 127}.${127 - (n & 127)}`), caller());
    }
    const verdict = await repair;
    expect(n).toBeGreaterThan(2);
    expect(verdict).toMatchObject({ inSync: true });
    expect(await running()).toEqual(await database());
    const listing = (await raw('@1 show map')).join('\n');
    const line = listing.split('\n').find((text) => text.includes(`(${map()})`))!;
    expect(line).toMatch(/curr_ver=[1-9]/);
  };

  it(`of ${thousands.toLocaleString('en')} accepts a complete batch`, blockThousands);
  if (replaces)
    it('with hundreds of differences is replaced without losing concurrent blocks and unblocks', isReplaced);

  itOnOne('is repaired even if differences exceed the list of one comparison repeatedly', async () => {
    const { registry, turns, windows } = kit;
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const pending = new PendingVersions();
    // On a busy machine the rest would be replaced instead.
    const strategy = new DeleteStrategy({ mayReplace: () => false });
    const keeper = new WorkerReconciler({
      registry,
      turns,
      windows,
      pending,
      log,
      emit: noFacts,
      strategy,
      listAtMost: 20,
    });
    await raw(...Array.from({ length: 150 }, (_, n) => `@1 add map ${map()} 31.0.0.${n} 1`));
    expect(await keeper.sync(kit.blocked, kit.registry.current()!.pid)).toMatchObject({ inSync: true, removed: 150 });
    expect(await running()).toEqual(await database());
  });

  it('with thousands of unexpected entries is repaired beside blocks of some of them', async () => {
    const foreign = Array.from({ length: 2_500 }, (_, n) => `31.1.${n >> 8}.${n & 255}`);
    await ensure();
    const { pid } = kit.registry.current()!;
    await kit.blocked.runtime.addMany({ kind: 'pid', pid }, foreign, within(60_000));
    const removed = vi.spyOn(kit.blocked.runtime, 'deleteMany');
    const blocked = foreign.filter((_, n) => n % 500 === 499);
    const verdict = unreplaced().sync(kit.blocked, pid);
    for (const text of blocked) await kit.blockedSet.block(toBlock(text), caller());
    expect(await verdict).toMatchObject({ inSync: true, reason: null });
    expect(new Set(removed.mock.calls.map(([worker]) => worker.kind))).toEqual(new Set([workerLines ? 'line' : 'pid']));
    removed.mockRestore();
    expect(await running()).toEqual(await database());
    expect(await running()).toEqual(expect.arrayContaining(blocked.map((text) => `${text} 1`)));
  });

  const unreplaced = () => {
    const { registry, turns, windows } = kit;
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const strategy = new DeleteStrategy({ mayReplace: () => false });
    return new WorkerReconciler({
      registry,
      turns,
      windows,
      pending: new PendingVersions(),
      log,
      emit: noFacts,
      strategy,
    });
  };

  itOnOne('is listed once for all its duplicates', async () => {
    const { pid } = kit.registry.current()!;
    await raw(...Array.from({ length: 60 }, (_, n) => `@1 add map ${map()} 20.0.0.${n} 1`));
    const listings = vi.spyOn(Conversation.prototype, 'streamLines');
    const verdict = await unreplaced().sync(kit.blocked, pid);
    expect(verdict).toMatchObject({ inSync: true, corrected: 60 });
    // Verification, comparison, elements, verification.
    expect(listings.mock.calls.map(([command]) => command)).toEqual(Array(4).fill(`@!${pid} show map ${map()}`));
    listings.mockRestore();
    expect(await running()).toEqual(await database());
  });

  itOnOne('loses no new entry that reuses the element of a listed duplicate', async () => {
    const { pid } = kit.registry.current()!;
    const duplicates = Array.from({ length: 60 }, (_, n) => `20.0.1.${n}`);
    await raw(...duplicates.map((text) => `@1 add map ${map()} ${text} 1`));
    const { runtime } = kit.blocked;
    const { duplicateChanges } = runtime;
    vi.spyOn(runtime, 'duplicateChanges').mockImplementationOnce(async (...request) => {
      const changes = await duplicateChanges.apply(runtime, request);
      for (const text of duplicates.slice(1)) await kit.blockedSet.unblock(entryOf(text), caller());
      for (let n = 0; n < 80; n += 1) await kit.blockedSet.block(toBlock(`9.2.0.${n}`), caller());
      for (const text of duplicates.slice(1)) await kit.blockedSet.block(toBlock(text), caller());
      return changes;
    });
    const lost: string[] = [];
    const { changeElements } = runtime;
    vi.spyOn(runtime, 'changeElements').mockImplementation(async (...request) => {
      await changeElements.apply(runtime, request);
      const entries = new Set(await running());
      lost.push(...(await database()).filter((entry) => !entries.has(entry)));
    });
    const verdict = await unreplaced().sync(kit.blocked, pid);
    vi.restoreAllMocks();
    expect(verdict).toMatchObject({ inSync: true, corrected: 1, added: 0 });
    expect(lost).toEqual([]);
    expect(await running()).toEqual(await database());
  });

  const isNotReplaced = async () => {
    const { members } = kit.blocked;
    const victim = '20.0.60.5';
    Object.assign(kit.blocked, {
      members: async (texts: readonly string[]) => {
        const found = new Set(await members(texts));
        found.delete(victim);
        return found;
      },
    });
    await raw(...Array.from({ length: 70 }, (_, n) => `@1 add map ${map()} 30.0.0.${n} 1`));
    deletesAreSlow();
    const verdict = await ensure();
    Object.assign(kit.blocked, { members });
    expect(verdict).toMatchObject({ inSync: false, reason: expect.stringMatching(/not committed/) });
    expect(await running()).toContain(`${victim} 1`);
    expect(await ensure()).toMatchObject({ inSync: true });
    expect(await running()).toEqual(await database());
  };
  if (replaces) it('is not replaced by a version that lacks an entry', isNotReplaced);

  it('is not repaired from a database that lost more than half of its rows', async () => {
    const all = await running();
    await kit.database.write.deleteFrom('blocked_ips').execute();
    await raw(`@1 add map ${map()} 30.0.0.1 1`);
    const verdict = await ensure();
    expect(verdict).toMatchObject({ inSync: false, reason: expect.stringMatching(/no worker is repaired/) });
    expect(await running()).toEqual([...all, '30.0.0.1 1'].sort());
  });
});

describe('a verdict', () => {
  it('is returned, not thrown, if the master cannot be reached', async () => {
    const folder = await temporaryFolder();
    const kit = await openBlocking({ folder: folder.path, masterSocket: `${folder.path}/m.sock` });
    expect(await kit.workers.sync(kit.blocked, 1)).toMatchObject({ inSync: false, added: 0 });
    await kit.close();
    await folder.remove();
  });

  describe('of a map with many differences', () => {
    const texts = Array.from({ length: 1_100 }, (_, n) => `20.0.${n >> 8}.${n & 255}`);
    let scripted: ScriptedBlocking;

    beforeEach(async () => {
      scripted = await openScriptedBlocking({ fastDeletes: false });
      const { kit, master } = scripted;
      const add = texts.map((text, index) => ({ index, request: toBlock(text) }));
      await kit.blockedSet.batch({ add, remove: [], rejected: [] }, caller());
      await kit.reconciler.check(true);
      const map = master.map(kit.mapPath);
      for (const text of texts.slice(0, 3)) map.del(text);
      for (let n = 0; n < 150; n += 1) map.add(`30.0.0.${n}`, '1');
      // So that the excess is left to a replace.
      kit.strategy.record(master.current.pid, texts.length, 1, 10_000);
    });
    afterEach(async () => {
      await scripted.close();
    });

    it('reports what was repaired although the following replace was rejected', async () => {
      const { kit, master, time } = scripted;
      master.script = (command) => (command.includes(' commit map ') ? say('No.\n\n') : undefined);
      const verdict = await time.during(kit.workers.sync(kit.blocked, master.current.pid));
      expect(verdict).toMatchObject({ inSync: false, added: 3, removed: 0 });
    });

    it('reports everything that a replace removed, however little one comparison lists', async () => {
      const { kit, master, time } = scripted;
      const { registry, turns, windows, strategy } = kit;
      const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
      const keeper = new WorkerReconciler({
        registry,
        turns,
        windows,
        strategy,
        log,
        emit: noFacts,
        pending: new PendingVersions(),
        listAtMost: 20,
      });
      const verdict = await time.during(keeper.sync(kit.blocked, master.current.pid));
      expect(verdict).toMatchObject({ inSync: true, added: 3, removed: 150 });
    });

    describe('and whose repair takes too long', () => {
      afterEach(() => vi.restoreAllMocks());
      /** @param steps number of steps before the time is up */
      const withSteps = (steps: number, options: { readonly mayReplace: boolean; readonly listAtMost?: number }) => {
        const { registry, turns, windows } = scripted.kit;
        const { pid } = scripted.master.current;
        const log = { info: () => undefined, warn: () => undefined, error: () => expect.unreachable() };
        const strategy = new DeleteStrategy({ mayReplace: () => options.mayReplace });
        // One command per slice.
        strategy.record(pid, texts.length, 1, 10_000);
        vi.spyOn(strategy, 'record').mockReturnValue();
        const keeper = new WorkerReconciler({
          registry,
          turns,
          windows,
          pending: new PendingVersions(),
          log,
          emit: noFacts,
          strategy,
          ...options,
        });
        let taken = 0;
        vi.spyOn(RepairTime.prototype, 'step').mockImplementation(() => {
          taken += 1;
          if (taken > steps) throw new RepairTooLong('it took too long');
        });
        return keeper.sync(scripted.kit.blocked, pid);
      };
      const tooLong = { inSync: false, socketFailure: null, reason: 'it took too long', added: 3 };

      it('is returned with its repairs although another process adds entries as fast as they are removed', async () => {
        const { kit, master } = scripted;
        let foreign = 0;
        master.script = (command) => {
          if (!command.includes(' del map ')) return undefined;
          foreign += 1;
          master.map(kit.mapPath).add(`31.0.${foreign >> 8}.${foreign & 255}`, '1');
          return undefined;
        };
        // A round, the missing entries and twenty foreign ones; then again without the missing ones.
        const verdict = await withSteps(1 + 1 + 20 + 1 + 20, { mayReplace: false, listAtMost: 20 });
        expect(verdict).toMatchObject({ ...tooLong, removed: 40 });
        expect(kit.registry.isInSync(kit.registry.current()!)).toBe(false);
      });

      it('is returned between two slices of a repair', async () => {
        expect(await withSteps(1 + 1 + 5, { mayReplace: false })).toMatchObject({ ...tooLong, removed: 5 });
        expect(await withSteps(1, { mayReplace: false })).toMatchObject({ ...tooLong, added: 0, removed: 0 });
      });

      it('is returned before a version is filled, with an unchanged live map', async () => {
        const { kit, master } = scripted;
        const before = master.map(kit.mapPath).live().length;
        expect(await withSteps(1 + 1, { mayReplace: true })).toMatchObject({ ...tooLong, removed: 0 });
        expect(master.map(kit.mapPath).live()).toHaveLength(before + 3);
        expect(master.commands.filter((command) => command.includes(' commit map '))).toEqual([]);
      });
    });
  });
});
