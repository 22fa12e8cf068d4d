import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { caller, toBlock } from '../../testkit/blocking.ts';
import { type BulkChanges, openBulkChanges, smallSlice, texts } from '../../testkit/bulk-changes.ts';
import { codes } from '../errors/catalogue.ts';
import { BulkStore } from '../store/bulk-store.ts';
import { ClaimSearch } from '../store/claim-search.ts';
import type { BulkItem, EntryQuery } from './blocked-set-service.ts';
import type { BulkUnblockRequest } from './bulk-unblock.ts';

let changes: BulkChanges;
beforeEach(async () => {
  changes = await openBulkChanges();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await changes.close();
});

const fail2ban = () => ({ ...caller(), keyName: 'fail2ban', boundTo: 'fail2ban' });
const block = (text: string, reason: string, source?: string) =>
  changes.kit.blockedSet.block(toBlock(text, { reason, source }), caller());
const unblock = (request: Partial<BulkUnblockRequest>, by = caller()) =>
  changes.kit.bulkUnblock.unblock({ expect: null, dryRun: false, ...request }, by);
const many = (addresses: readonly string[], source?: string) => {
  const list = async function* (): AsyncIterable<readonly BulkItem[]> {
    yield addresses.map((text) => ({ ok: true, request: toBlock(text, { expiry: { kind: 'keep' } }) }) as const);
  };
  return changes.kit.blockedSet.replaceAll(list(), { allowShrink: true, source }, caller());
};

describe('a bulk unblock', () => {
  beforeEach(async () => {
    await block('192.0.2.1', 'scan', 'fail2ban');
    await block('192.0.2.2', 'spam', 'fail2ban');
    await block('192.0.2.3', 'scan');
    await many(['192.0.2.2', '192.0.2.4'], 'drop');
  });

  it('drops the claims of a source, and counts what others keep blocked', async () => {
    const dry = await unblock({ source: 'fail2ban', dryRun: true });
    expect(dry).toMatchObject({ removed: 1, still_claimed_total: 1, dry_run: true, current_total: 4 });
    await changes.everywhere(['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']);
    const done = await unblock({ source: 'fail2ban', expect: 2 });
    expect(done).toMatchObject({ removed: 1, still_claimed_total: 1, runtime_map_updated: true });
    await changes.everywhere(['192.0.2.2', '192.0.2.3', '192.0.2.4']);
  });

  it('drops claims to the selected entries only', async () => {
    await block('198.51.100.0/24', 'scan');
    await block('2001:db8::/32', 'scan');
    const count = async (entries: EntryQuery) => (await unblock({ reason: 'scan', entries, dryRun: true })).removed;
    expect(await count({})).toBe(4);
    expect(await count({ family: 6 })).toBe(1);
    expect(await count({ widerThan: 32 })).toBe(1);
    expect(await count({ widerThan: 33 })).toBe(4);
    expect(await count({ family: 4, widerThan: 25 })).toBe(1);
    expect(await count({ blockedSince: new Date(Date.now() + 60_000) })).toBe(0);
    expect(await count({ blockedSince: new Date(Date.now() - 60_000) })).toBe(4);
    await unblock({ entries: { widerThan: 25 }, expect: 1 });
    await changes.everywhere(['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '2001:db8::/32']);
  });

  it('without a source drops the claims of operators and agents with that reason', async () => {
    expect(await unblock({ reason: 'scan', expect: 2 })).toMatchObject({ removed: 2, unchanged: 0 });
    await changes.everywhere(['192.0.2.2', '192.0.2.4']);
  });

  it('changes nothing if the count is another one, and says which', async () => {
    const failed = unblock({ source: 'fail2ban', expect: 1 });
    await expect(failed).rejects.toMatchObject({ code: codes.CountMismatch, status: 409, members: { count: 2 } });
    await changes.everywhere(['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']);
    expect(await unblock({ source: 'fail2ban', expect: 2 })).toMatchObject({ removed: 1 });
  });

  it('does not change a list, nor the claims of a source to which the key is not bound', async () => {
    await expect(unblock({ source: 'drop', expect: 2 })).rejects.toMatchObject({ code: codes.ClaimedByList });
    await expect(unblock({ source: 'manual', expect: 1 }, fail2ban())).rejects.toMatchObject({ code: codes.Forbidden });
    await expect(unblock({ source: 'unknown', expect: 1 })).rejects.toMatchObject({ code: codes.NotFound });
    expect(await unblock({ reason: 'scan', expect: 1 }, fail2ban())).toMatchObject({ removed: 1 });
    await changes.everywhere(['192.0.2.2', '192.0.2.3', '192.0.2.4']);
  });
});

it('keeps what is blocked again while the entries are read, and between the slices', async () => {
  const all = texts(2_000);
  await many(all);
  const { slice } = ClaimSearch.prototype;
  vi.spyOn(ClaimSearch.prototype, 'slice').mockImplementation(async function (this: ClaimSearch, ...args) {
    const found = await slice.apply(this, args);
    await block(all[3]!, 'again');
    return found;
  });
  let applied = 0;
  vi.spyOn(BulkStore.prototype, 'applySlice').mockImplementation(async function (this: BulkStore, ...args) {
    if (applied++ === 1) void block(all.at(-1)!, 'again');
    return await smallSlice.apply(this, args);
  });
  const done = await unblock({ source: 'manual', expect: 2_000 });
  expect(applied).toBeGreaterThan(4);
  expect(done).toMatchObject({ removed: 1_998, unchanged: 2, runtime_map_updated: true });
  await changes.everywhere([all[3]!, all.at(-1)!]);
});
