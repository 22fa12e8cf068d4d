// "Never matched" is claimed only of watched time (ADR 0099).
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InsightKit } from '../../testkit/insight/insight-kit.ts';
import { insightServiceOf, notHitIn } from '../../testkit/insight/insight-service-of.ts';
import { knownAddress } from '../../testkit/insight/known-addresses.ts';
import { block, StoreFolder, storesOf } from '../../testkit/store/store-folder.ts';
import { codes } from '../errors/catalogue.ts';
import { EntryLookup } from '../store/entry-lookup.ts';
import { InsightStore } from '../store/insight-store.ts';
import type { Database } from '../store/open-database.ts';
import { SeriesStore } from '../store/series-store.ts';

const day = 86_400;
let folder: StoreFolder;
let database: Database;
let kit: InsightKit;

beforeEach(async () => {
  folder = new StoreFolder();
  database = await folder.open();
  await block(storesOf(database).store, '192.0.2.0/24', '192.0.2.9', '198.51.100.0/24');
  kit = new InsightKit(database);
  await kit.watchedFor(100);
  const blocked_at = new Date(kit.now.getTime() - 99 * day * 1_000).toISOString();
  await database.write.updateTable('blocked_ips').set({ blocked_at }).execute();
  await database.write.deleteFrom('insight_gaps').execute();
});
afterEach(() => folder.remove());

const gaps = async () => await kit.insight.state!.watched.gaps(0, kit.seconds);
const causes = async () => (await gaps()).map(({ cause }) => cause);
const gapSeconds = async () => (await gaps()).reduce((sum, { from, to }) => sum + to - from, 0);
const notHit = async (days = 90) => await notHitIn(kit, database, days * day);

describe('a gap', () => {
  it('is time in which the configuration does not count, reported once', async () => {
    kit.haproxy.counts = false;
    await kit.insight.readNow();
    kit.haproxy.reload({ drains: false });
    await kit.pass(200, () => kit.haproxy.deny('192.0.2.9'));
    expect(await causes()).toEqual(['the configuration does not count denied requests']);
    expect(await gapSeconds()).toBe(200);
    expect(kit.types).toEqual(['counting.incomplete', 'insight.gap']);
  });

  it('is time in which hits could not be attributed', async () => {
    const around = EntryLookup.prototype.around;
    EntryLookup.prototype.around = async () => {
      throw new Error('disk failure');
    };
    try {
      await kit.pass(20, () => kit.haproxy.deny('192.0.2.9'));
    } finally {
      EntryLookup.prototype.around = around;
    }
    await kit.pass(20, () => kit.haproxy.deny('198.51.100.1'));
    expect(await causes()).toEqual(['the database failed: denied requests could not be attributed']);
    expect(await gapSeconds()).toBe(20);
  });

  it('waits for a database that fails, and counts meanwhile', async () => {
    const addGap = InsightStore.prototype.addGap;
    InsightStore.prototype.addGap = async () => {
      throw new Error('disk full');
    };
    kit.haproxy.handsOver = false;
    try {
      kit.now = new Date(kit.now.getTime() + 5_000);
      kit.haproxy.start();
      await kit.pass(10);
      expect(await gapSeconds()).toBe(15);
      // Nothing that was read later is stored before it.
      await kit.pass(120);
      const stored = (await new SeriesStore(database).state('collector')) as { readonly at: number };
      expect(stored.at).toBeLessThan(kit.seconds - 100);
    } finally {
      InsightStore.prototype.addGap = addGap;
    }
    await kit.pass(10);
    expect(await new InsightStore(database).gaps(0)).toHaveLength(1);
    expect(await gapSeconds()).toBe(15);
  });

  it('that continues counts', async () => {
    kit.haproxy.silent = true;
    await kit.pass(30);
    expect(await gaps()).toEqual([]);
    kit.now = new Date(kit.now.getTime() + 2 * day * 1_000);
    expect(await causes()).toEqual(['HAProxy did not answer']);
    await expect(notHit()).rejects.toMatchObject({ code: codes.NotWatched });
    expect((await insightServiceOf(kit, database).summary(day)).complete).toBe(false);
  });

  it('is time in which one of the workers did not answer', async () => {
    await kit.insight.readNow();
    kit.haproxy.reload({ drains: true });
    kit.haproxy.silentWorkers.add(kit.haproxy.draining.pid);
    await kit.pass(30);
    expect(await causes()).toEqual(['HAProxy did not answer']);
  });

  it('is time in which a worker that drained denied requests that its tables do not show', async () => {
    await kit.insight.readNow();
    kit.haproxy.reload({ drains: true });
    await kit.pass(10);
    expect(await gaps()).toEqual([]);
    await kit.pass(10, () => kit.haproxy.denyUncounted(kit.haproxy.draining));
    expect(await causes()).toEqual(['a worker that drained denied requests that its tables do not show']);
  });

  it.each([true, false])('is time before HAProxy was started again (handed over: %s)', async (handsOver) => {
    kit.haproxy.handsOver = handsOver;
    await kit.pass(10);
    kit.now = new Date(kit.now.getTime() + 5_000);
    kit.haproxy.start();
    await kit.pass(10);
    expect(await causes()).toEqual(['HAProxy was started again, or reloaded by another process']);
  });

  it('is noted once when the clock is set back, and readings count on', async () => {
    await kit.pass(60, () => kit.haproxy.deny('192.0.2.9'));
    const { since } = kit.insight.state!.state.collector;
    kit.now = new Date(kit.now.getTime() - 200 * day * 1_000);
    await kit.pass(120, () => kit.haproxy.deny('192.0.2.9'));
    expect(await causes()).toEqual(['the clock was set back']);
    const { collector, knocking } = kit.insight.state!.state;
    expect(collector.lastAt).toBe(kit.seconds);
    expect(collector.since).toBeLessThan(since! - 99 * day);
    expect(knownAddress(knocking, '192.0.2.9')!.total).toBe(18);
    expect(kit.types.filter((type) => type === 'insight.gap')).toHaveLength(1);
  });
});

describe('an entry that was hit', () => {
  it('is not selected before its hit is stored', async () => {
    expect(await notHit()).toContain('192.0.2.9');
    await kit.pass(10, () => kit.haproxy.deny('192.0.2.9'));
    expect(await notHit()).not.toContain('192.0.2.9');
  });

  it('only by connections that were closed under overload, matched', async () => {
    await kit.pass(20, () => kit.haproxy.reject('198.51.100.7'));
    expect(await notHit()).not.toContain('198.51.100.0/24');
    expect(await gaps()).toEqual([]);
    expect(knownAddress(kit.insight.state!.state.knocking, '198.51.100.7')).toBeUndefined();
    expect(kit.insight.state!.sources.lastMatch(1)).toBe(kit.seconds);
  });

  it('after a day counts all of its requests, which HAProxy counts from 0 again', async () => {
    await kit.pass(10, () => kit.haproxy.deny('192.0.2.9', 3));
    kit.haproxy.silent = true;
    kit.now = new Date(kit.now.getTime() + 25 * 3_600_000);
    kit.haproxy.expire('192.0.2.9');
    kit.haproxy.silent = false;
    await kit.pass(10);
    await kit.pass(10, () => kit.haproxy.deny('192.0.2.9', 5));
    expect(knownAddress(kit.insight.state!.state.knocking, '192.0.2.9')).toMatchObject({
      total: 8,
      lastHit: kit.seconds,
    });
  });

  it('matched each time, though HAProxy forgot the address and counts to the same value', async () => {
    for (let times = 1; times <= 3; times += 1) {
      await kit.pass(10, () => kit.haproxy.deny('192.0.2.9'));
      expect(knownAddress(kit.insight.state!.state.knocking, '192.0.2.9')).toMatchObject({
        total: times,
        lastHit: kit.seconds,
      });
      await kit.pass(240);
      kit.haproxy.expire('192.0.2.9');
    }
  });

  it('while only a worker that drains answered is found', async () => {
    await kit.insight.readNow();
    kit.haproxy.reload({ drains: true });
    await kit.pass(10);
    kit.haproxy.silentWorkers.add(kit.haproxy.current.pid);
    await kit.pass(200, (second) => {
      if (second === 10) kit.haproxy.deny('192.0.2.9');
    });
    kit.haproxy.silentWorkers.clear();
    await kit.pass(10);
    expect(await notHit()).not.toContain('192.0.2.9');
  });

  it('before a crash of the service, and is not stored yet, is found', async () => {
    await kit.pass(60);
    await kit.pass(20, () => kit.haproxy.deny('192.0.2.9'));
    kit.restart();
    await kit.pass(10);
    expect(kit.haproxy.readings.at(-1)).toEqual({ whole: false });
    expect(await notHit()).not.toContain('192.0.2.9');
    expect(knownAddress(kit.insight.state!.state.knocking, '192.0.2.9')!.total).toBe(2);
  });

  it('while HAProxy did not answer is found by a reading of the whole tables', async () => {
    kit.haproxy.silent = true;
    await kit.pass(300, (second) => {
      if (second === 100) kit.haproxy.deny('192.0.2.9');
    });
    kit.haproxy.silent = false;
    await kit.pass(20);
    expect(kit.haproxy.readings.slice(-2).map(({ whole }) => whole)).toEqual([true, false]);
    expect(await notHit()).not.toContain('192.0.2.9');
  });
});

describe('a period', () => {
  it('does not count as watched with more than 1 % of its denied requests not attributed', async () => {
    expect(await notHit()).toHaveLength(3);
    await kit.pass(70, () => kit.haproxy.deny('192.0.2.9', 1_000));
    await kit.pass(10, () => kit.haproxy.deny('203.0.113.1', 60));
    await kit.pass(70);
    expect(await notHit()).toHaveLength(2);
    expect(await insightServiceOf(kit, database).neverMatched()).toMatchObject({ watched_days: 90 });
    await kit.pass(10, () => kit.haproxy.deny('203.0.113.1', 20));
    await kit.pass(70);
    await expect(notHit()).rejects.toMatchObject({
      code: codes.NotWatched,
      message: expect.stringContaining('80 of 7080 denied requests of the last 90 days could not be attributed'),
    });
    expect(await insightServiceOf(kit, database).neverMatched()).toEqual({
      days: 90,
      count: null,
      old_enough: null,
      watched_days: 0,
    });
  });
});
