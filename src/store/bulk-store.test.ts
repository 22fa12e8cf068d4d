import SqliteDatabase from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { caseCount } from '../../testkit/proxies.ts';
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
} from '../../testkit/store/store-folder.ts';
import { sortKey } from '../domain/ip.ts';
import type { BlockedChange, BlockedIpsStore } from './blocked-ips-store.ts';
import { BlockedRows } from './blocked-rows.ts';
import type { BulkStore, StagedRow } from './bulk-store.ts';
import type { Database } from './open-database.ts';

let folder: StoreFolder;
let store: BlockedIpsStore;
let bulk: BulkStore;
let database: Database;

beforeEach(async () => {
  folder = new StoreFolder();
  database = await folder.open();
  ({ store, bulk } = storesOf(database));
});
afterEach(() => folder.remove());

const sorted = async (texts: Iterable<string>) => new Set(texts);
const ready = async (replace: boolean, ...calls: StagedRow[][]): Promise<string> => {
  const id = await bulk.begin({ replace, requestedBy: 'test' });
  for (const rows of calls) await bulk.stage(id, rows);
  await bulk.markReady([id]);
  return id;
};

describe('a bulk change', () => {
  it('adds and removes what was staged in any order; the last row of an address counts', async () => {
    await block(store, '192.0.2.1', '192.0.2.2', '192.0.2.9');
    const gone = (text: string): StagedRow => ({ op: 'remove', entry: entry(text) });
    const id = await ready(
      false,
      [line('192.0.2.7'), line('192.0.2.3'), gone('192.0.2.3'), line('192.0.2.1')],
      [gone('192.0.2.7'), line('192.0.2.5'), gone('192.0.2.2')],
      [line('192.0.2.3'), gone('192.0.2.8')],
    );
    const preview = await bulk.preview(id);
    expect(preview).toMatchObject({ updates: 0, renewed: 0, adds: 2, removes: 1, unchanged: 3, currentTotal: 3 });
    const done = await finish(bulk, id, 2);
    expect(done).toEqual({
      added: ['192.0.2.3', '192.0.2.5'],
      removed: ['192.0.2.2'],
      updated: 0,
      renewed: 0,
      unchanged: 3,
    });
    expect(await blockedTexts(store)).toEqual(['192.0.2.1', '192.0.2.3', '192.0.2.5', '192.0.2.9']);
    expect(await store.count()).toBe(4);
  });

  it('stores reason, source and expiry like a single block', async () => {
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

  it('counts changed and unchanged entries separately, also in a dry run', async () => {
    await block(store, '192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4');
    const named = (text: string, reason: string): StagedRow => ({ ...line(text), reason }) as StagedRow;
    const until = { kind: 'later-of', until: '2026-11-20T13:00:00.000Z' } as const;
    const rows = [
      named('192.0.2.1', 'list'),
      line('192.0.2.2'),
      { op: 'add', entry: entry('192.0.2.3'), expiry: until } as const,
      named('192.0.2.5', 'list'),
    ];
    const id = await ready(false, rows);
    expect(await bulk.preview(id, { updatesAt: NOON })).toMatchObject({ adds: 1, updates: 1, unchanged: 2 });
    expect(await finish(bulk, id, 2)).toMatchObject({ added: ['192.0.2.5'], updated: 1, unchanged: 2 });
    // Permanent is later than any expiry.
    expect(await store.get('192.0.2.3')).toMatchObject({ expires_at: null });
    expect(await store.get('192.0.2.1')).toMatchObject({ reason: 'list', expires_at: null });
    expect(await finish(bulk, await ready(false, rows), 2)).toMatchObject({ added: [], updated: 0, unchanged: 4 });
  });

  it.each([
    ['scattered', ['10.0.0.1', '192.0.2.1', '192.0.2.2', '192.0.2.3', '203.0.113.1'], 10],
    ['scattered, in slices of one', ['10.0.0.1', '192.0.2.1', '192.0.2.2', '192.0.2.3', '203.0.113.1'], 1],
    ['in a dense table', ['192.0.2.1', '192.0.2.2', '192.0.2.3'], 10],
  ])('renews an expired block: %s', async (how, texts, limit) => {
    const one = '2026-11-20T10:00:00.000Z';
    const at = (text: string, time: string): BlockedChange => ({
      op: 'add',
      entry: entry(text),
      reason: 'scan',
      expiry: { kind: 'at', at: time },
    });
    const before = new Date('2026-11-20T09:00:00.000Z');
    const later = '2026-11-20T13:00:00.000Z';
    const first = [at('192.0.2.1', one), at('192.0.2.2', NOON.toISOString()), at('192.0.2.3', later)];
    await store.applyGroup(first, before, nothing);
    if (how.includes('dense')) {
      const between = Array.from({ length: 20 }, (_, n) => `192.0.2.1${n + 10}`);
      await block(store, ...between);
      texts = [...texts, '192.0.2.200'];
    }
    const ended: StagedRow = { ...line('192.0.2.2'), reason: 'list' } as StagedRow;
    const staged = texts.map((text) => (text === '192.0.2.2' ? ended : line(text)));
    const id = await ready(true, staged);
    const fresh = texts.length - 3;
    const preview = await bulk.preview(id, { updatesAt: NOON });
    expect(preview).toMatchObject({ adds: fresh, renewed: 2, updates: 0, unchanged: 1 });
    const done = await finish(bulk, id, limit);
    expect(done).toMatchObject({ updated: 0, renewed: 2, unchanged: 1 });
    expect(done.added).toHaveLength(fresh);
    const renewed = { blocked_at: NOON.toISOString(), expires_at: null, blocked_by: 'test' };
    expect(await store.get('192.0.2.1')).toEqual({ ip_address: '192.0.2.1', reason: null, ...renewed });
    expect(await store.get('192.0.2.2')).toEqual({ ip_address: '192.0.2.2', reason: 'list', ...renewed });
    expect(await store.get('192.0.2.3')).toMatchObject({ reason: 'scan', expires_at: later });
    expect(await store.count()).toBe(texts.length);
  });

  it('that replaces removes unlisted entries, after the additions', async () => {
    await block(store, '192.0.2.1', '192.0.2.2', '2001:db8::1');
    const id = await ready(true, [line('192.0.2.2'), line('10.0.0.0/8')]);
    expect(await bulk.preview(id)).toMatchObject({
      updates: 0,
      renewed: 0,
      adds: 1,
      removes: 2,
      unchanged: 1,
      currentTotal: 3,
    });
    const first = await bulk.applySlice(id, 10, NOON, nothing);
    expect(first).toMatchObject({ net: { added: ['10.0.0.0/8'], removed: [] }, unchanged: 1, done: false });
    expect(await finish(bulk, id, 10)).toMatchObject({ removed: ['192.0.2.1', '2001:db8::1'] });
    expect(await blockedTexts(store)).toEqual(['10.0.0.0/8', '192.0.2.2']);
  });

  it('that replaces with nothing empties the list', async () => {
    await block(store, '192.0.2.1', '192.0.2.2');
    const id = await ready(true);
    expect(await bulk.preview(id)).toMatchObject({
      updates: 0,
      renewed: 0,
      adds: 0,
      removes: 2,
      unchanged: 0,
      currentTotal: 2,
    });
    await finish(bulk, id, 1);
    expect(await blockedTexts(store)).toEqual([]);
  });

  it('rolls back a slice whose beforeCommit fails, and applies it afterwards', async () => {
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

  it('keeps changes that were made after it was complete', async () => {
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

  it('overrides changes that were made before it was complete', async () => {
    const id = await bulk.begin({ replace: true });
    await bulk.stage(id, [line('192.0.2.1')]);
    await block(store, '192.0.2.9');
    await bulk.markReady([id]);
    await finish(bulk, id, 10);
    expect(await blockedTexts(store)).toEqual(['192.0.2.1']);
  });

  describe('with a foreign row that is inserted while it is applied', () => {
    const end = '2026-11-21T00:00:00.000Z';
    const byHand = (...ips: string[]) => {
      const client = new SqliteDatabase(folder.file);
      const insert = client.prepare(
        "insert into blocked_ips(ip_address, reason, blocked_by, blocked_at, expires_at) values (?, 'mine', 'me', '2026-11-20 11:00:00', ?)",
      );
      for (const ip of ips) insert.run(ip, end);
      client.close();
    };
    const asWritten = { reason: 'mine', blocked_by: 'me', blocked_at: '2026-11-20T11:00:00.000Z', expires_at: end };
    const said = (ip: string): StagedRow => ({
      op: 'add',
      entry: entry(ip),
      reason: 'scan',
      blockedBy: 'ann',
      expiry: { kind: 'permanent' },
    });
    /** Few rows against a full table are looked up by text. */
    const tables = [
      ['a sparse table', 0],
      ['a dense table', 60],
    ] as const;

    it.each(tables)('adopts it as a sync would, and applies its own row of that address, in %s', async (_, others) => {
      await block(store, ...Array.from({ length: others }, (_, n) => `192.0.2.${n + 100}`));
      const gone: StagedRow = { op: 'remove', entry: entry('192.0.2.180') };
      const rows = ['192.0.2.99', '192.0.2.170'].map(line);
      const id = await ready(false, [...rows, said('192.0.2.175'), gone, line('192.0.2.190')]);
      byHand('192.0.2.170', '192.0.2.175', '192.0.2.180', 'no address');
      expect(await finish(bulk, id, 10)).toEqual({
        added: ['192.0.2.99', '192.0.2.170', '192.0.2.175', '192.0.2.190'],
        removed: [],
        updated: 0,
        renewed: 0,
        unchanged: 1,
      });
      expect(await store.get('192.0.2.170')).toMatchObject(asWritten);
      expect(await store.get('192.0.2.175')).toMatchObject({
        ...asWritten,
        reason: 'scan',
        blocked_by: 'ann',
        expires_at: null,
      });
      expect(await store.get('192.0.2.180')).toBeNull();
      const all = await blockedTexts(store);
      expect(all.filter((text) => !(Number(text.split('.')[3]) >= 100 && Number(text.split('.')[3]) < 160))).toEqual([
        '192.0.2.99',
        '192.0.2.170',
        '192.0.2.175',
        '192.0.2.190',
      ]);
      expect(await store.count()).toBe(others + 4);
    });

    it('adopts it in slices of any size', async () => {
      const texts = Array.from({ length: 30 }, (_, n) => scattered(n).text);
      await block(store, ...texts.slice(0, 10));
      const id = await ready(true, texts.slice(5).map(line));
      byHand(...texts.slice(20));
      const done = await finish(bulk, id, 3);
      expect(done.added.sort()).toEqual(texts.slice(10).sort());
      expect(done.removed.sort()).toEqual(texts.slice(0, 5).sort());
      expect(await store.count()).toBe(25);
      for (const text of texts.slice(20)) expect(await store.get(text)).toMatchObject(asWritten);
    });

    it('keeps a later change of it', async () => {
      const id = await ready(true, [line('192.0.2.1'), line('192.0.2.2')]);
      byHand('192.0.2.2');
      await store.applyGroup([{ op: 'remove', entry: entry('192.0.2.2') }], NOON, nothing);
      byHand('192.0.2.2');
      expect((await finish(bulk, id, 10)).added).toEqual(['192.0.2.1']);
    });
  });

  it('reads and looks up no more rows in a slice than it may change', async () => {
    const texts = Array.from({ length: 400 }, (_, n) => `192.0.${n >> 8}.${n & 255}`);
    await block(store, ...texts);
    const said = texts.map((text): StagedRow => ({ op: 'add', entry: entry(text), expiry: { kind: 'permanent' } }));
    const id = await ready(false, said);
    let slices = 0;
    for (let done = false; !done; slices++) {
      const slice = await bulk.applySlice(id, 10, NOON, nothing);
      expect(slice).toMatchObject({ read: slice.worked, net: { added: [], removed: [] } });
      expect(slice.worked).toBeLessThanOrEqual(10);
      done = slice.done;
    }
    expect(slices).toBeGreaterThanOrEqual(40);
    // Few rows against a full table, after many that a key comparison decides.
    const apart = Array.from({ length: 200 }, (_, n) => `10.0.${n}.0`);
    await block(store, ...apart);
    const few = await ready(false, [...apart, ...texts.filter((_, n) => n % 10 === 0)].map(line));
    const reads: number[] = [];
    for (let done = false; !done; ) {
      const slice = await bulk.applySlice(few, 10, NOON, nothing);
      expect(slice.worked).toBeLessThanOrEqual(10);
      reads.push(slice.read);
      done = slice.done;
    }
    expect(Math.max(...reads)).toBeGreaterThan(40);
  });

  it('ends a slice after its time, and continues there', async () => {
    const texts = Array.from({ length: 2_000 }, (_, n) => scattered(n).text);
    await block(store, ...texts.slice(0, 1_000));
    const id = await ready(true, texts.slice(500).map(line));
    const slices: number[] = [];
    const net = { added: [] as string[], removed: [] as string[] };
    for (let done = false; !done; ) {
      const slice = await bulk.applySlice(id, 10_000, NOON, nothing, 0);
      net.added.push(...slice.net.added);
      net.removed.push(...slice.net.removed);
      slices.push(slice.worked);
      done = slice.done;
    }
    expect(Math.max(...slices)).toBeLessThanOrEqual(512);
    expect(net.added.sort()).toEqual(texts.slice(1_000).sort());
    expect(net.removed.sort()).toEqual(texts.slice(0, 500).sort());
    expect(await store.count()).toBe(1_500);
    const other = await ready(true, texts.map(line));
    expect(await bulk.applySlice(other, 10_000, NOON, nothing)).toMatchObject({ worked: 500, unchanged: 1_500 });
  });

  it('finds existing entries if few rows meet a full table', async () => {
    const texts = Array.from({ length: 200 }, (_, n) => `192.0.2.${n}`);
    await block(store, ...texts);
    const gone: StagedRow = { op: 'remove', entry: entry('192.0.2.120') };
    const id = await ready(false, ['192.0.2.3', '192.0.2.190', '192.0.2.250'].map(line), [gone]);
    expect(await bulk.preview(id)).toMatchObject({
      updates: 0,
      renewed: 0,
      adds: 1,
      removes: 1,
      unchanged: 2,
      currentTotal: 200,
    });
    expect(await finish(bulk, id, 10)).toEqual({
      added: ['192.0.2.250'],
      removed: ['192.0.2.120'],
      updated: 0,
      renewed: 0,
      unchanged: 2,
    });
  });

  it('changes no more rows in a slice than allowed, although it reads further', async () => {
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

  it('is applied only when it is complete, and accepts no rows afterwards', async () => {
    const id = await bulk.begin({ replace: false });
    await expect(bulk.applySlice(id, 10, NOON, nothing)).rejects.toThrow('receiving');
    await bulk.markReady([id]);
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

it('an insert that meets a row of its address or of its key fails', async () => {
  await block(store, '192.0.2.1');
  const row = (await store.get('192.0.2.1'))!;
  const insert = async (key: string, ip_address: string) => {
    const inserts = [{ key: sortKey(entry(key)), row: { ...row, ip_address }, source: 1, claimedAt: null }];
    await new BlockedRows(database.write).write(database.write.getExecutor(), { inserts, updates: [], deletes: [] });
  };
  await expect(insert('192.0.2.2', '192.0.2.1')).rejects.toMatchObject({ reason: 'constraint' });
  await expect(insert('192.0.2.1', '192.0.2.2')).rejects.toMatchObject({ reason: 'constraint' });
  expect(await blockedTexts(store)).toEqual(['192.0.2.1']);
});

describe('after a crash', () => {
  it.each([1, 3, 100])(
    'in any slice of %i rows a bulk change is finished, nothing repeated and nothing skipped',
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

  it('the staged rows of a finished bulk change are deleted', async () => {
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

it('bulk changes equal a model set, for any rows in any calls and slices', async () => {
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
  await fc.assert(property, { numRuns: caseCount(60) });
});

it('a bulk change accepts more unordered addresses than a slice has, then most of them again', async () => {
  // 64 blocks of 1,024 are discarded at once.
  const count = 70_000;
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
    await bulk.markReady([id]);
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
  expect(preview).toMatchObject({
    updates: 0,
    renewed: 0,
    adds: done.added.length,
    removes: done.removed.length,
    unchanged: done.unchanged,
    currentTotal: expected.size,
  });
});
