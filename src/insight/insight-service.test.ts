import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InsightKit } from '../../testkit/insight/insight-kit.ts';
import { insightServiceOf, notHitIn } from '../../testkit/insight/insight-service-of.ts';
import { block, StoreFolder, storesOf } from '../../testkit/store/store-folder.ts';
import { codes } from '../errors/catalogue.ts';
import { InsightStore } from '../store/insight-store.ts';
import type { Database } from '../store/open-database.ts';

const day = 86_400;
let folder: StoreFolder;
let database: Database;
let kit: InsightKit;

beforeEach(async () => {
  folder = new StoreFolder();
  database = await folder.open();
  await block(storesOf(database).store, '192.0.2.0/24', '192.0.2.9', '198.51.100.0/24');
  kit = new InsightKit(database);
});
afterEach(() => folder.remove());

const serviceOf = () => insightServiceOf(kit, database);

const blockedAt = async (text: string, daysAgo: number) => {
  const blocked_at = new Date(kit.now.getTime() - daysAgo * day * 1_000).toISOString();
  await database.write.updateTable('blocked_ips').set({ blocked_at }).where('ip_address', '=', text).execute();
};
const found = async (days: number) => await notHitIn(kit, database, days * day);

describe('entries that never matched', () => {
  it('are known only after as many watched days, and not while gaps are longer than one hundredth', async () => {
    await kit.watchedFor(89);
    const service = serviceOf();
    expect(await service.neverMatched()).toEqual({ days: 90, count: null, old_enough: null, watched_days: 89 });
    await expect(service.notHit(90 * day)).rejects.toMatchObject({
      code: codes.NotWatched,
      message: expect.stringContaining('89 days'),
    });
    expect(await service.notHit(30 * day)).toMatchObject({ since: kit.seconds - 30 * day });
    const gap = { from: kit.seconds - 20 * day, to: kit.seconds - 18 * day, cause: 'x' };
    await new InsightStore(database).addGap(gap);
    expect((await service.neverMatched()).watched_days).toBe(18);
    await expect(service.notHit(30 * day)).rejects.toMatchObject({ code: codes.NotWatched });
  });

  it('are those that were blocked all the time and not hit, and lose that with one hit', async () => {
    await kit.watchedFor(91);
    for (const text of ['192.0.2.0/24', '192.0.2.9']) await blockedAt(text, 100);
    await blockedAt('198.51.100.0/24', 1);
    expect(await found(90)).toEqual(['192.0.2.0/24', '192.0.2.9']);
    expect(await serviceOf().neverMatched()).toEqual({ days: 90, count: 2, old_enough: 2, watched_days: 90 });
    await kit.pass(70, (second) => {
      if (second === 10) kit.haproxy.deny('192.0.2.9');
    });
    expect(await found(90)).toEqual(['192.0.2.0/24']);
    expect(await serviceOf().neverMatched()).toMatchObject({ count: 1, old_enough: 2 });
  });

  it('cannot be counted while no entry is old enough', async () => {
    await kit.watchedFor(91);
    for (const text of ['192.0.2.0/24', '192.0.2.9', '198.51.100.0/24']) await blockedAt(text, 89);
    expect(await serviceOf().neverMatched()).toEqual({ days: 90, count: 0, old_enough: 0, watched_days: 90 });
  });
});

describe('the figures', () => {
  it('have the denied requests of each address in the last 24 hours, for the map', async () => {
    await kit.pass(130, (second) => {
      if (second % 60 === 10) kit.haproxy.deny('192.0.2.9', 2);
      if (second === 30) kit.haproxy.deny('203.0.113.1', 5);
    });
    const found: [string, number][] = [];
    expect(await serviceOf().deniedInDay((...one) => void found.push(one))).toBe(false);
    // Also of one that no entry covers.
    expect(found).toEqual([
      ['203.0.113.1', 5],
      ['192.0.2.9', 6],
    ]);
  });

  it('are null, not 0, where nothing is known, and sum up to the same by source', async () => {
    kit.haproxy.deny('192.0.2.10', 3);
    await kit.pass(130, () => kit.haproxy.deny('192.0.2.9', 2));
    const service = serviceOf();
    const all = await service.series({}, 3_600);
    expect(all.values[0]!.filter((value) => value !== null).length).toBeLessThan(5);
    expect(all.values[0]!.reduce<number>((sum, value) => sum + (value ?? 0), 0)).toBeGreaterThan(20);
    const bySource = await service.series({ by: 'source' }, 3_600);
    expect(bySource).toMatchObject({ labels: ['manual'], sampled: null });
    expect(bySource.values[0]).toEqual(all.values[0]);
    const { items } = await service.sourceEffects(3_600);
    expect(items).toMatchObject([{ source: 'manual', matched_30d: 2, share: 1 }]);
    expect(await service.summary(3_600)).toMatchObject({ addresses: 2, previous: { denied: null }, complete: false });
  });

  it('of addresses and candidates are null while HAProxy has no table of them', async () => {
    await kit.pass(60, () => kit.haproxy.deny('192.0.2.9', 2));
    kit.haproxy.counts = false;
    kit.haproxy.reload({ drains: false });
    await kit.pass(20);
    const unknown = { addresses: null, new_addresses: null, candidates: null };
    expect(await serviceOf().summary(3_600)).toMatchObject(unknown);
    expect(kit.insight.metrics(null)).toMatchObject({ knocking: null, candidates: null });
  });

  it('page the addresses by hits and by time without repetition', async () => {
    await kit.pass(10, () => {
      for (let n = 1; n <= 25; n += 1) kit.haproxy.deny(`192.0.2.${n}`, 1 + (n % 5));
    });
    for (const sort of ['hits', 'last_hit'] as const) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await serviceOf().knocking({ sort, limit: 7, ...(cursor !== undefined && { cursor }) }, day);
        seen.push(...page.items.map(({ ip_address }) => ip_address));
        expect(page.total).toBe(25);
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
      expect(new Set(seen).size).toBe(25);
      expect(seen).toHaveLength(25);
    }
    const { items } = await serviceOf().knocking({ limit: 5, entry: '192.0.2.9' }, day);
    expect(items).toMatchObject([{ ip_address: '192.0.2.9', entry: '192.0.2.9', source: 'manual', hits: 5 }]);
  });
});
