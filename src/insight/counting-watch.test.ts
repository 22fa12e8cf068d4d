// What the configuration does not count is reported once, and its end too.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { InsightKit } from '../../testkit/insight/insight-kit.ts';
import { StoreFolder } from '../../testkit/store/store-folder.ts';
import type { Database } from '../store/open-database.ts';
import { SeriesStore } from '../store/series-store.ts';
import { CountingWatch, notCountedText } from './counting-watch.ts';

const incomplete = ['counting.incomplete', { missing: ['pm_denied'] }];
const complete = ['counting.complete', {}];
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

const reported = () => kit.facts.filter(([type]) => type.startsWith('counting.'));
const reload = (counts: boolean): void => {
  kit.haproxy.counts = counts;
  kit.haproxy.reload({ drains: false });
};

it('a configuration that counts is not reported', async () => {
  await kit.pass(60);
  kit.restart();
  await kit.pass(20);
  expect(reported()).toEqual([]);
  expect(kit.insight.notices()).toEqual([]);
});

it('one that does not count is reported until another one does', async () => {
  reload(false);
  await kit.pass(60);
  expect(reported()).toEqual([incomplete]);
  expect(kit.insight.notices()).toEqual([expect.stringContaining('lacks pm_denied, so denied requests')]);
  reload(true);
  await kit.pass(20);
  expect(reported()).toEqual([incomplete, complete]);
  expect(kit.insight.notices()).toEqual([]);
});

it('only the current worker decides', async () => {
  reload(false);
  kit.haproxy.counts = true;
  kit.haproxy.reload({ drains: true });
  await kit.pass(20);
  expect(reported()).toEqual([]);
});

it('is reported once through restarts of the service, and its end too', async () => {
  reload(false);
  await kit.pass(20);
  kit.restart();
  kit.haproxy.silent = true;
  await kit.pass(10);
  expect(kit.insight.notices()).toEqual([]);
  kit.haproxy.silent = false;
  await kit.pass(20);
  expect(kit.insight.notices()).toHaveLength(1);
  expect(reported()).toEqual([incomplete]);
  kit.restart();
  reload(true);
  await kit.pass(20);
  expect(reported()).toEqual([incomplete, complete]);
});

it('is reported again if the service may have crashed before it was', async () => {
  const write = SeriesStore.prototype.write;
  vi.spyOn(SeriesStore.prototype, 'write').mockImplementation(async function (this: SeriesStore, slice) {
    const { counting } = slice.states as { counting?: { emitted: boolean } };
    if (counting?.emitted === true) throw new Error('disk full');
    await write.call(this, slice);
  });
  reload(false);
  await kit.pass(10);
  vi.restoreAllMocks();
  kit.restart();
  await kit.pass(20);
  expect(reported()).toEqual([incomplete, incomplete]);
});

it('ends when nothing is to be counted any more', async () => {
  reload(false);
  await kit.pass(20);
  const emit = vi.fn();
  const deps = { series: new SeriesStore(database), emit };
  for (let times = 0; times < 2; times += 1) await (await CountingWatch.load(deps)).end();
  expect(emit.mock.calls).toEqual([complete]);
});

it('says what is not known', () => {
  expect(notCountedText([])).toBeNull();
  expect(notCountedText(['pm_clients'])).toContain('lacks pm_clients, so there are no candidates (');
  expect(notCountedText(['pm_denied', 'pm_clients'])).toContain(
    'lacks pm_denied and pm_clients, so denied requests are known only as a sum, and there are no candidates (',
  );
});
