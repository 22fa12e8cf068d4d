// Which sources denied requests, also while the database fails.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { InsightKit } from '../../testkit/insight/insight-kit.ts';
import { block, StoreFolder, storesOf } from '../../testkit/store/store-folder.ts';
import { EntryLookup } from '../store/entry-lookup.ts';

const day = 86_400;
const broken = new Error('disk I/O error');
const none = { sources: new Set<number>(), further: [] };
let folder: StoreFolder;
let kit: InsightKit;

beforeEach(async () => {
  folder = new StoreFolder();
  const database = await folder.open();
  await block(storesOf(database).store, '192.0.2.9');
  kit = new InsightKit(database);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await folder.remove();
});

const sources = () => kit.insight.state!.sources;
const last = () => [1, 2].map((source) => sources().lastMatch(source));

it('that can be looked up only later are known then, and that of the entry at once', async () => {
  await kit.pass(10);
  const lookup = vi.spyOn(EntryLookup.prototype, 'sourcesOf').mockRejectedValueOnce(broken);
  const first = { at: 100, sources: new Set([1]), further: ['192.0.2.9'] };
  await expect(sources().matched(first)).rejects.toBe(broken);
  expect(last()).toEqual([100, null]);
  lookup.mockResolvedValueOnce(new Set([1, 2]));
  await sources().matched({ at: 110, ...none });
  expect(lookup).toHaveBeenLastCalledWith(['192.0.2.9']);
  expect(last()).toEqual([110, 110]);
  await sources().matched({ at: 120, ...none });
  expect(lookup).toHaveBeenCalledTimes(2);
});

it('that cannot be looked up are not reported as of no use', async () => {
  await kit.watchedFor(31);
  kit.sources = [{ id: 2, name: 'feed:dead', kind: 'list', createdAt: kit.seconds - 40 * day, claims: 9 }];
  const lookup = vi.spyOn(EntryLookup.prototype, 'sourcesOf').mockRejectedValue(broken);
  const match = { at: kit.seconds, sources: new Set<number>(), further: ['192.0.2.9'] };
  await expect(sources().matched(match)).rejects.toBe(broken);
  await sources().judge(kit.seconds);
  lookup.mockResolvedValueOnce(new Set([2]));
  await sources().matched({ at: kit.seconds, ...none });
  await sources().judge(kit.seconds);
  expect(kit.types).toEqual([]);
});

it('of more entries than can wait are a gap', async () => {
  await kit.pass(10);
  vi.spyOn(EntryLookup.prototype, 'sourcesOf').mockRejectedValue(broken);
  const further = Array.from(
    { length: 60_000 },
    (_, index) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
  );
  const more = further.map((entry) => entry.replace('10.', '11.'));
  const { seconds } = kit;
  for (const [at, entries] of [
    [seconds - 20, further],
    [seconds, more],
  ] as const)
    await expect(sources().matched({ at, sources: new Set(), further: entries })).rejects.toBe(broken);
  const gaps = await kit.insight.state!.watched.gaps(0, seconds);
  expect(gaps).toEqual([
    { from: seconds - 20, to: seconds, cause: 'the database failed: denied requests could not be attributed' },
  ]);
});

it('that cannot be looked up keep no attack from being reported', async () => {
  await kit.pass(1_200, () => kit.haproxy.deny('192.0.2.9', 2));
  vi.spyOn(sources(), 'matched').mockRejectedValue(broken);
  await kit.pass(250, () => kit.haproxy.deny('192.0.2.9', 60));
  expect(kit.types).toEqual(['attack.started']);
  expect(kit.logged).toEqual([
    ['Could not look up the sources of denied requests', { cause: expect.stringContaining('disk I/O error') }],
  ]);
});
