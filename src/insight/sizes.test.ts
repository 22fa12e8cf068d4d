// What is stored of denied requests stays small, and is written seldom. The full sizes run in `npm run test:long`.
import { statSync } from 'node:fs';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { mostMegabytes, rowBounds, sizesOf } from '../../chaos/soak/sizes.ts';
import { testLimitMs } from '../../testkit/conditions.ts';
import { InsightKit } from '../../testkit/insight/insight-kit.ts';
import { address } from '../../testkit/load/lists.ts';
import { longTests } from '../../testkit/proxies.ts';
import { block, entry, NOON, StoreFolder, storesOf } from '../../testkit/store/store-folder.ts';
import { HitsStore, hitsAtOnce } from '../store/hits-store.ts';
import type { Database } from '../store/open-database.ts';
import { SeriesStore } from '../store/series-store.ts';
import { median } from './attack-watch.ts';

let folder: StoreFolder;
let database: Database;
let kit: InsightKit;

beforeEach(async () => {
  folder = new StoreFolder();
  database = await folder.open();
  kit = new InsightKit(database);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await folder.remove();
});

const blockedAtOnce = 5_000;
async function blockMany(count: number): Promise<void> {
  const { store } = storesOf(database);
  for (let from = 0; from < count; from += blockedAtOnce)
    await block(store, ...Array.from({ length: Math.min(blockedAtOnce, count - from) }, (_, n) => address(from + n)));
}

const megabyte = 1_000_000;
const emptyLog = () => sql`pragma wal_checkpoint(truncate)`.execute(database.write);
const logSize = () => statSync(`${folder.file}-wal`).size / megabyte;

it('what knocks is written once a minute, in little, while blocks go first, and nothing else is', async () => {
  const [entries, knocking] = longTests ? [1_000_000, 10_000] : [20_000, 2_000];
  await blockMany(entries);
  const { store } = storesOf(database);
  const denied = Array.from({ length: knocking }, (_, n) => address(n * (entries / knocking)));
  const written: { readonly at: number; readonly rows: number }[] = [];
  const write = HitsStore.prototype.write;
  vi.spyOn(HitsStore.prototype, 'write').mockImplementation(async function (this: HitsStore, slice) {
    written.push({ at: kit.seconds, rows: slice.knocking.length + slice.entries.length + slice.gone.length });
    await write.call(this, slice);
  });
  const knock = () => denied.forEach((one) => void kit.haproxy.deny(one));
  await kit.pass(60, knock);

  const firstFlushes = kit.seconds;
  const { take } = kit.turns;
  /** Milliseconds of each slice of a flush. */
  const slices: number[] = [];
  vi.spyOn(kit.turns, 'take').mockImplementation(async function (this: typeof kit.turns, lane, work, owner) {
    const counted = async () => {
      if (lane === 'urgent') return await work();
      const began = performance.now();
      const at = slices.push(0) - 1;
      try {
        return await work();
      } finally {
        slices[at] = performance.now() - began;
      }
    };
    return (await take.call(this, lane, counted, owner)) as never;
  });
  let next = entries;
  /** Milliseconds, and how many slices began while it waited. */
  const blockOne = async () => {
    const [began, before] = [performance.now(), slices.length];
    let ahead = 0;
    const change = { op: 'add', entry: entry(address(next++)), expiry: { kind: 'permanent' } } as const;
    await kit.turns.take('urgent', async () => {
      ahead = slices.length - before;
      await store.applyGroup([change], NOON, () => undefined);
    });
    return { ms: performance.now() - began, ahead };
  };
  const alone: number[] = [];
  for (let n = 0; n < 50; n += 1) alone.push((await blockOne()).ms);

  const beside: { readonly ms: number; readonly ahead: number }[] = [];
  const logs: number[] = [];
  for (let minute = 0; minute < 3; minute += 1) {
    await kit.pass(50, knock);
    await emptyLog();
    const flush = { ended: false };
    const flushed = kit.pass(10, knock).finally(() => {
      flush.ended = true;
    });
    // In one of the minutes nothing else is in the log.
    while (minute > 0 && !flush.ended) {
      beside.push(await blockOne());
      await new Promise((resolve) => setImmediate(resolve));
    }
    await flushed;
    logs.push(logSize());
  }
  const minutes = new Map(written.map(({ at }) => [Math.floor(at / 60), at]));
  expect(written.filter(({ at }) => minutes.get(Math.floor(at / 60)) !== at)).toEqual([]);
  const sum = written.reduce((all, { rows }) => all + rows, 0);
  expect(sum).toBe(minutes.size * 2 * knocking);
  // What a block may wait for is short, however much there is to write.
  expect(Math.max(...written.map(({ rows }) => rows))).toBe(hitsAtOnce);
  const usual = { beside: median(beside.map(({ ms }) => ms)), alone: median(alone), slice: median(slices) };
  if (longTests) console.log({ logs, usual, longest: Math.max(...beside.map(({ ms }) => ms)) });
  // Of the same addresses each minute: 1 MB of 10,000.
  expect(logs[0]).toBeLessThan(knocking / 10_000);
  expect(beside.length).toBeGreaterThan(1);
  expect(slices.length).toBeGreaterThanOrEqual(written.filter(({ at }) => at > firstFlushes).length);
  // One slice has begun already, and one more is ahead, or as many as take a third of the time of the block before.
  expect(median(beside.map(({ ahead }) => ahead))).toBeLessThanOrEqual(1);
  expect(usual.beside).toBeLessThan(Math.max(100, 3 * (usual.slice + usual.alone)));

  // What was denied last is stored first.
  await kit.pass(60);
  written.length = 0;
  await kit.pass(180);
  expect(written).toEqual([]);
});

it(
  '400 days of many addresses, sites and sources stay within the bounds of the tables',
  async () => {
    const share = longTests ? 1 : 0.001;
    const [sites, sources, clients] = [1_000, 200, 100];
    const single = 100_000 * share;
    // The longer a point is kept, the longer is its step. HAProxy runs for some seconds of each.
    const rounds = [
      { seconds: 7_200, times: 370 * 12 * share },
      { seconds: 600, times: 28 * 144 * share },
      { seconds: 60, times: 2 * 1_440 * share },
    ];
    const perRound = Math.ceil((longTests ? 10_000_000 : 2_000_000) / (370 * 12 + 28 * 144 + 2 * 1_440));
    const { haproxy } = kit;
    // No crash is tested here, and there are a hundred thousand commits.
    await sql`pragma synchronous = off`.execute(database.write);
    const dotted = (first: number, n: number) => `${first}.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
    const entries = [
      ...Array.from({ length: single }, (_, n) => dotted(sources + 1 + (n % 20), n)),
      ...Array.from({ length: sources }, (_, n) => `${n + 1}.0.0.0/8`),
    ];
    for (let from = 0; from < entries.length; from += blockedAtOnce)
      await block(storesOf(database).store, ...entries.slice(from, from + blockedAtOnce));
    await sql`update blocked_ips set source = cast(ip_address as integer) where ip_address like '%.0.0.0/8'`.execute(
      database.write,
    );
    let [denied, round] = [0, 0];
    const later = (seconds: number) => {
      kit.now = new Date(kit.now.getTime() + seconds * 1_000);
    };
    // What the service does once an hour would take most of the time: here it is done once in so many.
    const hoursPerPrune = 240;
    let [hours, pruning] = [0, false];
    const { prune } = SeriesStore.prototype;
    const { pruneEntries } = HitsStore.prototype;
    vi.spyOn(SeriesStore.prototype, 'prune').mockImplementation(async function (this: SeriesStore, now) {
      if (!pruning) hours += 1;
      pruning = hours % hoursPerPrune === 0 && (await prune.call(this, now));
      return pruning;
    });
    vi.spyOn(HitsStore.prototype, 'pruneEntries').mockImplementation(async function (this: HitsStore, after) {
      return hours % hoursPerPrune === 0 ? await pruneEntries.call(this, after) : null;
    });
    await kit.pass(10);
    for (const { seconds, times } of rounds) {
      for (let nth = 0; nth < times; nth += 1, round += 1) {
        later(seconds - 10);
        haproxy.start();
        for (let n = 0; n < perRound; n += 1, denied += 1) {
          const inNetwork = dotted((denied % sources) + 1, Math.floor(denied / sources));
          haproxy.deny(denied < single ? entries[denied]! : inNetwork);
        }
        // Those that have a series of their own in each step, and all others by turns.
        const seen = Array.from({ length: 70 }, (_, n) => (n < 50 ? n : 50 + ((round * 20 + n) % (sites - 50))));
        for (const n of seen) {
          haproxy.site(`s${n}.example`, 1);
          haproxy.serve(`s${n}.example`, { requests: 100 + n, serverErrors: 1, responseMs: 7 });
        }
        for (let n = 0; n < clients; n += 1)
          haproxy.client(`2001:db8:${n.toString(16)}:${round.toString(16)}::`, { requests: 5, errors: 1 });
        later(10);
        await kit.insight.round();
      }
    }
    vi.restoreAllMocks();
    later(3_600);
    await kit.insight.round();
    const { rows, megabytes, ...sums } = sizesOf(folder.file);
    if (longTests) console.log({ denied, megabytes, ...rows });
    for (const [table, bound] of Object.entries({
      ...rowBounds,
      entry_hits: single + sources,
      site_hours: 25 * sites,
    }))
      expect(rows[table], table).toBeLessThanOrEqual(bound);
    expect(rows['entry_hits']).toBe(single + sources);
    expect(megabytes).toBeLessThanOrEqual(mostMegabytes);
    expect(sums).toEqual({ denied, notAttributed: 0 });
    expect(kit.logged).toEqual([]);
  },
  8 * testLimitMs,
);
