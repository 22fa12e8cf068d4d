import SqliteDatabase from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BlockedIpsStore } from './blocked-ips-store.ts';
import type { BulkStore, StagedRow } from './bulk-store.ts';
import {
  block,
  blockedTexts,
  entry,
  finish,
  line,
  NOON,
  nothing,
  StoreFolder,
  scattered,
  storesOf,
} from './store-fixture.ts';

let folder: StoreFolder;
let store: BlockedIpsStore;
let bulk: BulkStore;

beforeEach(async () => {
  folder = new StoreFolder();
  ({ store, bulk } = storesOf(await folder.open()));
});
afterEach(() => folder.remove());

const sorted = async (texts: Iterable<string>) => new Set(texts);
const ready = async (replace: boolean, ...calls: StagedRow[][]): Promise<string> => {
  const id = await bulk.begin({ replace, requestedBy: 'test' });
  for (const rows of calls) await bulk.stage(id, rows);
  await bulk.markReady(id);
  return id;
};

describe('a bulk', () => {
  it('adds and removes what was staged, whatever the order, the last word on an address counting', async () => {
    await block(store, '192.0.2.1', '192.0.2.2', '192.0.2.9');
    const gone = (text: string): StagedRow => ({ op: 'remove', entry: entry(text) });
    const id = await ready(
      false,
      [line('192.0.2.7'), line('192.0.2.3'), gone('192.0.2.3'), line('192.0.2.1')],
      [gone('192.0.2.7'), line('192.0.2.5'), gone('192.0.2.2')],
      [line('192.0.2.3'), gone('192.0.2.8')],
    );
    const preview = await bulk.preview(id);
    expect(preview).toEqual({ adds: 2, removes: 1, unchanged: 3, currentTotal: 3 });
    const done = await finish(bulk, id, 2);
    expect(done).toEqual({ added: ['192.0.2.3', '192.0.2.5'], removed: ['192.0.2.2'], unchanged: 3 });
    expect(await blockedTexts(store)).toEqual(['192.0.2.1', '192.0.2.3', '192.0.2.5', '192.0.2.9']);
    expect(await store.count()).toBe(4);
  });

  it('carries reason, name and end as a single block does', async () => {
    const at = '2026-11-20T13:00:00.000Z';
    const later = '2026-11-20T14:00:00.000Z';
    const full = {
      op: 'add',
      entry: entry('192.0.2.1'),
      reason: 'scan',
      blockedBy: 'ann',
      expiry: { kind: 'at', at },
    } as const;
    await finish(bulk, await ready(false, [full]), 10);
    expect(await store.get('192.0.2.1')).toMatchObject({ reason: 'scan', blocked_by: 'ann', expires_at: at });
    const longer = { op: 'add', entry: full.entry, expiry: { kind: 'later-of', until: later } } as const;
    await finish(bulk, await ready(false, [longer]), 10);
    expect(await store.get('192.0.2.1')).toMatchObject({ reason: 'scan', blocked_by: 'ann', expires_at: later });
    await finish(bulk, await ready(false, [line('192.0.2.1')]), 10);
    expect(await store.get('192.0.2.1')).toMatchObject({ reason: 'scan', expires_at: later });
    const bare = { op: 'add', entry: full.entry, reason: null, expiry: { kind: 'permanent' } } as const;
    await finish(bulk, await ready(false, [bare]), 10);
    expect(await store.get('192.0.2.1')).toMatchObject({ reason: null, blocked_by: 'ann', expires_at: null });
  });

  it('that replaces takes away what it does not name, after it has added', async () => {
    await block(store, '192.0.2.1', '192.0.2.2', '2001:db8::1');
    const id = await ready(true, [line('192.0.2.2'), line('10.0.0.0/8')]);
    expect(await bulk.preview(id)).toEqual({ adds: 1, removes: 2, unchanged: 1, currentTotal: 3 });
    const first = await bulk.applySlice(id, 10, NOON, nothing);
    expect(first).toEqual({ net: { added: ['10.0.0.0/8'], removed: [] }, unchanged: 1, done: false });
    expect(await finish(bulk, id, 10)).toMatchObject({ removed: ['192.0.2.1', '2001:db8::1'] });
    expect(await blockedTexts(store)).toEqual(['10.0.0.0/8', '192.0.2.2']);
  });

  it('that replaces with nothing empties the list', async () => {
    await block(store, '192.0.2.1', '192.0.2.2');
    const id = await ready(true);
    expect(await bulk.preview(id)).toEqual({ adds: 0, removes: 2, unchanged: 0, currentTotal: 2 });
    await finish(bulk, id, 1);
    expect(await blockedTexts(store)).toEqual([]);
  });

  it('takes back a slice whose beforeCommit fails, and makes it good afterwards', async () => {
    const id = await ready(false, ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map(line));
    await bulk.applySlice(id, 1, NOON, nothing);
    const failure = new Error('no room');
    const attempt = bulk.applySlice(id, 1, NOON, () => {
      throw failure;
    });
    await expect(attempt).rejects.toBe(failure);
    expect(await blockedTexts(store)).toEqual(['192.0.2.1']);
    expect(await store.count()).toBe(1);
    expect((await finish(bulk, id, 1)).added).toEqual(['192.0.2.2', '192.0.2.3']);
  });

  it('leaves the last word to changes that were made after it was complete', async () => {
    await block(store, '192.0.2.1', '192.0.2.2');
    const id = await ready(true, ['192.0.2.2', '192.0.2.3', '192.0.2.4'].map(line));
    const changes = [
      { op: 'remove', entry: entry('192.0.2.3') },
      { op: 'remove', entry: entry('192.0.2.2') },
      { op: 'add', entry: entry('192.0.2.9'), expiry: { kind: 'permanent' } },
    ] as const;
    await store.applyGroup(changes, NOON, nothing);
    await finish(bulk, id, 1);
    expect(await blockedTexts(store)).toEqual(['192.0.2.4', '192.0.2.9']);
  });

  it('outranks changes that were made before it was complete', async () => {
    const id = await bulk.begin({ replace: true });
    await bulk.stage(id, [line('192.0.2.1')]);
    await block(store, '192.0.2.9');
    await bulk.markReady(id);
    await finish(bulk, id, 10);
    expect(await blockedTexts(store)).toEqual(['192.0.2.1']);
  });

  it('takes up a row that somebody inserts by hand while it is applied', async () => {
    const id = await ready(true, ['192.0.2.1', '192.0.2.2'].map(line));
    const byHand = new SqliteDatabase(folder.file);
    byHand.exec(
      "insert into blocked_ips(ip_address, reason, blocked_at) values ('192.0.2.2', 'mine', '2026-11-20 12:00:00')",
    );
    byHand.close();
    expect((await finish(bulk, id, 10)).added).toEqual(['192.0.2.1', '192.0.2.2']);
    expect(await blockedTexts(store)).toEqual(['192.0.2.1', '192.0.2.2']);
    expect(await store.get('192.0.2.2')).toMatchObject({ reason: 'mine', blocked_at: NOON.toISOString() });
  });

  it('finds what is there where a few rows meet a full table', async () => {
    const texts = Array.from({ length: 200 }, (_, n) => `192.0.2.${n}`);
    await block(store, ...texts);
    const gone: StagedRow = { op: 'remove', entry: entry('192.0.2.120') };
    const id = await ready(false, ['192.0.2.3', '192.0.2.190', '192.0.2.250'].map(line), [gone]);
    expect(await bulk.preview(id)).toEqual({ adds: 1, removes: 1, unchanged: 2, currentTotal: 200 });
    expect(await finish(bulk, id, 10)).toEqual({ added: ['192.0.2.250'], removed: ['192.0.2.120'], unchanged: 2 });
  });

  it('changes no more in a slice than it may, though it looks further', async () => {
    const texts = Array.from({ length: 60 }, (_, n) => scattered(n).text);
    await block(store, ...texts.filter((_, n) => n % 3 !== 0));
    const id = await ready(true, texts.filter((_, n) => n % 3 !== 1).map(line));
    let slices = 0;
    for (let done = false; !done; slices++) {
      const slice = await bulk.applySlice(id, 5, NOON, nothing);
      expect(slice.net.added.length + slice.net.removed.length).toBeLessThanOrEqual(5);
      done = slice.done;
    }
    expect(slices).toBeLessThan(20);
    expect(new Set(await blockedTexts(store))).toEqual(new Set(texts.filter((_, n) => n % 3 !== 1)));
  });

  it('changes nothing when it is discarded, and leaves no rows behind', async () => {
    const id = await bulk.begin({ replace: true });
    await bulk.stage(
      id,
      Array.from({ length: 3000 }, (_, n) => line(scattered(n).text)),
    );
    expect(await bulk.unfinished()).toEqual([{ id, state: 'receiving', replace: true }]);
    await bulk.discard(id);
    expect(await bulk.unfinished()).toEqual([]);
    expect(await store.count()).toBe(0);
    await expect(bulk.applySlice(id, 10, NOON, nothing)).rejects.toThrow(`no bulk change ${id}`);
    const again = await bulk.begin({ replace: false });
    expect(again).not.toBe(id);
  });

  it('is applied only when it is complete, and takes no rows afterwards', async () => {
    const id = await bulk.begin({ replace: false });
    await expect(bulk.applySlice(id, 10, NOON, nothing)).rejects.toThrow('receiving');
    await bulk.markReady(id);
    await expect(bulk.stage(id, [line('192.0.2.1')])).rejects.toThrow('adding');
  });

  it('refuses a row whose time has another form', async () => {
    const id = await bulk.begin({ replace: false });
    const wrong: StagedRow = {
      op: 'add',
      entry: entry('192.0.2.1'),
      expiry: { kind: 'at', at: '+012026-01-01T00:00:00.000Z' },
    };
    await expect(bulk.stage(id, [wrong])).rejects.toMatchObject({ reason: 'constraint' });
  });
});

describe('after a crash', () => {
  it.each([1, 3, 100])(
    'at any slice of %i rows a bulk is finished, nothing repeated and nothing skipped',
    async (limit) => {
      const before = Array.from({ length: 16 }, (_, n) => scattered(n).text);
      await block(store, ...before);
      const staged = Array.from({ length: 16 }, (_, n) => scattered(n + 8).text);
      const id = await ready(
        true,
        staged.slice(0, 6).map(line),
        staged.slice(4, 12).map(line),
        staged.slice(12).map(line),
      );
      const counts = { added: 0, removed: 0, unchanged: 0 };
      for (let done = false; !done; ) {
        const crashed = folder.crashed();
        const again = storesOf(await crashed.open({ createIfMissing: false }));
        expect(await again.bulk.unfinished()).toEqual([{ id, state: 'ready', replace: true }]);
        const rest = await finish(again.bulk, id, limit);
        expect(counts.added + rest.added.length).toBe(8);
        expect(counts.removed + rest.removed.length).toBe(8);
        expect(counts.unchanged + rest.unchanged).toBe(8);
        expect(await sorted(await blockedTexts(again.store))).toEqual(await sorted(staged));
        expect(await again.store.count()).toBe(16);
        await again.bulk.discard(id);
        expect(await again.bulk.unfinished()).toEqual([]);
        await crashed.remove();

        const slice = await bulk.applySlice(id, limit, NOON, nothing);
        counts.added += slice.net.added.length;
        counts.removed += slice.net.removed.length;
        counts.unchanged += slice.unchanged;
        done = slice.done;
      }
      expect(counts).toEqual({ added: 8, removed: 8, unchanged: 8 });
    },
  );

  it('what a finished bulk left is swept away', async () => {
    const id = await ready(false, [line('192.0.2.1')]);
    await finish(bulk, id, 10);
    const crashed = folder.crashed();
    const again = storesOf(await crashed.open());
    expect(await again.bulk.unfinished()).toEqual([]);
    await again.bulk.discardLeftovers();
    await expect(again.bulk.preview(id)).rejects.toThrow('no bulk change');
    expect(await blockedTexts(again.store)).toEqual(['192.0.2.1']);
    await crashed.remove();
  });
});

it('does what a set would do, for any rows in any calls and slices', async () => {
  const texts = Array.from({ length: 12 }, (_, n) => scattered(n).text);
  const row = fc.record({ text: fc.constantFrom(...texts), adds: fc.boolean() });
  const calls = fc.array(fc.array(row, { maxLength: 6 }), { maxLength: 6 });
  const property = fc.asyncProperty(
    fc.subarray(texts),
    calls,
    fc.boolean(),
    fc.integer({ min: 1, max: 7 }),
    async (initial, staged, replace, limit) => {
      await finish(bulk, await ready(true, initial.map(line)), 100);
      const last = new Map(staged.flat().map(({ text, adds }) => [text, adds]));
      const model = new Set(replace ? [] : initial);
      for (const [text, adds] of last) adds ? model.add(text) : model.delete(text);
      const rows = staged.map((call) =>
        call.map(({ text, adds }): StagedRow => (adds ? line(text) : { op: 'remove', entry: entry(text) })),
      );
      const id = await ready(replace, ...rows);
      const preview = await bulk.preview(id);
      const done = await finish(bulk, id, limit);
      expect(new Set(await blockedTexts(store))).toEqual(model);
      expect(await store.count()).toBe(model.size);
      expect(new Set(done.added)).toEqual(new Set([...model].filter((text) => !initial.includes(text))));
      expect(new Set(done.removed)).toEqual(new Set(initial.filter((text) => !model.has(text))));
      expect(preview).toMatchObject({
        adds: done.added.length,
        removes: done.removed.length,
        currentTotal: initial.length,
      });
      if (!replace) expect(preview.unchanged).toBe(done.unchanged);
    },
  );
  await fc.assert(property, { numRuns: 60 });
});

it('takes a hundred thousand addresses in no order, then most of them again', async () => {
  const count = 100_000;
  const stage = async (id: string, from: number, to: number) => {
    for (let start = from; start < to; start += 4000) {
      const size = Math.min(4000, to - start);
      await bulk.stage(
        id,
        Array.from(
          { length: size },
          (_, n) => ({ op: 'add', entry: scattered(start + n), expiry: { kind: 'keep' } }) as const,
        ),
      );
    }
    await bulk.markReady(id);
  };
  const texts = (from: number, to: number) =>
    new Set(Array.from({ length: to - from }, (_, n) => scattered(from + n).text));
  const first = await bulk.begin({ replace: true });
  await stage(first, 0, count);
  await finish(bulk, first, 2000);
  await bulk.discard(first);
  const expected = texts(0, count);
  expect(await store.count()).toBe(expected.size);
  const second = await bulk.begin({ replace: true });
  await stage(second, 10_000, count + 5000);
  const preview = await bulk.preview(second);
  const done = await finish(bulk, second, 2000);
  const wanted = texts(10_000, count + 5000);
  expect(new Set(await blockedTexts(store))).toEqual(wanted);
  expect(done.unchanged).toBe([...wanted].filter((text) => expected.has(text)).length);
  expect(preview).toEqual({
    adds: done.added.length,
    removes: done.removed.length,
    unchanged: done.unchanged,
    currentTotal: expected.size,
  });
});
