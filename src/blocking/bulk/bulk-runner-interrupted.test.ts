import { appendFileSync, cpSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type BlockingKit, entryOf, openBlocking } from '../../../testkit/blocking.ts';
import { type BulkChanges, openBulkChanges, pieces, smallSlice, texts } from '../../../testkit/bulk-changes.ts';
import { eventually } from '../../../testkit/conditions.ts';
import { BulkStore, type StagedRow } from '../../store/bulk-store.ts';
import { StoreError } from '../../store/store-error.ts';
import { MapFileKeeper } from '../write/map-file-keeper.ts';
import { BulkWorkers } from './bulk-workers.ts';

const { applySlice } = BulkStore.prototype;
const others: BlockingKit[] = [];

let kit: BulkChanges['kit'];
let time: BulkChanges['time'];
let close: BulkChanges['close'];
let put: BulkChanges['put'];
let block: BulkChanges['block'];
let everywhere: BulkChanges['everywhere'];
beforeEach(async () => {
  ({ kit, time, close, put, block, everywhere } = await openBulkChanges());
});
afterEach(async () => {
  vi.restoreAllMocks();
  time[Symbol.dispose]();
  for (const other of others.splice(0)) await other.close();
  await close();
});

describe('a bulk change that is interrupted', () => {
  /** A service that starts on the files as a crash at this moment would leave them. */
  const crashed = async (): Promise<BlockingKit> => {
    const copy = join(dirname(kit.databaseFile), `crash-${others.length}`);
    cpSync(kit.databaseFile, join(copy, 'test.sqlite'));
    cpSync(`${kit.databaseFile}-wal`, join(copy, 'test.sqlite-wal'));
    cpSync(kit.mapPath, join(copy, 'blocked.map'));
    const next = await openBlocking({ folder: copy, masterSocket: join(copy, 'm.sock') });
    others.push(next);
    await next.keeper.updateBlockedIpsMap({ acceptShrink: await next.bulk.finishInterrupted() });
    await next.bulk.forgetFinished();
    return next;
  };

  it('after it was received completely is finished at the next start, whatever the slice', async () => {
    await put(pieces(texts(1_100)));
    const next = texts(1_100, '10.2');
    const found: string[][] = [];
    let crashing = false;
    vi.spyOn(BulkStore.prototype, 'applySlice').mockImplementation(async function (this: BulkStore, id, _, ...more) {
      const outcome = await applySlice.call(this, id, 400, ...more);
      // The start after the crash also applies slices.
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

  it('after its last slice keeps its permission to shrink until the file is written', async () => {
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

  it('keeps its permission to shrink until the file is written, although another one begins and fails', async () => {
    await put(pieces(texts(2_200)));
    const begin = vi.spyOn(kit.keeper.file, 'beginRewrite').mockRejectedValue(new Error('no space left'));
    await expect(put(pieces(texts(200)), true)).rejects.toMatchObject({ code: 6004 });
    vi.spyOn(BulkStore.prototype, 'applySlice').mockRejectedValueOnce(new StoreError('full', 'disk full'));
    await expect(put(pieces(texts(199)))).rejects.toMatchObject({ code: 6003 });
    expect(await (await crashed()).fileEntries()).toHaveLength(200);
    begin.mockRestore();
    await put(pieces(texts(198)));
    await everywhere(texts(198));
    await put(pieces(texts(198)));
    expect(await new BulkStore(kit.database).anyFinished()).toBe(false);
  });

  it('before it was received completely is discarded at the next start', async () => {
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

  it('by a failed database is reported and not resumed, and the next change repairs the file', async () => {
    await put(pieces(texts(1_500)));
    let slices = 0;
    const apply = vi.spyOn(BulkStore.prototype, 'applySlice').mockImplementation(async function (
      this: BulkStore,
      ...args
    ) {
      slices += 1;
      if (slices === 2) throw new StoreError('full', 'disk full');
      return await applySlice.apply(this, args);
    });
    await expect(put(pieces(texts(1_500, '10.2')), true)).rejects.toMatchObject({ code: 6003 });
    apply.mockRestore();
    expect(kit.keeper.problem).toMatch(/bulk change/);
    expect(await new BulkStore(kit.database).unfinished()).toEqual([]);
    await block('192.0.2.1');
    const all = (await kit.store.scanTexts(null, 1_000_000)).texts;
    expect(all).toHaveLength(1_500 + 1_000 + 1);
    await everywhere(all);
  });

  const failBelow = (count: number) =>
    vi.spyOn(BulkStore.prototype, 'applySlice').mockImplementation(async function (this: BulkStore, ...args) {
      if ((await kit.store.count()) < count) throw new StoreError('full', 'disk full');
      return await smallSlice.apply(this, args);
    });
  const granted = async () => await new BulkStore(kit.database).anyFinished();

  it('by a failing database keeps its permission to shrink, even across a crash, until the file is written', async () => {
    await put(pieces(texts(2_200)));
    const slices = failBelow(1_000);
    await expect(put(pieces(texts(20)), true)).rejects.toThrow(/^disk full$/);
    slices.mockRestore();
    const left = (await kit.store.scanTexts(null, 1_000_000)).texts;
    expect(left.length).toBeLessThan(1_000);
    expect(left.length).toBeGreaterThan(20);
    expect(await kit.fileEntries()).toHaveLength(2_200);
    expect((await (await crashed()).fileEntries()).sort()).toEqual(left.map((text) => `${text} 1`).sort());
    const looks = vi.spyOn(MapFileKeeper.prototype, 'problem', 'get');
    await time.during(eventually('it is looked whether the file was written', () => looks.mock.calls.length > 0));
    expect(await granted()).toBe(true);
    // An edited file is rewritten without a crash too.
    appendFileSync(kit.mapPath, '# a note\n');
    await block('192.0.2.1');
    await time.during(eventually('it is needed no more', async () => !(await granted())));
    await kit.reconciler.check(true);
    await everywhere([...left, '192.0.2.1']);
    expect(await kit.database.read.selectFrom('bulk_blocks').select('bulk').execute()).toEqual([]);
  });

  it('reports that it may still be applied when the database cannot discard it either', async () => {
    await put(pieces(texts(2_200)));
    const slices = failBelow(1_000);
    const full = new StoreError('full', 'database or disk is full');
    const ends = vi.spyOn(BulkStore.prototype, 'giveUp').mockRejectedValueOnce(full).mockRejectedValueOnce(full);
    const failure = await put(pieces(texts(20)), true).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 6003, status: 503 });
    expect((failure as Error).message).toMatch(/disk full; .* the next start may apply the change/);
    expect(kit.bulk.problem).toMatch(/could not discard the staged rows/);
    slices.mockRestore();
    // A kill now must not lose the change.
    expect(await (await crashed()).fileEntries()).toHaveLength(20);
    await time.during(eventually('it is taken back', () => kit.bulk.problem === null));
    expect(ends).toHaveBeenCalledTimes(3);
    const left = await kit.store.count();
    expect(await (await crashed()).fileEntries()).toHaveLength(left);
    expect(left).toBeGreaterThan(20);
  });

  it.each([
    ['of a replacement', true],
    ['of many addresses', false],
  ])('%s after a slice was stored is reported, and the file is known to be stale', async (_, replace) => {
    await put(pieces(texts(1_500)));
    vi.spyOn(BulkWorkers.prototype, 'add').mockRejectedValueOnce(new TypeError('not of the socket'));
    const rows = async function* (): AsyncIterable<readonly StagedRow[]> {
      const wanted = [...texts(1_500), ...texts(90, '10.2')];
      yield wanted.map((text) => ({ op: 'add', entry: entryOf(text), expiry: { kind: 'keep' } }));
    };
    const change = kit.bulk.run(rows(), { replace, allowShrink: false, requestedBy: 'test' });
    await expect(change).rejects.toMatchObject({ code: 6032, status: 500, members: { committed: { added: 90 } } });
    const all = (await kit.store.scanTexts(null, 1_000_000)).texts;
    expect(all).toHaveLength(1_590);
    expect(kit.keeper.problem).toMatch(/bulk change/);
    await block('192.0.2.1');
    expect((await kit.fileEntries()).sort()).toEqual([...all, '192.0.2.1'].map((text) => `${text} 1`).sort());
    await kit.reconciler.check(true);
    await everywhere([...all, '192.0.2.1']);
  });

  it('is discarded as soon as the database works, and no later start finishes it', async () => {
    await put(pieces(texts(1_500)));
    // Disk full: neither the slice nor the record that the change was abandoned can be stored.
    const full = new StoreError('full', 'database or disk is full');
    const slices = vi.spyOn(BulkStore.prototype, 'applySlice').mockRejectedValueOnce(full);
    const discards = vi.spyOn(BulkStore.prototype, 'discard').mockRejectedValueOnce(full).mockRejectedValueOnce(full);
    await expect(put(pieces(texts(20)), true)).rejects.toThrow(/disk is full; .* the next start may apply the change/);
    expect(kit.bulk.problem).toMatch(/could not discard the staged rows/);
    await time.during(eventually('it is taken back', () => kit.bulk.problem === null));
    expect(discards).toHaveBeenCalledTimes(3);
    slices.mockRestore();
    discards.mockRestore();
    await kit.bulk.finishInterrupted();
    expect(await kit.store.count()).toBe(1_500);
  });

  it('by an unwritable file is a 503, and sending the list again writes it', async () => {
    const begin = vi.spyOn(kit.keeper.file, 'beginRewrite').mockRejectedValueOnce(new Error('no space left'));
    await expect(put(pieces(texts(1_200)))).rejects.toMatchObject({ code: 6004 });
    begin.mockRestore();
    expect(await kit.fileEntries()).toEqual([]);
    expect(kit.keeper.problem).not.toBeNull();
    expect(await put(pieces(texts(1_200)))).toMatchObject({ added: 0, unchanged: 1_200, runtime_map_updated: true });
    await everywhere(texts(1_200));
  });
});
