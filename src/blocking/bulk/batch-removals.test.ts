import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type BlockingKit, caller, entryOf, toBlock } from '../../../testkit/blocking.ts';
import { openScriptedBlocking } from '../../../testkit/scripted-blocking.ts';
import { StoreError } from '../../store/store-error.ts';
import type { BulkItem } from '../blocked-set-service.ts';

let kit: BlockingKit;
let close: () => Promise<void>;
beforeEach(async () => {
  ({ kit, close } = await openScriptedBlocking());
  await kit.reconciler.check(true);
});
afterEach(() => close());

const batch = (add: readonly string[], remove: readonly string[]) =>
  kit.blockedSet.batch(
    {
      add: add.map((text, index) => ({ index, request: toBlock(text) })),
      remove: remove.map((text, index) => ({ index, entry: entryOf(text) })),
      rejected: [],
    },
    caller(),
  );

it('names each address without an entry once, and no removed one', async () => {
  await batch(['192.0.2.1', '192.0.2.2'], []);
  const remove = ['192.0.2.1', '192.0.2.8', '192.0.2.2', '192.0.2.9', '192.0.2.1', '192.0.2.9'];
  expect(await batch([], remove)).toMatchObject({ removed: 2, not_blocked: ['192.0.2.8', '192.0.2.9'] });
});

it('names none that lost a claim or that another source claims', async () => {
  const { blockedSet } = kit;
  const list = async function* (): AsyncGenerator<readonly BulkItem[]> {
    yield ['192.0.2.2', '192.0.2.3'].map((text) => ({ ok: true, request: toBlock(text) }) as const);
  };
  await blockedSet.replaceAll(list(), { allowShrink: false, source: 'drop' }, caller());
  await batch(['192.0.2.1', '192.0.2.2'], []);
  expect(await batch([], ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.9', '192.0.2.2'])).toMatchObject({
    removed: 1,
    still_claimed_total: 1,
    not_blocked: ['192.0.2.9'],
  });
});

it('has an empty list if all were removed, and none if nothing was to be', async () => {
  expect(await batch(['192.0.2.1'], [])).not.toHaveProperty('not_blocked');
  expect(await batch(['192.0.2.2'], ['192.0.2.1'])).toMatchObject({ removed: 1, not_blocked: [] });
});

it('only counts them above the limit for single removals', async () => {
  vi.spyOn(kit.strategy, 'perGroup').mockReturnValue(2);
  await batch(['192.0.2.1', '192.0.2.2'], []);
  const answer = await batch([], ['192.0.2.1', '192.0.2.2', '192.0.2.3']);
  expect(answer).toMatchObject({ removed: 2, unchanged: 1 });
  expect(answer).not.toHaveProperty('not_blocked');
});

it('reports what is stored if the database fails before the covering networks are read', async () => {
  await batch(['192.0.2.1', '192.0.2.2', '192.0.2.3'], []);
  const failure = new StoreError('io', 'the database cannot be used: disk I/O error');
  vi.spyOn(kit.store, 'coveredAmong').mockRejectedValue(failure);
  await expect(batch(['192.0.2.9'], ['192.0.2.1', '192.0.2.2'])).rejects.toMatchObject({
    code: 6003,
    detail: failure.message,
    retryAfterSeconds: 5,
    members: { committed: { added: 1, updated: 0, removed: 2 } },
  });
  vi.spyOn(kit.store, 'coveringOf').mockRejectedValue(failure);
  await expect(kit.blockedSet.unblock(entryOf('192.0.2.3'), caller())).rejects.toMatchObject({
    code: 6003,
    members: { committed: { added: 0, updated: 0, removed: 1 } },
  });
  expect(await kit.store.presentOf(['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.9'])).toEqual(
    new Set(['192.0.2.9']),
  );
});
