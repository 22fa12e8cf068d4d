import { afterEach, beforeEach, expect, it } from 'vitest';
import { InsightKit } from '../../testkit/insight/insight-kit.ts';
import { insightServiceOf } from '../../testkit/insight/insight-service-of.ts';
import { block, StoreFolder, storesOf } from '../../testkit/store/store-folder.ts';
import { InsightStore } from '../store/insight-store.ts';
import type { Database } from '../store/open-database.ts';

const day = 86_400;
let folder: StoreFolder;
let database: Database;
let kit: InsightKit;

beforeEach(async () => {
  folder = new StoreFolder();
  database = await folder.open();
  await block(storesOf(database).store, '192.0.2.0/24', '192.0.2.9', '198.51.100.7');
  kit = new InsightKit(database);
});
afterEach(() => folder.remove());

const hitsOf = async (text: string, blockedDaysAgo: number, spark = false) => {
  const blocked_at = new Date(kit.now.getTime() - blockedDaysAgo * day * 1_000).toISOString();
  const [hits] = await insightServiceOf(kit, database).hitsOf([{ ip_address: text, blocked_at }], spark);
  return hits;
};

it('of an entry are what its addresses were denied, at once and after a restart', async () => {
  await kit.pass(20, () => {
    kit.haproxy.deny('192.0.2.10', 2);
    kit.haproxy.deny('192.0.2.11');
    kit.haproxy.deny('192.0.2.9');
  });
  const last_hit = kit.now.toISOString();
  expect(await hitsOf('192.0.2.0/24', 1)).toMatchObject({ last_24h: 6, total: 6, last_hit });
  await kit.pass(70);
  kit.restart();
  await kit.pass(10);
  const known = { last_24h: 6, last_30d: 6, total: 6, last_hit };
  expect(await hitsOf('192.0.2.0/24', 1, true)).toMatchObject({ ...known, spark: [...new Array(23).fill(0), 6] });
  expect(await hitsOf('192.0.2.9', 1, true)).toMatchObject({ last_24h: 2, spark: [...new Array(23).fill(0), 2] });
  expect(await hitsOf('192.0.2.9', 0)).toMatchObject({ last_hit: null });
});

it('are null, not 0, unless all of the time was watched', async () => {
  await kit.pass(10);
  const nothing = { first_hit: null, last_hit: null };
  expect(await hitsOf('198.51.100.7', 2, true)).toEqual({
    ...{ last_24h: null, last_30d: null, total: null, spark: null },
    ...nothing,
  });
  await kit.watchedFor(2);
  expect(await hitsOf('198.51.100.7', 2)).toEqual({ last_24h: 0, last_30d: null, total: null, ...nothing });
  await kit.watchedFor(31);
  expect(await hitsOf('198.51.100.7', 2)).toEqual({ last_24h: 0, last_30d: 0, total: 0, ...nothing });
  expect(await hitsOf('198.51.100.7', 99)).toMatchObject({ last_30d: 0, total: null });
});

it('of a block within the last day are null if a gap hides a part of that day, although a month hardly misses it', async () => {
  await kit.watchedFor(31);
  await new InsightStore(database).addGap({ from: kit.seconds - 3 * 3_600, to: kit.seconds - 2 * 3_600, cause: 'x' });
  expect(await hitsOf('198.51.100.7', 0.5)).toMatchObject({
    last_24h: null,
    last_30d: null,
    total: null,
    last_hit: null,
  });
  expect(await hitsOf('198.51.100.7', 2)).toMatchObject({ last_24h: null, last_30d: 0, total: 0 });
});

it('of 30 days are not known if the first one is longer ago, and 0 if the last one is', async () => {
  kit.haproxy.deny('192.0.2.9');
  await kit.watchedFor(1);
  kit.now = new Date(kit.now.getTime() + 31 * day * 1_000);
  kit.haproxy.expire('192.0.2.9');
  await kit.pass(70);
  expect(await hitsOf('192.0.2.9', 99)).toMatchObject({ total: 1, last_30d: 0, last_24h: null });
  await kit.pass(10, () => kit.haproxy.deny('192.0.2.9'));
  expect(await hitsOf('192.0.2.9', 99)).toMatchObject({ last_24h: 1, last_30d: null });
});

it('of a new entry leave out what another one denied to its address', async () => {
  await kit.pass(10, () => kit.haproxy.deny('192.0.2.10', 10));
  await block(storesOf(database).store, '192.0.2.10');
  const blocked_at = kit.now.toISOString();
  const hits = async () =>
    (await insightServiceOf(kit, database).hitsOf([{ ip_address: '192.0.2.10', blocked_at }], true))[0];
  expect(await hits()).toMatchObject({ last_24h: null, total: null });
  await kit.pass(10, () => kit.haproxy.deny('192.0.2.10'));
  const last_hit = kit.now.toISOString();
  expect(await hits()).toMatchObject({ last_24h: 1, last_30d: 1, total: 1, last_hit });
  await kit.pass(70);
  expect(await hits()).toMatchObject({ last_24h: 1, total: 1, first_hit: last_hit, last_hit });
});

it('that an earlier block of the same address has as well are not known', async () => {
  await kit.pass(80, () => kit.haproxy.deny('192.0.2.9'));
  const known = await hitsOf('192.0.2.9', 2);
  expect(known).toMatchObject({ total: 8, first_hit: expect.any(String) });
  const blocked_at = new Date(kit.now.getTime() - 15_000).toISOString();
  const [again] = await insightServiceOf(kit, database).hitsOf([{ ip_address: '192.0.2.9', blocked_at }], false);
  expect(again).toMatchObject({ last_24h: null, total: null, first_hit: null, last_hit: known!.last_hit });
});
