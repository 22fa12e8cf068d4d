import { appendFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type BulkChanges, openBulkChanges, pieces, smallSlice, texts } from '../../../testkit/bulk-changes.ts';
import { eventually } from '../../../testkit/conditions.ts';
import { RuntimeMap } from '../../haproxy/maps/runtime-map.ts';
import { BlockedIpsStore } from '../../store/blocked-ips-store.ts';
import { BlockedRows } from '../../store/blocked-rows.ts';
import { BulkStore } from '../../store/bulk-store.ts';

const { applySlice } = BulkStore.prototype;

let kit: BulkChanges['kit'];
let time: BulkChanges['time'];
let close: BulkChanges['close'];
let put: BulkChanges['put'];
let block: BulkChanges['block'];
let unblock: BulkChanges['unblock'];
let everywhere: BulkChanges['everywhere'];
beforeEach(async () => {
  ({ kit, time, close, put, block, unblock, everywhere } = await openBulkChanges());
});
afterEach(async () => {
  vi.restoreAllMocks();
  await close();
});

/** If it runs before the list's slice there is nothing to remove yet; it still wins over the list. */
const gone = (removal: Promise<unknown>) => removal.catch((error: { code: number }) => expect(error.code).toBe(1100));

describe('a bulk change with concurrent changes', () => {
  it('writes its next slice while the last is sent, before any other change', async () => {
    const under: string[] = [];
    const blocks: Promise<unknown>[] = [];
    let sending = 0;
    let waiting = 0;
    let last = false;
    const { addMany } = RuntimeMap.prototype;
    vi.spyOn(RuntimeMap.prototype, 'addMany').mockImplementation(async function (this: RuntimeMap, ...args) {
      sending += 1;
      const before = under.length;
      await eventually('the next slice is written, or nothing can be', () => {
        return under.length > before || waiting > 0 || last;
      });
      await addMany.apply(this, args);
      sending -= 1;
    });
    const { applyGroup } = BlockedIpsStore.prototype;
    vi.spyOn(BlockedIpsStore.prototype, 'applyGroup').mockImplementation(async function (
      this: BlockedIpsStore,
      ...args
    ) {
      waiting -= 1;
      under.push(`group beside ${sending}`);
      return await applyGroup.apply(this, args);
    });
    let slices = 0;
    vi.spyOn(BulkStore.prototype, 'applySlice').mockImplementation(async function (this: BulkStore, ...args) {
      under.push(`slice beside ${sending}`);
      slices += 1;
      // Waits until this slice is sent.
      if (slices % 4 === 1) {
        waiting += 1;
        blocks.push(block(`192.0.2.${slices}`));
      }
      const slice = await smallSlice.apply(this, args);
      last = slice.done;
      return slice;
    });
    const all = texts(2_500);
    await put(pieces(all));
    await Promise.all(blocks);
    expect(new Set(under)).toEqual(new Set(['slice beside 0', 'slice beside 1', 'group beside 0']));
    await everywhere([...all, ...blocks.map((_, n) => `192.0.2.${4 * n + 1}`)]);
  });

  it('is overridden by a later block and unblock', async () => {
    await put(pieces(texts(3_000)));
    let slices = 0;
    const spoken: Promise<unknown>[] = [];
    const apply = vi.spyOn(BulkStore.prototype, 'applySlice').mockImplementation(async function (
      this: BulkStore,
      ...args
    ) {
      slices += 1;
      // Queued behind this slice, so it runs between the slices.
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

  it('that removes most of the set delays no block until its end, although the file is edited again and again', async () => {
    await put(pieces(texts(2_200)));
    const blocked: string[] = [];
    const spoken: Promise<unknown>[] = [];
    let going = true;
    vi.spyOn(BulkStore.prototype, 'applySlice').mockImplementation(async function (this: BulkStore, ...args) {
      const slice = await smallSlice.apply(this, args);
      // Its lines stay in the file until the end, which holds more than twice what the database does.
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

  it('never removes from a worker what was blocked again after its slice', async () => {
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

  it('delays no other change while its entries are sorted', async () => {
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
    vi.spyOn(BulkStore.prototype, 'applySlice').mockImplementation(async function (this: BulkStore, ...args) {
      limits.push(args[1]);
      const slice = await applySlice.apply(this, args);
      time.standStill(60);
      return slice;
    });
    await put(pieces(texts(2_500)));
    expect(limits[1]).toBeLessThan(limits[0]! / 2);
    await everywhere(texts(2_500));
  });

  it('ends a slice early whose rows take long', async () => {
    const { write } = BlockedRows.prototype;
    vi.spyOn(BlockedRows.prototype, 'write').mockImplementation(async function (this: BlockedRows, ...args) {
      await write.apply(this, args);
      time.standStill(60);
    });
    const worked: number[] = [];
    vi.spyOn(BulkStore.prototype, 'applySlice').mockImplementation(async function (this: BulkStore, ...args) {
      const slice = await applySlice.apply(this, args);
      worked.push(slice.worked);
      return slice;
    });
    await put(pieces(texts(1_000)));
    expect(Math.max(...worked)).toBeLessThan(1_000);
    await everywhere(texts(1_000));
  });

  it('lets other changes run between its slices', async () => {
    let slices = 0;
    vi.spyOn(BulkStore.prototype, 'applySlice').mockImplementation(async function (this: BulkStore, ...args) {
      slices += 1;
      return await smallSlice.apply(this, args);
    });
    const waitedFor: number[] = [];
    const take = kit.turns.take.bind(kit.turns);
    vi.spyOn(kit.turns, 'take').mockImplementation((lane, work, owner) => {
      const before = slices;
      const noted = () => {
        if (lane === 'urgent') waitedFor.push(slices - before);
        return work();
      };
      return take(lane, noted, owner);
    });
    let going = true;
    const applying = put(pieces(texts(3_000))).finally(() => {
      going = false;
    });
    await eventually('it is applied', () => slices > 0);
    for (let n = 0; going; n += 1) expect((await block(`192.0.2.${n & 127}`)).answer.runtime_map_updated).toBe(true);
    await applying;
    expect(slices).toBeGreaterThanOrEqual(12);
    expect(waitedFor.length).toBeGreaterThan(5);
    expect(Math.max(...waitedFor)).toBeLessThanOrEqual(1);
  });
});
