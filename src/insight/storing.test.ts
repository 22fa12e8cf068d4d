// What is stored of denied requests, also while the database fails and after a crash.
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { InsightKit } from '../../testkit/insight/insight-kit.ts';
import { knownAddress, knownRow } from '../../testkit/insight/known-addresses.ts';
import { block, entry, StoreFolder, storesOf } from '../../testkit/store/store-folder.ts';
import { type IpWords, shortKey, sortKey } from '../domain/ip.ts';
import { HitsStore } from '../store/hits-store.ts';
import { InsightStore } from '../store/insight-store.ts';
import type { Database } from '../store/open-database.ts';
import { pointsAtOnce, SeriesStore } from '../store/series-store.ts';
import { Knocking } from './knocking.ts';
import { LoudClients, mostClients } from './loud-clients.ts';

const hour = 3_600;
const day = 24 * hour;
let folder: StoreFolder;
let database: Database;
let kit: InsightKit;

beforeEach(async () => {
  folder = new StoreFolder();
  database = await folder.open();
  await block(storesOf(database).store, '192.0.2.0/24', '192.0.2.9');
  kit = new InsightKit(database);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await folder.remove();
});

const key = (text: string) => sortKey(entry(text));
const hoursOf = (address: string) => {
  const { knocking } = kit.insight.state!.state;
  return knocking.hours.values(knownRow(knocking, address)).slice(-3);
};
/** To the second before the start of an hour. @param at seconds of the day */
const moveTo = async (at: number) => {
  const { seconds } = kit;
  kit.now = new Date((seconds - (seconds % day) + at + (seconds % day >= at ? day : 0)) * 1_000);
};
const failing = async () => {
  throw new Error('disk full');
};

describe('after a crash', () => {
  it('the hour that has begun is there', async () => {
    await moveTo(10 * hour);
    await kit.pass(130, () => kit.haproxy.deny('192.0.2.9', 2));
    kit.restart();
    await kit.pass(10, () => kit.haproxy.deny('192.0.2.9', 2));
    expect(hoursOf('192.0.2.9')).toEqual([0, 0, 28]);
  });

  it('during a change of the hour, both hours are stored', async () => {
    await moveTo(10 * hour - 130);
    await kit.pass(120, () => kit.haproxy.deny('192.0.2.9', 2));
    kit.restart();
    await kit.pass(70, () => kit.haproxy.deny('192.0.2.9'));
    kit.restart();
    await kit.pass(10);
    const [, before, now] = hoursOf('192.0.2.9');
    expect(before! + now!).toBe(31);
    expect(before).toBeGreaterThan(10);
    const rows = await database.read.selectFrom('entry_hours').select('hits').execute();
    expect(rows).toEqual([{ hits: before }]);
  });

  it('shortly after midnight, the day before is stored', async () => {
    await moveTo(day - 200);
    await kit.pass(180, () => kit.haproxy.deny('192.0.2.9'));
    kit.restart();
    await moveTo(30);
    await kit.pass(70);
    const days = await database.read.selectFrom('entry_days').select(['hits', 'sort_key']).execute();
    // What was read but not stored before the crash counts when it is read again.
    expect(days).toEqual([{ hits: 14, sort_key: key('192.0.2.9') }]);
  });
});

it('skips a damaged row, and counts its address from the beginning', async () => {
  await kit.pass(130, () => {
    for (const address of ['192.0.2.9', '192.0.2.10']) kit.haproxy.deny(address);
  });
  await sql`update knocking set counters = 'x' where address = ${shortKey(entry('192.0.2.9'))}`.execute(database.write);
  kit.restart();
  await kit.pass(10, () => kit.haproxy.deny('192.0.2.9'));
  const { knocking } = kit.insight.state!.state;
  expect(knownAddress(knocking, '192.0.2.9')!.total).toBe(14);
  expect(knownAddress(knocking, '192.0.2.10')!.total).toBe(13);
  expect(kit.logged).toEqual([['Skipped stored figures of denied addresses', expect.objectContaining({ rows: 1 })]]);
});

it('skips a row whose key is a network, which would be taken for its first address', async () => {
  await kit.pass(130, () => kit.haproxy.deny('192.0.2.10'));
  await sql`update knocking set address = ${shortKey(entry('192.0.2.0/24'))}`.execute(database.write);
  kit.restart();
  await kit.pass(10);
  expect(knownAddress(kit.insight.state!.state.knocking, '192.0.2.0')).toBeUndefined();
  expect(kit.logged).toEqual([['Skipped stored figures of denied addresses', expect.objectContaining({ rows: 1 })]]);
});

it('restores the hours of an address without those of a network that begins with it', async () => {
  await moveTo(10 * hour);
  await kit.pass(70, () => kit.haproxy.deny('192.0.2.0'));
  kit.haproxy.deny('192.0.2.10', 50);
  await kit.pass(10);
  await kit.insight.stop();
  const stored = await database.read.selectFrom('entry_hours').select(['sort_key', 'hits']).execute();
  expect(stored.find(({ sort_key }) => sort_key.equals(key('192.0.2.0/24')))?.hits).toBe(57);
  kit.restart();
  await kit.pass(10);
  expect(hoursOf('192.0.2.0').at(-1)).toBe(7);
});

it('counts an address that only HAProxy remembers once, also after a restart', async () => {
  await kit.pass(130, () => kit.haproxy.deny('192.0.2.9'));
  await kit.pass(70);
  const { knocking } = kit.insight.state!.state;
  knocking.forget(knownRow(knocking, '192.0.2.9'));
  await kit.pass(70);
  const stored = () => database.read.selectFrom('entry_hits').select('total').execute();
  expect(await stored()).toEqual([{ total: 13 }]);
  kit.now = new Date(kit.now.getTime() + 100_000);
  kit.haproxy.deny('192.0.2.10', 2);
  kit.haproxy.readings.length = 0;
  kit.restart();
  await kit.pass(70);
  expect(kit.haproxy.readings).toContainEqual({ whole: true });
  const sums = (await stored()).map(({ total }) => total);
  expect(sums.reduce((one, other) => one + other)).toBe(13 + 2);
});

describe('an address that HAProxy remembers for longer than the service', () => {
  const stored = async () => {
    const rows = await database.read.selectFrom('entry_hits').select('total').execute();
    return rows.reduce((sum, { total }) => sum + total, 0);
  };
  beforeEach(async () => {
    kit.mostAddresses = 2;
    kit.restart();
    await kit.pass(10, () => kit.haproxy.deny('192.0.2.9', 3));
    await kit.pass(20, (second) => kit.haproxy.deny(`192.0.2.${second}`));
  });

  it('does not count again while HAProxy lists it', async () => {
    await kit.pass(120);
    expect(await stored()).toBe(3 + 2);
  });

  it.each([10, 200, 3_600])('counts what it was denied since, %s s after it was forgotten', async (seconds) => {
    await kit.pass(seconds);
    await kit.pass(20, () => kit.haproxy.deny('192.0.2.9'));
    await kit.pass(60);
    expect(await stored()).toBe(3 + 2 + 2);
  });

  it('counts what it was denied since, also after a restart of the service', async () => {
    await kit.pass(130);
    kit.restart();
    kit.now = new Date(kit.now.getTime() + 100_000);
    await kit.pass(200);
    await kit.pass(10, () => kit.haproxy.deny('192.0.2.9', 2));
    await kit.pass(60);
    expect(await stored()).toBe(3 + 2 + 2);
  });

  it('counts from 0 if HAProxy has forgotten it meanwhile', async () => {
    kit.haproxy.current.denied.delete('192.0.2.9');
    await kit.pass(200);
    await kit.pass(10, () => kit.haproxy.deny('192.0.2.9', 5));
    await kit.pass(60);
    expect(await stored()).toBe(3 + 2 + 5);
  });

  it('counts from 0 if HAProxy was started again since', async () => {
    kit.haproxy.start();
    await kit.pass(10, () => kit.haproxy.deny('192.0.2.9', 5));
    await kit.pass(60);
    expect(await stored()).toBe(3 + 2 + 5);
  });
});

it('logs each kind of failure once', async () => {
  await kit.pass(10);
  vi.spyOn(InsightStore.prototype, 'addGap').mockImplementation(failing);
  vi.spyOn(SeriesStore.prototype, 'write').mockImplementation(failing);
  vi.spyOn(HitsStore.prototype, 'prune').mockImplementation(failing);
  kit.now = new Date(kit.now.getTime() + 100_000);
  await kit.pass(300, () => kit.haproxy.deny('192.0.2.9'));
  expect(kit.logged.map(([message]) => message)).toEqual([
    'Could not store a gap',
    'Could not store the figures of denied requests',
  ]);
});

it('writes many points in several transactions, the states with the first', async () => {
  await kit.pass(60);
  const slices: [points: number, states: number][] = [];
  const write = SeriesStore.prototype.write;
  vi.spyOn(SeriesStore.prototype, 'write').mockImplementation(async function (this: SeriesStore, slice) {
    slices.push([slice.points.length, Object.keys(slice.states).length]);
    await write.call(this, slice);
  });
  const { points } = kit.insight.state!.state;
  for (let minute = 0; minute < 2_000; minute += 1) points.add('denied', 0, kit.seconds - minute * 60, 1);
  await kit.pass(60);
  expect(slices.length).toBeGreaterThan(1);
  expect(Math.max(...slices.map(([count]) => count))).toBe(pointsAtOnce);
  expect(slices.map(([, states]) => states > 0)).toEqual(slices.map((_, index) => index === 0));
});

describe('hits that wait for the database', () => {
  const around = (text: string) => ({ entry: text, source: 1, others: 0 });

  it('are kept by entry when their address is forgotten, up to a bound', () => {
    const knocking = new Knocking();
    const countOnce = (address: IpWords, hits: number, by: string, at: number) => {
      const row = knocking.rowOf(address);
      knocking.count(row, hits, around(by), at);
      knocking.forget(row);
    };
    for (let n = 1; n <= 100_001; n += 1) countOnce([0, 0, 0xffff, n], 2, n === 1 ? 'common' : `e${n}`, n);
    countOnce([0, 0, 0, 1], 3, 'common', 7);
    expect(knocking.takeLost()).toBe(100_001);
    expect(knocking.takeLost()).toBeNull();
    const { rows, entries, gone } = knocking.waiting();
    expect([rows.length, entries.length, gone.length]).toEqual([0, 100_000, 0]);
    expect(new Map(entries).get('common')).toEqual({ hits: 5, firstHit: 1, lastHit: 7 });
    expect(knocking.unstored).toBe(100_000);
    knocking.noteStored({ entries: entries.slice(1) });
    expect(knocking.unstored).toBe(1);
  });

  it('are stored once, though each part of a flush fails once', async () => {
    await kit.pass(60);
    const write = HitsStore.prototype.write;
    let [calls, failures] = [0, 0];
    vi.spyOn(HitsStore.prototype, 'write').mockImplementation(async function (this: HitsStore, slice) {
      calls += 1;
      if (calls % 2 === 0) {
        failures += 1;
        throw new Error('disk full');
      }
      await write.call(this, slice);
    });
    await block(storesOf(database).store, '10.0.0.0/8');
    for (let n = 0; n < 2_500; n += 1) kit.haproxy.deny(`10.0.${n >> 8}.${n & 255}`);
    await kit.pass(300);
    expect(failures).toBeGreaterThan(1);
    const hits = await new HitsStore(database).ofEntries([key('10.0.0.0/8')]);
    expect([...hits.values()]).toMatchObject([{ total: 2_500 }]);
    expect(kit.insight.state!.state.knocking.unstored).toBe(0);
  });

  it('that were dropped are a gap', async () => {
    await kit.pass(60);
    const { knocking } = kit.insight.state!.state;
    vi.spyOn(knocking, 'takeLost').mockReturnValueOnce(kit.seconds - 1_000);
    await kit.pass(60);
    const gaps = await kit.insight.state!.watched.gaps(0, kit.seconds);
    expect(gaps).toMatchObject([{ from: kit.seconds - 1_060, cause: 'the figures could not be stored' }]);
  });
});

describe('loud clients', () => {
  const requests = (count: number) => new Map([['203.0.113.7', { requests: count, rate: count, errors: 0 }]]);

  it('are written as bulk work, and again after a failure', async () => {
    await kit.pass(60);
    kit.haproxy.client('203.0.113.7', { requests: 9, errors: 0 });
    const lanes = vi.spyOn(kit.turns, 'take');
    const stores = vi.spyOn(InsightStore.prototype, 'writeClients').mockImplementationOnce(failing);
    await kit.pass(120);
    expect(stores).toHaveBeenCalledTimes(2);
    expect(new Set(lanes.mock.calls.map(([lane]) => lane))).toEqual(new Set(['bulk']));
    expect(lanes.mock.calls.length).toBeGreaterThanOrEqual(4);
    expect(await new InsightStore(database).clients()).toMatchObject([{ requests: 9 }]);
  });

  it('that were never stored need not be deleted', async () => {
    const clients = new LoudClients();
    clients.restore({ address: '203.0.113.7', requests: 1, errors: 0, firstSeen: 1, lastSeen: 1, ignoredUntil: null });
    const loud = Array.from(
      { length: mostClients + 5 },
      (_, n) => [`c${n}`, { requests: 9, rate: 9, errors: 0 }] as const,
    );
    await clients.count(1, new Map(loud), 1_000);
    expect(clients.size).toBe(mostClients);
    expect([...clients.takeGone()]).toEqual(['203.0.113.7']);
    await clients.count(1, requests(1), 1_010);
    clients.giveBack([], ['203.0.113.7', '203.0.113.8']);
    expect([...clients.takeGone()]).toContain('203.0.113.8');
  });
});
