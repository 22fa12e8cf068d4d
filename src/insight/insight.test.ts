import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventually, settled } from '../../testkit/conditions.ts';
import { InsightKit } from '../../testkit/insight/insight-kit.ts';
import { knownAddress, knownRow } from '../../testkit/insight/known-addresses.ts';
import { block, entry, StoreFolder, storesOf } from '../../testkit/store/store-folder.ts';
import { sortKey } from '../domain/ip.ts';
import { HitsStore } from '../store/hits-store.ts';
import { InsightStore } from '../store/insight-store.ts';
import type { Database } from '../store/open-database.ts';
import { type Metric, SeriesStore } from '../store/series-store.ts';
import { Collector } from './collector.ts';

let folder: StoreFolder;
let database: Database;
let kit: InsightKit;

beforeEach(async () => {
  folder = new StoreFolder();
  database = await folder.open();
  await block(storesOf(database).store, '192.0.2.0/24', '192.0.2.9', '2001:db8::/32');
  kit = new InsightKit(database);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await folder.remove();
});

async function series(metric: Metric, label = 0): Promise<[at: number, value: number][]> {
  const store = new SeriesStore(database);
  const points = await store.points({ metric, labels: [label], step: 60, from: 0, to: kit.seconds + 60 });
  return points.map(({ at, value }) => [at, value]);
}
const sum = (points: readonly (readonly [number, number])[]) => points.reduce((all, [, value]) => all + value, 0);
const hitsOf = async (text: string) => {
  const found = await new HitsStore(database).ofEntries([sortKey(entry(text))]);
  return [...found.values()][0]?.total ?? 0;
};
const totalOf = (address: string) => knownAddress(kit.insight.state!.state.knocking, address)?.total ?? 0;

describe('insight', () => {
  it('attributes denied requests to entries, and shows what it cannot attribute', async () => {
    await kit.pass(120, () => {
      kit.haproxy.deny('192.0.2.9', 2);
      kit.haproxy.deny('192.0.2.10');
      kit.haproxy.deny('2001:db8::1', 3);
      kit.haproxy.deny('203.0.113.1', 4);
      kit.haproxy.allow(90);
      kit.haproxy.site('shop.example', 1);
    });
    await kit.pass(70);
    expect([totalOf('192.0.2.9'), totalOf('192.0.2.10'), totalOf('203.0.113.1')]).toEqual([24, 12, 48]);
    expect([await hitsOf('192.0.2.9'), await hitsOf('192.0.2.0/24'), await hitsOf('2001:db8::/32')]).toEqual([
      24, 12, 36,
    ]);
    const store = new SeriesStore(database);
    expect(sum(await series('denied'))).toBe(12 * 10);
    expect(sum(await series('not_attributed'))).toBe(12 * 4);
    // What a worker served before it was first read is of no known time.
    expect(sum(await series('requests'))).toBe(11 * 100);
    expect(sum(await series('denied', await store.label('source', 'manual')))).toBe(12 * 6);
    expect(sum(await series('denied', await store.label('site', 'shop.example')))).toBe(12 * 16);
    expect(Math.max(...(await series('addresses')).map(([, value]) => value))).toBe(4);
    expect((await series('entries')).at(-1)![1]).toBe(3);
  });

  it('reads everything once, and then only what is active', async () => {
    await kit.pass(50);
    expect(kit.haproxy.readings.map(({ whole }) => whole)).toEqual([true, false, false, false, false]);
  });

  it('writes nothing of hits while nothing is denied', async () => {
    kit.haproxy.deny('192.0.2.9');
    await kit.pass(130);
    const changes = async () => {
      const tables = ['entry_hits', 'knocking', 'entry_hours', 'clients'] as const;
      return await Promise.all(tables.map((table) => database.read.selectFrom(table).selectAll().execute()));
    };
    const before = await changes();
    const write = HitsStore.prototype.write;
    const slices: number[] = [];
    HitsStore.prototype.write = function (slice) {
      slices.push(slice.knocking.length + slice.entries.length);
      return write.call(this, slice);
    };
    try {
      await kit.pass(300);
    } finally {
      HitsStore.prototype.write = write;
    }
    expect(await changes()).toEqual(before);
    expect(slices).toEqual([]);
  });

  it('loses nothing when the service is killed and the worker lives', async () => {
    const traffic = () => {
      kit.haproxy.deny('192.0.2.9', 5);
      kit.haproxy.allow(5);
    };
    await kit.pass(90, traffic);
    kit.restart();
    for (let second = 0; second < 300; second += 10) {
      traffic();
      kit.now = new Date(kit.now.getTime() + 10_000);
    }
    await kit.pass(60, traffic);
    await kit.pass(70);
    expect(totalOf('192.0.2.9')).toBe(9 * 5 + 30 * 5 + 6 * 5);
    expect(await hitsOf('192.0.2.9')).toBe(totalOf('192.0.2.9'));
    expect(sum(await series('denied'))).toBeCloseTo(totalOf('192.0.2.9'), 6);
    // The time without the service is an average, and a gap.
    const denied = new Map(await series('denied'));
    const gaps = await new InsightStore(database).gaps(0);
    expect(gaps).toMatchObject([{ cause: 'the service was stopped' }]);
    expect(denied.get(gaps[0]!.from + 120 - (gaps[0]!.from % 60))).toBeCloseTo(30, 0);
    expect(kit.types).toEqual(['insight.gap']);
  });

  it('shows no figures after a restart until HAProxy was read: what is stored is up to a minute older', async () => {
    await kit.pass(90, () => kit.haproxy.deny('192.0.2.9'));
    kit.restart();
    const { read } = kit.haproxy;
    const shown: unknown[] = [];
    kit.haproxy.read = async function (this: typeof kit.haproxy, ...given) {
      shown.push(kit.insight.state);
      return await read.apply(this, given);
    };
    await kit.pass(10);
    expect(shown).toEqual([null]);
    expect(totalOf('192.0.2.9')).toBe(9);
  });

  it.each([true, false])('loses nothing at a reload of its own (handed over: %s)', async (handsOver) => {
    kit.haproxy.handsOver = handsOver;
    const traffic = () => kit.haproxy.deny('192.0.2.9', 3);
    await kit.pass(60, traffic);
    traffic();
    await kit.insight.readNow();
    kit.haproxy.reload({ drains: true });
    kit.haproxy.deny('192.0.2.10', 2, kit.haproxy.draining);
    await kit.pass(60, traffic);
    expect(await new InsightStore(database).gaps(0)).toEqual([]);
    await kit.insight.readNow();
    kit.haproxy.reload({ drains: false });
    await kit.pass(60, traffic);
    expect(totalOf('192.0.2.9')).toBe(3 * 19);
    expect(totalOf('192.0.2.10')).toBe(2);
    expect(await new InsightStore(database).gaps(0)).toEqual([]);
  });

  it('loses nothing when the service is killed after a reload of its own', async () => {
    kit.haproxy.handsOver = false;
    await kit.pass(130, () => kit.haproxy.deny('192.0.2.9', 3));
    const before = await hitsOf('192.0.2.9');
    kit.haproxy.deny('192.0.2.9', 3);
    await kit.insight.readNow();
    kit.haproxy.reload({ drains: false });
    await eventually('what was read is stored', async () => (await hitsOf('192.0.2.9')) > before);
    kit.restart();
    await kit.pass(20);
    expect(totalOf('192.0.2.9')).toBe(3 * 14);
  });

  it('counts everything since HAProxy was started again, however often, and through a restart of the service', async () => {
    const deny = async (address: string, times: number, seconds = 10) => {
      kit.haproxy.deny(address, times);
      await kit.pass(seconds);
    };
    await deny('192.0.2.9', 50);
    await deny('192.0.2.10', 50, 120);
    kit.haproxy.start();
    await deny('192.0.2.9', 5);
    kit.haproxy.start();
    await deny('192.0.2.9', 10);
    expect(totalOf('192.0.2.9')).toBe(65);
    // What the last worker had is handed over.
    kit.haproxy.reload({ drains: false });
    await deny('192.0.2.9', 2, 120);
    expect(totalOf('192.0.2.9')).toBe(67);
    kit.restart();
    await deny('192.0.2.10', 60);
    expect(totalOf('192.0.2.10')).toBe(110);
    await kit.pass(120);
    kit.restart();
    kit.haproxy.start();
    kit.haproxy.deny('192.0.2.9', 80);
    kit.haproxy.reload({ drains: false });
    await deny('192.0.2.10', 70);
    expect([totalOf('192.0.2.9'), totalOf('192.0.2.10')]).toEqual([147, 180]);
  });

  it('reads before a reload also while old figures are pruned', async () => {
    await kit.pass(10);
    const pruning = Promise.withResolvers<boolean>();
    vi.spyOn(SeriesStore.prototype, 'prune').mockImplementation(() => pruning.promise);
    kit.now = new Date(kit.now.getTime() + 3_600_000);
    const round = kit.insight.round();
    await eventually('figures are pruned', () => vi.mocked(SeriesStore.prototype.prune).mock.calls.length > 0);
    kit.haproxy.deny('192.0.2.9', 3);
    await kit.insight.readNow();
    await eventually('what was read is counted', () => totalOf('192.0.2.9') === 3);
    pruning.resolve(false);
    await round;
  });

  it('lets a reload go on once the tables are read, however long the counting takes', async () => {
    await kit.pass(10);
    const counting = Promise.withResolvers<void>();
    const { take } = Collector.prototype;
    vi.spyOn(Collector.prototype, 'take').mockImplementation(async function (this: Collector, reading) {
      await counting.promise;
      return await take.call(this, reading);
    });
    kit.haproxy.deny('192.0.2.9', 3);
    const before = kit.haproxy.readings.length;
    let goesOn = false;
    const read = kit.insight.readNow().then(() => {
      goesOn = true;
    });
    await eventually('the counting has begun', () => vi.mocked(Collector.prototype.take).mock.calls.length > 0);
    await settled();
    expect([goesOn, kit.haproxy.readings.length]).toEqual([true, before + 1]);
    await read;
    expect(totalOf('192.0.2.9')).toBe(0);
    kit.haproxy.handsOver = false;
    kit.haproxy.reload({ drains: false });
    kit.haproxy.deny('192.0.2.9', 2);
    counting.resolve();
    await kit.pass(10);
    expect(totalOf('192.0.2.9')).toBe(5);
  });

  it('reports a gap when HAProxy did not answer, and when it lost its tables', async () => {
    await kit.pass(60);
    kit.haproxy.silent = true;
    await kit.pass(60, () => kit.haproxy.deny('192.0.2.9'));
    expect(kit.insight.reading?.missing).toEqual(['101: no answer']);
    kit.haproxy.silent = false;
    await kit.pass(20);
    expect(totalOf('192.0.2.9')).toBe(6);
    kit.haproxy.handsOver = false;
    kit.now = new Date(kit.now.getTime() + 5_000);
    kit.haproxy.reload({ drains: false });
    await kit.pass(10);
    const gaps = await new InsightStore(database).gaps(0);
    expect(gaps.map(({ from, to, cause }) => [to - from, cause])).toEqual([
      [70, 'HAProxy did not answer'],
      [15, 'HAProxy was started again, or reloaded by another process'],
    ]);
    expect(kit.facts.filter(([type]) => type === 'insight.gap')).toHaveLength(1);
  });

  it('counts on while the database fails, and stores it later', async () => {
    const write = SeriesStore.prototype.write;
    await kit.pass(60, () => kit.haproxy.deny('192.0.2.9'));
    SeriesStore.prototype.write = async () => {
      throw new Error('disk full');
    };
    const hits = HitsStore.prototype.write;
    try {
      await kit.pass(60, () => kit.haproxy.deny('192.0.2.9'));
      HitsStore.prototype.write = SeriesStore.prototype.write as never;
      await kit.pass(60, () => kit.haproxy.deny('192.0.2.9'));
    } finally {
      SeriesStore.prototype.write = write;
      HitsStore.prototype.write = hits;
    }
    await kit.pass(120, () => kit.haproxy.deny('192.0.2.9'));
    await kit.pass(70);
    expect(await hitsOf('192.0.2.9')).toBe(30);
    expect(sum(await series('denied'))).toBe(30);
  });

  it('stores the hours of the loudest, and remembers them after a stop', async () => {
    await kit.pass(3_600, (second) => {
      if (second % 600 === 0) kit.haproxy.deny('192.0.2.10', 7);
    });
    await kit.insight.stop();
    kit.restart();
    await kit.pass(10);
    const { knocking } = kit.insight.state!.state;
    expect(knocking.hours.values(knownRow(knocking, '192.0.2.10')).slice(-2)).toEqual([35, 7]);
  });

  it('reports an attack once, through a restart, and its end', async () => {
    const calm = () => kit.haproxy.deny('192.0.2.9', 2);
    const loud = () => kit.haproxy.deny('192.0.2.10', 60);
    await kit.pass(1_200, calm);
    await kit.pass(60, loud);
    await kit.pass(600, calm);
    expect(kit.types).toEqual([]);
    await kit.pass(250, loud);
    expect(kit.facts).toMatchObject([['attack.started', { usual: 12 }]]);
    expect((kit.facts[0]![1] as { top_networks: unknown }).top_networks).toMatchObject([
      { entry: '192.0.2.0/24' },
      { entry: '192.0.2.9' },
    ]);
    kit.restart();
    await kit.pass(180, loud);
    expect(kit.insight.state!.attacks.active).toBe(true);
    await kit.pass(700, calm);
    expect(kit.types).toEqual(['attack.started', 'attack.ended']);
    const [attack] = await new InsightStore(database).attacks(1);
    expect(attack).toMatchObject({ peak: 360, usual: 12 });
    expect(attack!.ended_at! - attack!.started_at).toBeGreaterThan(300);
  });

  it('lists a loud client with errors after ten minutes, with a fair estimate', async () => {
    // 50 clients with 40 requests a second each; one of them gets 90 % errors. Sampled 1 in 16.
    await kit.pass(660, () => {
      for (let n = 0; n < 49; n += 1) kit.haproxy.client(`198.51.100.${n}`, { requests: 25, errors: 0 });
      kit.haproxy.client('203.0.113.7', { requests: 25, errors: 22 });
      kit.haproxy.client('203.0.113.8', { requests: 25, errors: 22 });
      kit.exempt = { reason: async (address) => (address === '203.0.113.8' ? 'trusted' : null) };
    });
    const found = await kit.insight.state!.candidates.list(kit.seconds);
    expect(found.map(({ client }) => client.address)).toEqual(['203.0.113.7']);
    expect(found[0]!.over.rate).toBeCloseTo(40, 0);
    expect(kit.facts).toMatchObject([['candidate.found', { ip_address: '203.0.113.7', error_share: 0.88 }]]);
    kit.insight.state!.clients.ignore('203.0.113.7', kit.seconds + 3_600, kit.seconds);
    expect(await kit.insight.state!.candidates.list(kit.seconds)).toEqual([]);
  });

  it('reports a list that matched nothing for 30 days once, if it was watched', async () => {
    const day = 86_400;
    kit.sources = [
      { id: 2, name: 'feed:dead', kind: 'list', createdAt: kit.seconds - 40 * day, claims: 9 },
      { id: 3, name: 'agent', kind: 'agent', createdAt: kit.seconds - 40 * day, claims: 9 },
      { id: 1, name: 'manual', kind: 'manual', createdAt: kit.seconds - 40 * day, claims: 9 },
    ];
    const records = new InsightStore(database);
    await kit.watchedFor(29);
    const judge = async () => await kit.insight.state!.sources.judge(kit.seconds);
    await judge();
    await records.addGap({ from: kit.seconds - 5 * day, to: kit.seconds - 4 * day, cause: 'x' });
    await kit.watchedFor(2);
    await judge();
    const useless = () => kit.facts.filter(([type]) => type === 'source.useless');
    expect(useless()).toEqual([]);
    await database.write.deleteFrom('insight_gaps').execute();
    for (let times = 0; times < 2; times += 1) await judge();
    expect(useless()).toEqual([['source.useless', { source: 'feed:dead', entries: 9, days: 30 }]]);
    await kit.insight.state!.sources.matched({ at: kit.seconds, sources: new Set([2]), further: [] });
    await judge();
    expect(useless()).toHaveLength(1);
  });
});
