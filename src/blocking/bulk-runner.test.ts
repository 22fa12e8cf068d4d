import { appendFileSync, cpSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type BlockingKit, caller, entryOf, openBlocking, temporaryFolder, toBlock } from '../../testkit/blocking.ts';
import { eventually } from '../../testkit/conditions.ts';
import { ScriptedMaster } from '../../testkit/scripted-master.ts';
import { RuntimeMap } from '../haproxy/runtime-map.ts';
import { BlockedIpsStore } from '../store/blocked-ips-store.ts';
import { BulkStore, type StagedRow } from '../store/bulk-store.ts';
import type { BulkItem } from './answers.ts';
import { BulkWorkers } from './bulk-workers.ts';
import { MapFileKeeper } from './map-file-keeper.ts';
import { WorkerKeeper } from './worker-keeper.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let master: ScriptedMaster;
let kit: BlockingKit;
const others: BlockingKit[] = [];
const { applySlice } = BulkStore.prototype;
/** However fast the machine is, 2,000 changes take several. */
const smallSlice: typeof applySlice = function (this: BulkStore, id, _limit, ...more) {
  return applySlice.call(this, id, 250, ...more);
};

beforeEach(async () => {
  folder = await temporaryFolder();
  const blocked = join(folder.path, 'blocked.map');
  master = new ScriptedMaster(join(folder.path, 'm.sock'), { [blocked]: [], [`${blocked}.trusted`]: [] });
  await master.listen();
  kit = await openBlocking({ folder: folder.path, masterSocket: master.path });
  await kit.keeper.updateBlockedIpsMap();
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const other of others.splice(0)) await other.close();
  await kit.close();
  await master.stop();
  await folder.remove();
});

const line = (text: string): BulkItem => ({
  ok: true,
  request: { entry: entryOf(text), expiry: { kind: 'keep' }, force: false },
});
const texts = (count: number, from = '10.1'): string[] =>
  Array.from({ length: count }, (_, n) => `${from}.${n >> 8}.${n & 255}`);
async function* pieces(all: readonly string[], size = 700): AsyncIterable<readonly BulkItem[]> {
  for (let start = 0; start < all.length; start += size) yield all.slice(start, start + size).map(line);
}
const put = (source: AsyncIterable<readonly BulkItem[]>, allowShrink = false) =>
  kit.blockedSet.replaceAll(source, { allowShrink }, caller());
const running = () =>
  master
    .map(kit.mapPath)
    .live()
    .map((entry) => `${entry.key} ${entry.value}`)
    .sort();
const everywhere = async (wanted: readonly string[]) => {
  const want = wanted.map((text) => `${text} 1`).sort();
  expect(running()).toEqual(want);
  expect((await kit.fileEntries()).sort()).toEqual(want);
  expect((await kit.store.scanTexts(null, 1_000_000)).texts.map((text) => `${text} 1`).sort()).toEqual(want);
  expect(await kit.store.count()).toBe(want.length);
};
const block = (ip: string) => kit.blockedSet.block(toBlock(ip), caller());
const unblock = (ip: string) => kit.blockedSet.unblock(entryOf(ip), caller());

/** It may come before the list's own slice: then there is nothing to remove yet, and it has the last word all the same. */
const gone = (removal: Promise<unknown>) => removal.catch((error: { code: number }) => expect(error.code).toBe(1100));

describe('a whole set', () => {
  it('takes what goes out of the worker itself, and leaves no work to the repair', async () => {
    const before = texts(700);
    await put(pieces(before));
    const deleted: string[] = [];
    const parts: number[] = [];
    const { deleteMany } = RuntimeMap.prototype;
    vi.spyOn(RuntimeMap.prototype, 'deleteMany').mockImplementation(function (this: RuntimeMap, worker, ips, deadline) {
      deleted.push(...ips);
      parts.push(ips.length);
      return deleteMany.call(this, worker, ips, deadline);
    });
    let beforeRepair: string[] = [];
    const { ensureWhole } = WorkerKeeper.prototype;
    vi.spyOn(WorkerKeeper.prototype, 'ensureWhole').mockImplementation(function (this: WorkerKeeper, map, pid) {
      beforeRepair = [...deleted];
      return ensureWhole.call(this, map, pid);
    });
    await put(pieces(before.slice(0, 405)));
    expect(beforeRepair.sort()).toEqual(before.slice(405).sort());
    // Two connections share what a turn takes out of the only worker.
    for (let at = 0; at < parts.length; at += 2) expect(parts[at]! - parts[at + 1]!).toBeOneOf([0, 1]);
    await everywhere(before.slice(0, 405));
  });

  it('replaces what was there by difference, and is seen in the worker', async () => {
    await put(pieces(texts(2_500)));
    const next = [...texts(2_500).slice(700), ...texts(400, '10.2')];
    const answer = await put(pieces(next));
    expect(answer).toMatchObject({ added: 400, removed: 700, unchanged: 1_800, runtime_map_updated: true });
    await everywhere(next);
    expect(master.commands.filter((command) => command.includes('clear map'))).toEqual([]);
  });

  it('changes nothing when its source breaks off, and leaves nothing behind', async () => {
    await put(pieces(texts(300)));
    const source = async function* () {
      yield* pieces(texts(5_000, '10.2'));
      throw new Error('the client went away');
    };
    await expect(put(source())).rejects.toThrow('went away');
    await everywhere(texts(300));
    expect(await new BulkStore(kit.database).unfinished()).toEqual([]);
    const left = await kit.database.read.selectFrom('bulk_blocks').select('bulk').execute();
    expect(left).toEqual([]);
  });

  it('writes its next slice while the last is sent, and lets nobody else change anything before it was', async () => {
    const under: string[] = [];
    let sending = 0;
    const { addMany } = RuntimeMap.prototype;
    vi.spyOn(RuntimeMap.prototype, 'addMany').mockImplementation(async function (this: RuntimeMap, ...args) {
      sending += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
      await addMany.apply(this, args);
      sending -= 1;
    });
    const { applyGroup } = BlockedIpsStore.prototype;
    vi.spyOn(BlockedIpsStore.prototype, 'applyGroup').mockImplementation(async function (
      this: BlockedIpsStore,
      ...args
    ) {
      under.push(`group beside ${sending}`);
      return await applyGroup.apply(this, args);
    });
    vi.spyOn(BulkStore.prototype, 'applySlice').mockImplementation(async function (this: BulkStore, ...args) {
      under.push(`slice beside ${sending}`);
      return await applySlice.apply(this, args);
    });
    const all = texts(12_000);
    const putting = put(pieces(all));
    // Fewer than there are slices, so that some slices follow one another.
    const others = Array.from({ length: 3 }, (_, n) => `192.0.2.${n}`);
    await vi.waitUntil(() => under.length > 0);
    for (const ip of others) await block(ip);
    await putting;
    expect(new Set(under)).toEqual(new Set(['slice beside 0', 'slice beside 1', 'group beside 0']));
    await everywhere([...all, ...others]);
  });

  it('that would drop more than half of a hundred or more is refused, unless that is meant', async () => {
    await put(pieces(texts(100)));
    await expect(put(pieces(texts(49)))).rejects.toMatchObject({
      code: 6006,
      members: { would_remove: 51, current_total: 100 },
    });
    await everywhere(texts(100));
    expect(await put(pieces(texts(50)))).toMatchObject({ removed: 50 });
    await kit.blockedSet.batch(
      { add: texts(60, '10.3').map((ip, index) => ({ index, request: toBlock(ip) })), remove: [], rejected: [] },
      caller(),
    );
    expect(await put(pieces([]), true)).toMatchObject({ removed: 110, runtime_map_updated: true });
    await everywhere([]);
  });

  it('leaves the last word to a block and an unblock that came while it was applied', async () => {
    await put(pieces(texts(3_000)));
    let slices = 0;
    const spoken: Promise<unknown>[] = [];
    const apply = vi.spyOn(BulkStore.prototype, 'applySlice').mockImplementation(async function (
      this: BulkStore,
      ...args
    ) {
      slices += 1;
      // Queued behind this slice: it comes between the slices.
      if (slices === 1) spoken.push(block('10.1.0.5'), gone(unblock('10.2.11.180')), block('192.0.2.200'));
      return await applySlice.apply(this, args);
    });
    const answer = await put(pieces(texts(3_000, '10.2')), true);
    await Promise.all(spoken);
    apply.mockRestore();
    expect(answer.runtime_map_updated).toBe(true);
    const want = new Set([...texts(3_000, '10.2'), '10.1.0.5', '192.0.2.200']);
    want.delete('10.2.11.180');
    await everywhere([...want]);
  });

  it('that takes most of it out keeps no block waiting for its end, though somebody edits the file again and again', async () => {
    await put(pieces(texts(2_200)));
    const blocked: string[] = [];
    const spoken: Promise<unknown>[] = [];
    let going = true;
    vi.spyOn(BulkStore.prototype, 'applySlice').mockImplementation(async function (this: BulkStore, ...args) {
      const slice = await smallSlice.apply(this, args);
      // Its lines stay in the file until the end: it holds more than twice what the database does.
      if (slice.done || (await kit.store.count()) > 1_000) return slice;
      appendFileSync(kit.mapPath, '# a note\n');
      const ip = `192.0.2.${blocked.length}`;
      blocked.push(ip);
      spoken.push(block(ip).then(() => expect(going).toBe(true)));
      return slice;
    });
    await put(pieces(texts(20)), true);
    going = false;
    await Promise.all(spoken);
    expect(spoken.length).toBeGreaterThan(1);
    await everywhere([...texts(20), ...blocked]);
  });

  it('never takes out of a worker what was blocked again after its slice', async () => {
    const before = texts(700);
    await put(pieces(before));
    const again = before[500]!;
    let blocking: ReturnType<typeof block> | undefined;
    vi.spyOn(BulkStore.prototype, 'applySlice').mockImplementation(async function (this: BulkStore, ...args) {
      const slice = await applySlice.apply(this, args);
      // Queued behind this slice and before the turn that removes from the workers.
      if (slice.net.removed.includes(again)) blocking ??= block(again);
      return slice;
    });
    const deleted: string[] = [];
    const { deleteMany } = RuntimeMap.prototype;
    vi.spyOn(RuntimeMap.prototype, 'deleteMany').mockImplementation(function (this: RuntimeMap, worker, ips, deadline) {
      deleted.push(...ips);
      return deleteMany.call(this, worker, ips, deadline);
    });
    await put(pieces(before.slice(0, 405)));
    expect((await blocking)?.answer.runtime_map_updated).toBe(true);
    expect(deleted.sort()).toEqual(
      before
        .slice(405)
        .filter((text) => text !== again)
        .sort(),
    );
    await everywhere([...before.slice(0, 405), again]);
  });

  it('keeps nobody waiting while what came is sorted', async () => {
    const { sorted } = BulkStore.prototype;
    vi.spyOn(BulkStore.prototype, 'sorted').mockImplementation(async function (this: BulkStore, rows) {
      await block('192.0.2.1');
      return await sorted.call(this, rows);
    });
    await put(pieces([...texts(300), '192.0.2.1']));
    await everywhere([...texts(300), '192.0.2.1']);
  });

  it('changes fewer rows in a slice after one that took too long', async () => {
    const limits: number[] = [];
    let late = 0;
    const { now } = performance;
    vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + late);
    vi.spyOn(BulkStore.prototype, 'applySlice').mockImplementation(async function (this: BulkStore, ...args) {
      limits.push(args[1]);
      const slice = await applySlice.apply(this, args);
      late += 60;
      return slice;
    });
    await put(pieces(texts(2_500)));
    expect(limits[1]).toBeLessThan(limits[0]! / 2);
    await everywhere(texts(2_500));
  });

  it('lets other changes through between its slices', async () => {
    const waited: number[] = [];
    const applying = put(pieces(texts(6_000)));
    let going = true;
    void applying.then(() => {
      going = false;
    });
    for (let n = 0; going; n += 1) {
      const began = performance.now();
      expect((await block(`192.0.2.${n & 127}`)).answer.runtime_map_updated).toBe(true);
      waited.push(performance.now() - began);
    }
    await applying;
    expect(waited.length).toBeGreaterThan(5);
  });
});

describe('a big change that is interrupted', () => {
  /** What a crash at this moment leaves: the files as they lie there, read by a service that starts on them. */
  const crashed = async (): Promise<BlockingKit> => {
    const copy = join(folder.path, `crash-${others.length}`);
    cpSync(kit.databaseFile, join(copy, 'test.sqlite'));
    cpSync(`${kit.databaseFile}-wal`, join(copy, 'test.sqlite-wal'));
    cpSync(kit.mapPath, join(copy, 'blocked.map'));
    const next = await openBlocking({ folder: copy, masterSocket: join(copy, 'm.sock') });
    others.push(next);
    // As a start does it.
    await next.keeper.updateBlockedIpsMap({ acceptShrink: await next.bulk.finishInterrupted() });
    await next.bulk.forgetFinished();
    return next;
  };

  it('after it had come whole is finished at the next start, at whichever slice it was', async () => {
    await put(pieces(texts(2_200)));
    const next = texts(2_200, '10.2');
    const found: string[][] = [];
    let crashing = false;
    vi.spyOn(BulkStore.prototype, 'applySlice').mockImplementation(async function (this: BulkStore, ...args) {
      const outcome = await applySlice.apply(this, args);
      // The start after the crash applies slices too.
      if (crashing) return outcome;
      crashing = true;
      const after = await crashed();
      crashing = false;
      found.push((await after.store.scanTexts(null, 1_000_000)).texts);
      expect((await after.fileEntries()).length).toBe(next.length);
      return outcome;
    });
    await put(pieces(next), true);
    expect(found.length).toBeGreaterThanOrEqual(5);
    for (const one of found) expect([...one].sort()).toEqual([...next].sort());
  });

  it('after its last slice, which leaves a tenth, keeps its permission to shrink until the file is written', async () => {
    await put(pieces(texts(2_200)));
    const afterwards: (number | string)[] = [];
    const start = async (): Promise<void> => {
      afterwards.push(
        await crashed().then(
          async (next) => (await next.fileEntries()).length,
          (error: Error) => error.message,
        ),
      );
    };
    const rewrite = MapFileKeeper.prototype.updateBlockedIpsMap;
    let crashing = false;
    vi.spyOn(MapFileKeeper.prototype, 'updateBlockedIpsMap').mockImplementation(async function (
      this: MapFileKeeper,
      ...args
    ) {
      if (this === kit.keeper && !crashing) {
        crashing = true;
        await start();
      }
      return await rewrite.apply(this, args);
    });
    await put(pieces(texts(200)), true);
    await start();
    expect(afterwards).toEqual([200, 200]);
    expect(await new BulkStore(kit.database).anyFinished()).toBe(false);
  });

  it('that no file could be written for keeps that permission, though another one begins and fails', async () => {
    await put(pieces(texts(2_200)));
    const begin = vi.spyOn(kit.keeper.file, 'beginRewrite').mockRejectedValue(new Error('no space left'));
    await expect(put(pieces(texts(200)), true)).rejects.toMatchObject({ code: 6004 });
    vi.spyOn(BulkStore.prototype, 'applySlice').mockRejectedValueOnce(new Error('disk full'));
    await expect(put(pieces(texts(199)))).rejects.toMatchObject({ code: 6003 });
    expect(await (await crashed()).fileEntries()).toHaveLength(200);
    begin.mockRestore();
    await put(pieces(texts(198)));
    await everywhere(texts(198));
    await put(pieces(texts(198)));
    expect(await new BulkStore(kit.database).anyFinished()).toBe(false);
  });

  it('before it had come whole is forgotten at the next start', async () => {
    await put(pieces(texts(200)));
    const source = async function* () {
      yield* pieces(texts(5_000, '10.2'));
      const after = await crashed();
      expect(await after.store.count()).toBe(200);
      expect(await new BulkStore(after.database).unfinished()).toEqual([]);
      throw new Error('enough');
    };
    await expect(put(source())).rejects.toThrow('enough');
  });

  it('by a database that fails is told, does not come back later, and the file is made right by the next change', async () => {
    await put(pieces(texts(1_500)));
    let slices = 0;
    const apply = vi.spyOn(BulkStore.prototype, 'applySlice').mockImplementation(async function (
      this: BulkStore,
      ...args
    ) {
      slices += 1;
      if (slices === 2) throw new Error('disk full');
      return await applySlice.apply(this, args);
    });
    await expect(put(pieces(texts(1_500, '10.2')), true)).rejects.toMatchObject({ code: 6003 });
    apply.mockRestore();
    expect(kit.keeper.problem).toMatch(/big change/);
    expect(await new BulkStore(kit.database).unfinished()).toEqual([]);
    await block('192.0.2.1');
    const all = (await kit.store.scanTexts(null, 1_000_000)).texts;
    expect(all).toHaveLength(1_500 + 1_000 + 1);
    await everywhere(all);
  });

  /** From when the set has become this small on. */
  const failBelow = (count: number) =>
    vi.spyOn(BulkStore.prototype, 'applySlice').mockImplementation(async function (this: BulkStore, ...args) {
      if ((await kit.store.count()) < count) throw new Error('disk full');
      return await smallSlice.apply(this, args);
    });
  const granted = async () => await new BulkStore(kit.database).anyFinished();

  it('by a database that fails when most of it is gone keeps its permission to shrink, also over a crash, until the file is written', async () => {
    await put(pieces(texts(2_200)));
    const slices = failBelow(1_000);
    await expect(put(pieces(texts(20)), true)).rejects.toThrow(/^the database cannot be written: disk full$/);
    slices.mockRestore();
    const left = (await kit.store.scanTexts(null, 1_000_000)).texts;
    expect(left.length).toBeLessThan(1_000);
    expect(left.length).toBeGreaterThan(20);
    expect(await kit.fileEntries()).toHaveLength(2_200);
    expect((await (await crashed()).fileEntries()).sort()).toEqual(left.map((text) => `${text} 1`).sort());
    const looks = vi.spyOn(MapFileKeeper.prototype, 'problem', 'get');
    await eventually('it is looked whether the file was written', () => looks.mock.calls.length > 0);
    expect(await granted()).toBe(true);
    // And without a crash, though somebody edits the file.
    appendFileSync(kit.mapPath, '# a note\n');
    await block('192.0.2.1');
    await eventually('it is needed no more', async () => !(await granted()));
    await kit.reconciler.look(true);
    await everywhere([...left, '192.0.2.1']);
    expect(await kit.database.read.selectFrom('bulk_blocks').select('bulk').execute()).toEqual([]);
  });

  it('by a database that does not even take that it ended is told as one that may still be made', async () => {
    await put(pieces(texts(2_200)));
    const slices = failBelow(1_000);
    const full = new Error('database or disk is full');
    const ends = vi.spyOn(BulkStore.prototype, 'giveUp').mockRejectedValueOnce(full).mockRejectedValueOnce(full);
    const failure = await put(pieces(texts(20)), true).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 6003, status: 503 });
    expect((failure as Error).message).toMatch(/disk full; .* may still be made at the next start/);
    expect(kit.bulk.problem).toMatch(/could not be taken back yet/);
    slices.mockRestore();
    // So it is: killed now, the service makes it.
    expect(await (await crashed()).fileEntries()).toHaveLength(20);
    await eventually('it is taken back', () => kit.bulk.problem === null);
    expect(ends).toHaveBeenCalledTimes(3);
    const left = await kit.store.count();
    expect(await (await crashed()).fileEntries()).toHaveLength(left);
    expect(left).toBeGreaterThan(20);
  });

  it.each([
    ['of a whole set', true],
    ['of many addresses', false],
  ])(
    '%s by anything after a slice was stored is told, and the file is known to be behind',
    {
      timeout: 90_000,
    },
    async (_, replace) => {
      await put(pieces(texts(1_500)));
      // Whether or not there is a worker to bring it to: a busy machine may have lost it.
      vi.spyOn(BulkWorkers.prototype, 'add').mockRejectedValueOnce(new TypeError('not of the socket'));
      const rows = async function* (): AsyncIterable<readonly StagedRow[]> {
        const wanted = [...texts(1_500), ...texts(90, '10.2')];
        yield wanted.map((text) => ({ op: 'add', entry: entryOf(text), expiry: { kind: 'keep' } }));
      };
      const change = kit.bulk.run(rows(), { replace, allowShrink: false, requestedBy: 'test' });
      await expect(change).rejects.toThrow('not of the socket');
      const all = (await kit.store.scanTexts(null, 1_000_000)).texts;
      expect(all).toHaveLength(1_590);
      expect(kit.keeper.problem).toMatch(/big change/);
      await block('192.0.2.1');
      expect((await kit.fileEntries()).sort()).toEqual([...all, '192.0.2.1'].map((text) => `${text} 1`).sort());
      await eventually(
        'the worker holds all of it',
        async () => {
          await kit.reconciler.look(true);
          await everywhere([...all, '192.0.2.1']);
          return true;
        },
        50_000,
      );
    },
  );

  it('is taken back as soon as the database takes it, and no later start makes up for it', async () => {
    await put(pieces(texts(1_500)));
    // The disk is full: neither a slice nor the word that nothing more comes of it can be stored.
    const full = new Error('database or disk is full');
    const slices = vi.spyOn(BulkStore.prototype, 'applySlice').mockRejectedValueOnce(full);
    const discards = vi.spyOn(BulkStore.prototype, 'discard').mockRejectedValueOnce(full).mockRejectedValueOnce(full);
    await expect(put(pieces(texts(20)), true)).rejects.toThrow(/disk is full; .* may still be made at the next start/);
    expect(kit.bulk.problem).toMatch(/could not be taken back yet/);
    await eventually('it is taken back', () => kit.bulk.problem === null);
    expect(discards).toHaveBeenCalledTimes(3);
    slices.mockRestore();
    discards.mockRestore();
    // What the next start does first.
    await kit.bulk.finishInterrupted();
    expect(await kit.store.count()).toBe(1_500);
  });

  it('by a file that cannot be written is a 503, and the same list again writes it', async () => {
    const begin = vi.spyOn(kit.keeper.file, 'beginRewrite').mockRejectedValueOnce(new Error('no space left'));
    await expect(put(pieces(texts(1_200)))).rejects.toMatchObject({ code: 6004 });
    begin.mockRestore();
    expect(await kit.fileEntries()).toEqual([]);
    expect(kit.keeper.problem).not.toBeNull();
    expect(await put(pieces(texts(1_200)))).toMatchObject({ added: 0, unchanged: 1_200, runtime_map_updated: true });
    await everywhere(texts(1_200));
  });
});

describe('a row inserted by hand', () => {
  it('is taken up before a list that names it is applied', async () => {
    const database = new SqliteDatabase(kit.databaseFile);
    database.exec("INSERT INTO blocked_ips(ip_address, blocked_at) VALUES ('10.1.0.3', 'x'), ('10.9.9.9', 'x')");
    database.close();
    expect(await put(pieces(texts(1_100)))).toMatchObject({ added: 1_099, removed: 1, runtime_map_updated: true });
    await everywhere(texts(1_100));
  });
});
