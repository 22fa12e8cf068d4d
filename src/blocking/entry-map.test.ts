// Each cell agrees with the database, whichever entries are nested in which.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testSeed } from '../../testkit/seed.ts';
import { block, entry, NOON, nothing, StoreFolder, scattered } from '../../testkit/store/store-folder.ts';
import { entryOfSortKey } from '../domain/ip.ts';
import { BlockedIpsStore } from '../store/blocked-ips-store.ts';
import { EntryMapStore, type MapLayer } from '../store/entry-map-store.ts';
import type { Database } from '../store/open-database.ts';
import { EntryMap, mapAreaOf } from './entry-map.ts';

const folder = new StoreFolder();
let database: Database;
let store: BlockedIpsStore;
let map: EntryMap;

interface Row {
  readonly first: number;
  readonly last: number;
  readonly source: number;
  readonly ends: number;
}
let rows: Row[];
/** The last one is blocked no longer, and one is of IPv6. */
const deniedAddresses: readonly (readonly [string, number])[] = [
  ['45.83.7.0', 3],
  ['45.83.7.255', 4],
  ['45.83.8.0', 2_000_000],
  ['255.255.255.255', 1],
  ['::1', 9],
  ['222.1.2.3', 20],
];

beforeAll(async () => {
  database = await folder.open();
  store = new BlockedIpsStore(database);
  const denied = {
    deniedInDay: async (each: (address: string, requests: number) => void) => {
      for (const [address, requests] of deniedAddresses) each(address, requests);
      return false;
    },
  };
  map = new EntryMap({ store: new EntryMapStore(database), denied, now: () => NOON });
  const sources = [2, 3].map((id) => ({ id, name: `list-${id}`, kind: 'list' as const, note: null, release_at: null }));
  await database.write
    .insertInto('sources')
    .values(sources.map((source) => ({ ...source, created_at: NOON.toISOString() })))
    .execute();
  await block(
    store,
    '45.0.0.0/8',
    '45.83.0.0/16',
    '45.83.7.0/24',
    '45.83.9.2/31',
    '45.83.9.9',
    '200.0.0.0/6',
    '90.0.0.0/7',
    '::1',
    '2001:db8::/32',
  );
  const texts = new Set(Array.from({ length: 4_000 }, (_, n) => scattered(n).text));
  const near = Array.from({ length: 2_000 }, (_, n) => `91.${n % 7}.${(n * 31) % 256}.${(n * 17) % 256}`);
  const networks = Array.from({ length: 200 }, (_, n) => `91.${n % 7}.${n}.0/${24 + (n % 8)}`);
  const ends = [null, '2026-11-20T12:30:00.000Z', '2026-11-25T12:00:00.000Z', '2026-12-31T00:00:00.000Z'];
  const changes = [...texts, ...near, ...networks].map((text, n) => {
    const end = ends[n % ends.length] ?? null;
    const expiry = end === null ? ({ kind: 'permanent' } as const) : ({ kind: 'at', at: end } as const);
    return { op: 'add', entry: entry(text), source: n % 5 === 0 ? 3 : 2, expiry } as const;
  });
  await store.applyGroup(changes, NOON, nothing);
  const stored = await database.read.selectFrom('blocked_ips').selectAll().execute();
  rows = stored.flatMap(({ sort_key, source, expires_at }) => {
    const { family, prefix, words } = entryOfSortKey(sort_key);
    if (family === 6) return [];
    const ends = expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at);
    return [{ first: words[3], last: words[3] + 2 ** (32 - prefix) - 1, source, ends }];
  });
});
afterAll(() => folder.remove());

async function read(layer: MapLayer | 'hits', network?: string) {
  const area = mapAreaOf(network);
  if (!area.ok) throw new Error(area.why);
  const answer = await map.read(layer, area.value);
  return { ...answer, bytes: Buffer.from(answer.cells, 'base64'), first: area.value.first };
}

/** Blocked addresses from `first` to `last`, each counted once. */
function blockedWithin(first: number, last: number): number {
  let count = 0;
  let free = first;
  const inside = rows.filter((row) => row.first <= last && row.last >= first).sort((a, b) => a.first - b.first);
  for (const row of inside) {
    count += Math.max(0, Math.min(row.last, last) - Math.max(row.first, free) + 1);
    free = Math.max(free, row.last + 1);
  }
  return count;
}

const textOf = (first: number, addresses: number): string =>
  `${[24, 16, 8, 0].map((shift) => (first >>> shift) & 255).join('.')}/${32 - Math.log2(addresses)}`;

/** Half of them have an entry. */
function sample(bytes: Buffer): number[] {
  const all = [...bytes.keys()];
  const filled = all.filter((cell) => bytes[cell] !== 0);
  return Array.from({ length: 1_000 }, (_, n) => {
    const among = n % 2 === 0 ? all : filled;
    return among[(Math.imul(n + testSeed, 2_654_435_761) >>> 0) % among.length] as number;
  });
}

it.each([
  { network: undefined, prefix: 18 },
  // Covered by a network that begins before it.
  { network: '91.0.0.0/8', prefix: 24 },
  { network: '45.83.0.0/16', prefix: 24 },
])('shows in 1,000 cells of $network what the database has', async ({ network, prefix }) => {
  const size = 2 ** (32 - prefix);
  const { bytes: density, first, blocks } = await read('density', network);
  const { bytes: expiry } = await read('expiry', network);
  const { bytes: source, sources } = await read('source', network);
  expect(sources).toEqual(['list-2', 'list-3', 'manual']);
  for (const cell of sample(density)) {
    const from = first + cell * size;
    const to = from + size - 1;
    const count = blockedWithin(from, to);
    const expected = count === 0 ? 0 : 1 + Math.round((254 * Math.log2(1 + count)) / Math.log2(1 + size));
    const inside = rows.filter((row) => row.first <= to && row.last >= from);
    const hours = (Math.min(...inside.map(({ ends }) => ends)) - NOON.getTime()) / 3_600_000;
    const step =
      hours === Number.POSITIVE_INFINITY
        ? 6
        : [1, 24, 168, 720, Number.POSITIVE_INFINITY].findIndex((limit) => hours <= limit) + 1;
    const claimed = [2, 3, 1].map((id) => {
      const own = inside.filter((row) => row.source === id);
      return own.reduce((sum, row) => sum + Math.min(row.last, to) - Math.max(row.first, from) + 1, 0);
    });
    const most = count === 0 ? 0 : claimed.indexOf(Math.max(...claimed)) + 1;
    const shown = [density[cell], expiry[cell], source[cell]];
    expect([cell, ...shown]).toEqual([cell, expected, count === 0 ? 0 : step, most]);
  }
  // The table beside the map has the same sums.
  const last = first + density.length * size - 1;
  expect(blocks.reduce((sum, { addresses }) => sum + addresses, 0)).toBe(blockedWithin(first, last));
  const beginning = rows.filter((row) => row.first >= first && row.first <= last);
  expect(blocks.reduce((sum, { entries }) => sum + entries, 0)).toBe(beginning.length);
  for (const layer of ['density', 'expiry', 'source', 'hits'] as const) {
    const { sizes, widest } = await read(layer, network);
    const shownHere = rows.filter((row) => row.first <= last && row.last >= first);
    const bySize = new Map(sizes.map(({ prefix: size, entries }) => [2 ** (32 - size), entries]));
    for (const [addresses, entries] of bySize)
      expect(shownHere.filter((row) => row.last - row.first + 1 === addresses)).toHaveLength(entries);
    expect(sizes.reduce((sum, { entries }) => sum + entries, 0)).toBe(shownHere.length);
    const networks = shownHere.map((row) => [row.first, row.last - row.first + 1] as const).filter(([, n]) => n > 1);
    networks.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    const shown = networks.slice(0, 8).map(([start, addresses]) => [textOf(start, addresses), addresses]);
    expect(widest.map(({ network: wide, addresses }) => [wide, addresses])).toEqual(shown);
  }
});

it('shows where denied requests came from, with their sums, and what was not watched', async () => {
  const whole = await read('hits');
  expect([whole.layer, whole.complete, [...whole.bytes].filter((byte) => byte > 0).length]).toEqual(['hits', false, 3]);
  const sums = Object.fromEntries(whole.blocks.map(({ network, denied }) => [network, denied]));
  expect(sums).toMatchObject({ '45.0.0.0/8': 2_000_007, '222.0.0.0/8': 20, '255.0.0.0/8': 1, '91.0.0.0/8': 0 });
  const blocks = (layer: MapLayer | 'hits') => read(layer).then((map) => map.blocks);
  const blocked = (await blocks('hits')).filter(({ addresses }) => addresses > 0);
  expect(blocked.map(({ denied: _, ...block }) => block)).toEqual(await blocks('density'));

  const { bytes, blocks: inside } = await read('hits', '45.83.0.0/16');
  const scale = (count: number) => 1 + Math.round((254 * Math.log2(1 + count)) / Math.log2(1_000_001));
  expect([...bytes.subarray(6, 10)]).toEqual([0, scale(7), 255, 0]);
  expect(inside).toEqual([{ network: '45.83.0.0/16', entries: 4, addresses: 65_536, denied: 2_000_007 }]);
});

it('shows a block at once', async () => {
  const cell = () => read('density', '99.99.0.0/16').then(({ bytes }) => bytes[7]);
  expect(await cell()).toBe(0);
  await block(store, '99.99.7.0/24');
  expect(await cell()).toBe(255);
});

it.each(['45.0.0.0/7', '45.0.0.0/17', '45.83.7.1', '2001:db8::/16', '45.0.0.1/8', 'x'])(
  'has no map of %s, and says what has one',
  (network) => {
    expect(mapAreaOf(network)).toMatchObject({
      ok: false,
      why: expect.stringMatching(/\/8 to \/16|host bits|such as/),
    });
  },
);
