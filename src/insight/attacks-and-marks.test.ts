import { afterEach, beforeEach, expect, it } from 'vitest';
import { InsightKit } from '../../testkit/insight/insight-kit.ts';
import { insightServiceOf } from '../../testkit/insight/insight-service-of.ts';
import { block, entry, StoreFolder, storesOf } from '../../testkit/store/store-folder.ts';
import { codes } from '../errors/catalogue.ts';
import { InsightStore } from '../store/insight-store.ts';
import type { Database } from '../store/open-database.ts';

let folder: StoreFolder;
let database: Database;
let kit: InsightKit;

beforeEach(async () => {
  folder = new StoreFolder();
  database = await folder.open();
  await block(storesOf(database).store, '192.0.2.0/24', '192.0.2.9');
  kit = new InsightKit(database);
});
afterEach(() => folder.remove());

const imported = (added: number): void => {
  const report = { runtime_map_updated: true, runtime_map_failures: [], runtime_map_failures_total: 0 };
  const subject = { added, updated: 0, removed: 0, unchanged: 0, rejected_total: 0 };
  const caller = { keyName: 'ops', requestId: 'r' };
  const data = { operation: 'replace' as const, caller, subject, report: { ...report, reload_scheduled: false } };
  kit.insight.marks.listener({ type: 'operation.done', data });
};

const deny = (perRound: number) => () => {
  kit.haproxy.deny('192.0.2.9', perRound);
  kit.haproxy.deny('192.0.2.10', 1);
};

it('an attack is shown by minute, with the time around it and the entries that denied it', async () => {
  await kit.pass(900, deny(1));
  await kit.pass(240, deny(59));
  const service = insightServiceOf(kit, database);
  const { id } = (await service.summary(3_600)).attack!;
  const open = await service.attack(id);
  expect(open).toMatchObject({ ended_at: null, usual: 12, peak: 360, step_seconds: 60, complete: true });
  expect(open.sampled).toEqual({ one_in: 16 });
  expect(open.entries).toMatchObject([
    { entry: '192.0.2.9', source: 'manual' },
    { entry: '192.0.2.0/24', source: 'manual' },
  ]);
  expect(open.values.filter((value) => value === 360).length).toBeGreaterThanOrEqual(2);
  const secondsUntil = (time: string, from: string): number => (Date.parse(time) - Date.parse(from)) / 1_000;
  expect(secondsUntil(open.started_at, open.from)).toBe(600);
  expect(open.values.slice(0, 10)).toEqual(new Array(10).fill(12));
  // Not into the future.
  expect(open.values).toHaveLength(Math.floor(secondsUntil(kit.now.toISOString(), open.from) / 60) + 1);
  await storesOf(database).store.applyGroup([{ op: 'remove', entry: entry('192.0.2.9') }], kit.now, () => undefined);
  expect((await service.attack(id)).entries[0]).toMatchObject({ entry: '192.0.2.9', source: null });
  await kit.pass(1_800);
  const ended = await service.attack(id);
  expect(ended).toMatchObject({ from: open.from, complete: true });
  expect(ended.values).toHaveLength(Math.floor(secondsUntil(ended.ended_at ?? '', ended.from) / 60) + 11);
  // A chart that begins in an attack shades it too.
  const { started_at: begin, ended_at: end } = await service.attack(id);
  const mark = { kind: 'attack', at: begin, ended_at: end };
  const secondsSince = (time: string): number => Math.ceil((kit.now.getTime() - Date.parse(time)) / 1_000);
  expect((await service.series({}, 3_600)).marks).toContainEqual(expect.objectContaining(mark));
  expect((await service.series({}, secondsSince(end ?? '') + 120)).marks).toContainEqual(expect.objectContaining(mark));
  // Also if more than 200 other marks are newer.
  for (let n = 0; n < 201; n += 1) imported(5_000);
  await kit.pass(120);
  const { marks } = await service.series({}, 3_600);
  expect(marks.map(({ kind }) => kind)).toEqual(['attack', ...Array.from({ length: 200 }, () => 'import')]);
  await expect(service.attack(id + 1)).rejects.toMatchObject({ code: codes.NotFound });
});

it('charts name starts of the service, large imports, attacks and gaps, also of earlier runs', async () => {
  kit.insight.marks.started();
  await kit.pass(30);
  for (const added of [99, 5_000]) imported(added);
  await kit.pass(120);
  await new InsightStore(database).addGap({ from: kit.seconds - 20, to: kit.seconds - 10, cause: 'a reason' });
  kit.restart();
  await kit.pass(10);
  const { marks } = await insightServiceOf(kit, database).series({}, 3_600);
  expect(marks.map(({ kind, text }) => [kind, text])).toEqual([
    ['start', 'The service started'],
    ['import', 'Import: 5,000 blocked, 0 unblocked'],
    ['gap', 'Gap: the service was stopped'],
    ['gap', 'Gap: a reason'],
  ]);
});
