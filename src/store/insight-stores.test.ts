import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { block, entry, NOON, nothing, StoreFolder, storesOf } from '../../testkit/store/store-folder.ts';
import { sortKey } from '../domain/ip.ts';
import { HitsStore, hitsAtOnce } from './hits-store.ts';
import { InsightStore } from './insight-store.ts';
import type { Database } from './open-database.ts';
import { others, SeriesStore, steps } from './series-store.ts';

const noon = NOON.getTime() / 1_000;
const day = 86_400;
const keyOf = (text: string) => sortKey(entry(text));
const numbered = (n: number) => keyOf(`10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`);

let folder: StoreFolder;
let database: Database;

beforeEach(async () => {
  folder = new StoreFolder();
  database = await folder.open();
});
afterEach(() => folder.remove());

async function collected<T>(slices: AsyncIterable<readonly T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const slice of slices) all.push(...slice);
  return all;
}

const address = (text: string, total: number, last_hit: number) => ({
  address: keyOf(text),
  entry: null,
  total,
  first_hit: noon,
  last_hit,
  counters: `${total}`,
  hour_hits: total,
});

describe('stored hits', () => {
  it('add up for an entry, and are replaced for an address', async () => {
    const store = new HitsStore(database);
    const increase = (hits: number, at: number) => ({
      sortKey: keyOf('192.0.2.0/24'),
      hits,
      firstHit: at,
      lastHit: at,
    });
    await store.write({ knocking: [address('192.0.2.1', 5, noon)], entries: [increase(5, noon)], gone: [] });
    await store.write({ knocking: [address('192.0.2.1', 9, noon + 60)], entries: [increase(4, noon + 60)], gone: [] });
    const hits = await store.ofEntries([keyOf('192.0.2.0/24'), keyOf('192.0.2.1')]);
    expect([...hits.values()]).toEqual([{ total: 9, first_hit: noon, last_hit: noon + 60 }]);
    expect(await collected(store.knocking())).toMatchObject([{ total: 9, counters: '9' }]);
  });

  it('are read with the latest address last, and deleted with it', async () => {
    const store = new HitsStore(database);
    const rows = [address('192.0.2.1', 1, noon + 9), address('192.0.2.2', 1, noon), address('::1', 1, noon + 5)];
    await store.write({ knocking: rows, entries: [], gone: [] });
    await store.write({ knocking: [], entries: [], gone: [keyOf('::1')] });
    expect((await collected(store.knocking())).map(({ last_hit }) => last_hit)).toEqual([noon, noon + 9]);
  });

  it('share the memory of their keys', async () => {
    const store = new HitsStore(database);
    const rows = [{ ...address('192.0.2.1', 1, noon), entry: keyOf('192.0.2.0/24') }, address('::1', 1, noon + 5)];
    await store.write({ knocking: rows, entries: [], gone: [] });
    const keys = (await collected(store.knocking())).flatMap(({ address: key, entry }) => [key, entry]);
    expect(keys.map((key) => key?.toString('hex') ?? null)).toEqual(
      rows.flatMap((row) => [row.address.toString('hex'), row.entry?.toString('hex') ?? null]),
    );
    // One of its own for each of 112,640 takes 34 MB.
    for (const key of keys) if (key !== null) expect(key.buffer.byteLength).toBeGreaterThan(key.length);
  });

  it('of an entry are deleted when it is gone, or was blocked again since', async () => {
    const store = new HitsStore(database);
    const { store: blocked } = storesOf(database);
    await block(blocked, '192.0.2.1', '192.0.2.2', '192.0.2.3');
    await blocked.applyGroup([{ op: 'remove', entry: entry('192.0.2.1') }], NOON, nothing);
    const hit = (text: string, at: number) => ({ sortKey: keyOf(text), hits: 1, firstHit: at, lastHit: at });
    const entries = [hit('192.0.2.1', noon + 1), hit('192.0.2.2', noon + 1), hit('192.0.2.3', noon - 1)];
    await store.write({ knocking: [], entries, gone: [] });
    expect(await store.pruneEntries(null)).toBeNull();
    expect((await store.ofEntries(entries.map(({ sortKey: key }) => key))).size).toBe(1);
  });

  it('of hours become the loudest entries of their day, without addresses', async () => {
    const store = new HitsStore(database);
    const start = noon - (noon % day);
    await store.putHour(start, [
      { sortKey: numbered(1), hits: 3 },
      { sortKey: numbered(2), hits: 99 },
    ]);
    await store.putHour(start + 3_600, [{ sortKey: numbered(1), hits: 4 }]);
    await store.putHour(start + day, [{ sortKey: numbered(1), hits: 50 }]);
    expect(await store.hasDay(start)).toBe(false);
    const isEntry = async () => new Set([numbered(1).toString('hex')]);
    await store.putDay(start, await store.dayOf(start, isEntry));
    expect(await store.hasDay(start)).toBe(true);
    expect(await store.daysOf(numbered(1), [start - day, start, start + day])).toEqual([{ at: start, hits: 7 }]);
    expect(await store.daysOf(numbered(2), [start])).toEqual([]);
  });

  it('of hours and days are deleted in slices when they are old', async () => {
    const store = new HitsStore(database);
    const rows = Array.from({ length: hitsAtOnce }, (_, n) => ({ sortKey: numbered(n), hits: 1 }));
    for (const at of [noon, noon + 3_600, noon + 50 * 3_600]) await store.putHour(at, rows.slice(0, 1_500));
    const later = noon + 60 * 3_600;
    expect(await store.prune(later)).toBe(true);
    expect(await collected(store.hours(0))).toHaveLength(3 * 1_500 - hitsAtOnce);
    expect(await store.prune(later)).toBe(false);
    const left = await collected(store.hours(0));
    expect(new Set(left.map(({ at }) => at))).toEqual(new Set([noon + 50 * 3_600]));
  });
});

describe('stored series', () => {
  const point = (at: number, value: number) => ({ label: 0, step: 60, at, value }) as const;
  const read = (store: SeriesStore, metric: 'denied' | 'addresses' | 'entries') =>
    store.points({ metric, labels: [0], step: 60, from: noon, to: noon + 600 });

  it('add requests, and keep the most addresses and the last number of entries of a step', async () => {
    const store = new SeriesStore(database);
    for (const value of [5, 9, 7]) {
      const points = (['denied', 'addresses', 'entries'] as const).map((metric) => ({ metric, ...point(noon, value) }));
      await store.write({ points, states: { last: value } });
    }
    expect(await read(store, 'denied')).toEqual([{ label: 0, at: noon, value: 21 }]);
    expect(await read(store, 'addresses')).toEqual([{ label: 0, at: noon, value: 9 }]);
    expect(await read(store, 'entries')).toEqual([{ label: 0, at: noon, value: 7 }]);
    expect(await store.state('last')).toBe(7);
    expect(await store.state('never')).toBeUndefined();
  });

  it('have at most 50 labels of a kind, and one for all others', async () => {
    const store = new SeriesStore(database);
    const ids: number[] = [];
    for (let n = 0; n < 60; n += 1) ids.push(await store.label('site', `site-${n}.example`));
    await store.label('source', 'manual');
    expect(new Set(ids).size).toBe(51);
    const again = new SeriesStore(database);
    expect(await again.label('site', 'site-3.example')).toBe(ids[3]);
    expect((await again.labels('site')).get(await again.label('site', 'another.example'))).toBe(others);
    expect([...(await again.labels('source')).values()]).toEqual(['manual']);
  });

  it('of labels are deleted too, those of one moment together', async () => {
    const store = new SeriesStore(database);
    const labels = [1, 2, 3];
    const points = labels.flatMap((label) =>
      [0, 1].map((n) => ({ metric: 'denied', ...point(noon + n * 60, 1), label }) as const),
    );
    await store.write({ points, states: {} });
    const left = () => store.points({ metric: 'denied', labels, step: 60, from: 0, to: noon + 600 });
    expect(await left()).toHaveLength(6);
    await store.prune(noon + steps[0].keepSeconds + 60);
    expect((await left()).map(({ label, at }) => [label, at])).toEqual(labels.map((label) => [label, noon + 60]));
  });

  it('are deleted in slices when they are older than their step is kept', async () => {
    const store = new SeriesStore(database);
    const points = Array.from({ length: 2_500 }, (_, n) => ({ metric: 'denied', ...point(noon + n * 60, 1) }) as const);
    const long = { metric: 'denied', label: 0, step: 7_200, at: noon, value: 5 } as const;
    await store.write({ points: [...points, long], states: {} });
    const later = noon + steps[0].keepSeconds + 2_400 * 60;
    const stored = () => store.points({ metric: 'denied', labels: [0], step: 60, from: 0, to: later });
    expect(await store.prune(later)).toBe(true);
    expect(await stored()).toHaveLength(2_500 - 2_000);
    expect(await store.prune(later)).toBe(false);
    const left = await store.points({ metric: 'denied', labels: [0], step: 60, from: 0, to: later });
    expect(left).toHaveLength(100);
    expect(await store.points({ metric: 'denied', labels: [0], step: 7_200, from: 0, to: later })).toHaveLength(1);
  });
});

describe('gaps, attacks and clients', () => {
  it('join gaps of one cause', async () => {
    const store = new InsightStore(database);
    await store.addGap({ from: 10, to: 20, cause: 'a' });
    await store.addGap({ from: 20, to: 40, cause: 'a' });
    await store.addGap({ from: 40, to: 50, cause: 'b' });
    await store.addGap({ from: 60, to: 70, cause: 'b' });
    expect((await store.gaps(40)).map(({ from, to }) => [from, to])).toEqual([
      [40, 50],
      [60, 70],
    ]);
    expect((await store.gaps(0))[0]).toEqual({ from: 10, to: 40, cause: 'a' });
    // A clock that was set back: none gets shorter.
    await store.addGap({ from: 5, to: 65, cause: 'b' });
    expect((await store.gaps(40)).map(({ from, to }) => [from, to])).toEqual([
      [40, 50],
      [5, 70],
    ]);
  });

  it('join the oldest gaps when there are too many, and keep the newest thousand attacks', async () => {
    const store = new InsightStore(database);
    const gaps = Array.from({ length: 1_000 }, (_, n) => ({ from_at: n * 10, to_at: n * 10 + 1, cause: 'a' }));
    await database.write.insertInto('insight_gaps').values(gaps).execute();
    const attack = (n: number) => ({ started_at: n, ended_at: null, peak: 1, usual: 1, denied: 1, top_json: '{}' });
    await database.write
      .insertInto('attacks')
      .values(gaps.map((_, n) => attack(n)))
      .execute();
    await store.addGap({ from: 20_000, to: 20_001, cause: 'a' });
    for (const n of [1_000, 1_001]) await store.addAttack(attack(n));
    const left = await store.gaps(0);
    expect(left).toHaveLength(1_000);
    expect(left.slice(0, 2).map(({ from, to }) => [from, to])).toEqual([
      [0, 11],
      [20, 21],
    ]);
    const newest = await store.attacks(2);
    expect(newest.map(({ started_at }) => started_at)).toEqual([1_001, 1_000]);
    expect((await store.attacks(1, newest[1]!.id))[0]!.started_at).toBe(999);
    expect(await store.attack(1)).toBeNull();
  });

  it('replace and delete clients', async () => {
    const store = new InsightStore(database);
    const client = (n: number, requests: number) => ({
      ...{ address: numbered(n), requests, errors: 0, first_seen: 1, last_seen: n, ignored_until: null },
    });
    await store.writeClients([client(2, 1), client(1, 1)], []);
    await store.writeClients([client(1, 7)], [numbered(2)]);
    expect(await store.clients()).toEqual([client(1, 7)]);
  });
});
