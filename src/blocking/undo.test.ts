import { cpSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { caller, entryOf, openBlocking, toBlock } from '../../testkit/blocking.ts';
import { type BulkChanges, openBulkChanges, smallSlice, texts } from '../../testkit/bulk-changes.ts';
import { longTests } from '../../testkit/proxies.ts';
import type { UndoAnswer } from '../api/undo.ts';
import { entryOfSortKey } from '../domain/ip.ts';
import { codes } from '../errors/catalogue.ts';
import { AuditStore } from '../store/audit-store.ts';
import { BulkStore } from '../store/bulk-store.ts';
import { ClaimsStore } from '../store/claims-store.ts';
import { StoreError } from '../store/store-error.ts';
import { UndoRecords } from '../store/undo-records.ts';
import type { BulkItem, Expiry, ReplaceOptions } from './blocked-set-service.ts';

const noon = Date.parse('2026-11-20T12:00:00.000Z');
const hour = 3_600_000;
const ip = '192.0.2.1';

const originals = { applySlice: BulkStore.prototype.applySlice };

let changes: BulkChanges;
let clock: number;
let rows: number[];
beforeEach(async () => {
  clock = noon;
  rows = [];
  changes = await openBulkChanges({ now: () => new Date(clock) });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await changes.close();
});

const by = (boundTo?: string) => ({
  ...caller(),
  keyName: boundTo ?? 'ann',
  ...(boundTo !== undefined && { boundTo }),
  audited: (row: number) => void rows.push(row),
});
/** The id of its entry in the audit log. */
async function idOf(work: () => Promise<unknown>): Promise<number> {
  rows = [];
  await work();
  return rows.at(-1)!;
}
const until = (hours: number): Expiry => ({ kind: 'at', at: new Date(noon + hours * hour) });
const block = (text: string, more: object = {}) => changes.kit.blockedSet.block(toBlock(text, more), by());
const unblock = async (text: string, source?: string) =>
  (await changes.kit.blockedSet.unblock(entryOf(text), by(), { source })).answer;
async function* listOf(addresses: readonly string[]): AsyncGenerator<readonly BulkItem[]> {
  yield addresses.map((text) => ({ ok: true, request: toBlock(text, { expiry: { kind: 'keep' } }) }) as const);
}
const put = (addresses: readonly string[], options: Partial<ReplaceOptions> = {}) =>
  changes.kit.blockedSet.replaceAll(listOf(addresses), { allowShrink: true, ...options }, by());
const batch = (add: readonly string[], remove: readonly string[], source?: string) =>
  changes.kit.blockedSet.batch(
    {
      add: add.map((text, index) => ({ index, request: toBlock(text, { expiry: { kind: 'keep' }, reason: 'batch' }) })),
      remove: remove.map((text, index) => ({ index, entry: entryOf(text) })),
      rejected: [],
    },
    by(),
    { source },
  );
const bare = (text: string) => toBlock(text, { expiry: { kind: 'keep' } });
const undo = (id: number, dryRun = false, key = by()) => changes.kit.undo.undo(id, { dryRun }, key);

/** `192.0.2.1 2`: what the source 2 says about it. */
async function claims(): Promise<Map<string, { reason: string | null; end: string | null; claimedAt: string }>> {
  const { read } = changes.kit.database;
  const carried = await read.selectFrom('blocked_ips').selectAll().execute();
  const further = await read.selectFrom('claims').selectAll().execute();
  expect(carried.reduce((sum, { others }) => sum + others, 0)).toBe(further.length);
  return new Map([
    ...carried.map(
      (row) =>
        [
          `${row.ip_address} ${row.source}`,
          { reason: row.reason, end: row.expires_at, claimedAt: row.claimed_at ?? row.blocked_at },
        ] as const,
    ),
    ...further.map(
      (row) =>
        [
          `${entryOfSortKey(row.sort_key, 0).text} ${row.source}`,
          { reason: row.reason, end: row.expires_at, claimedAt: row.claimed_at },
        ] as const,
    ),
  ]);
}

describe('the audit log', () => {
  const read = async (id: number) => (await new AuditStore(changes.kit.database).get(id))?.details;

  it('names the source of a block and its former claim, whatever the entry shows', async () => {
    expect(await read(await idOf(() => block(ip, { reason: 'scan' })))).toMatchObject({
      created: true,
      reason: 'scan',
      source: 'manual',
      claimed_at: '2026-11-20T12:00:00.000Z',
    });
    const ban = (reason: string) => idOf(() => block(ip, { reason, source: 'fail2ban', expiry: until(1) }));
    const first = await ban('ban');
    expect(await read(first)).toMatchObject({ created: false, reason: 'ban', source: 'fail2ban' });
    expect(await read(first)).not.toHaveProperty('was');
    expect(await read(await ban('again'))).toMatchObject({ reason: 'again', was: { reason: 'ban' } });
    expect(await read(await ban('again'))).toMatchObject({ source: 'fail2ban' });
  });

  it('names the claims that an unblock dropped, the first twenty', async () => {
    await block(ip, { reason: 'scan' });
    for (let jail = 0; jail < 20; jail++) await block(ip, { source: `jail-${jail}` });
    expect(await read(await idOf(() => unblock(ip, 'jail-3')))).toMatchObject({
      source: 'jail-3',
      dropped: [{ source: 'jail-3', blocked_by: 'ann', expires_at: null }],
    });
    await block(ip, { source: 'jail-3' });
    const id = await idOf(() => unblock(ip));
    expect(await read(id)).toMatchObject({ reason: 'scan', dropped_total: 21 });
    expect((await read(id))?.['dropped']).toHaveLength(20);
    expect(await read(await idOf(() => batch([ip, '192.0.2.2'], [], 'jail-3')))).toMatchObject({ source: 'jail-3' });
  });
});

describe('the undo', () => {
  it('of an unblock that dropped more claims than its audit row names restores all of them', async () => {
    await block(ip, { reason: 'scan' });
    for (let jail = 0; jail < 25; jail++) await block(ip, { source: `jail-${jail}`, reason: `ban ${jail}` });
    const before = await claims();
    const id = await idOf(() => unblock(ip));
    expect((await claims()).size).toBe(0);
    expect(await undo(id)).toMatchObject({ added: 1, updated: 25 });
    const reasons = (all: typeof before) => [...all].map(([claim, { reason }]) => `${claim}: ${reason}`).sort();
    expect(reasons(await claims())).toEqual(reasons(before));
    await changes.kit.database.write.deleteFrom('undo_changes').execute();
    await expect(undo(id)).rejects.toMatchObject({
      code: codes.CannotUndo,
      detail: expect.stringContaining('of operations on several addresses or many claims it is kept for 30 days'),
    });
  });

  it('of an unblock blocks again, with reason, author, source and end as before', async () => {
    await block(ip, { reason: 'scan', blockedBy: 'bob', expiry: until(5) });
    await block(ip, { reason: 'ban', source: 'fail2ban', expiry: until(2) });
    const id = await idOf(() => unblock(ip));
    await changes.everywhere([]);
    clock += hour;
    const plan = await undo(id, true);
    expect(plan).toMatchObject({
      dry_run: true,
      added: 1,
      updated: 1,
      undoes: { id, operation: 'unblock', key: 'ann' },
    });
    expect(plan.first).toMatchObject([
      { ip_address: ip, source: 'manual', action: 'restore', expires_at: '2026-11-20T17:00:00.000Z' },
      { ip_address: ip, source: 'fail2ban', action: 'restore', expires_at: '2026-11-20T14:00:00.000Z' },
    ]);
    await changes.everywhere([]);
    expect(await undo(id)).toMatchObject({ added: 1, updated: 1, runtime_map_updated: true });
    await changes.everywhere([ip]);
    const { blocked_by, reason, claims: all } = await changes.kit.blockedSet.get(entryOf(ip));
    expect({ blocked_by, reason }).toEqual({ blocked_by: 'bob', reason: 'scan' });
    expect(all?.map(({ source }) => source)).toEqual(['manual', 'fail2ban']);
    expect(await undo(id)).toMatchObject({ added: 0, updated: 0, unchanged: 2 });
  });

  it('does not restore a claim that would have ended', async () => {
    await block(ip, { expiry: until(1) });
    const id = await idOf(() => unblock(ip));
    clock += 2 * hour;
    expect(await undo(id)).toMatchObject({ added: 0, unchanged: 1 });
    await changes.everywhere([]);
  });

  it('of a block that ended and is not removed yet reads from the workers that it is gone', async () => {
    const id = await idOf(() => block(ip, { expiry: until(1), source: 'fail2ban' }));
    const inLists = await idOf(() => batch([ip], []));
    await undo(inLists);
    clock += 2 * hour;
    await changes.everywhere([ip]);
    expect(await undo(id, true)).toMatchObject({ removed: 1, unchanged: 0 });
    expect(await undo(id)).toMatchObject({ removed: 1, unchanged: 0, runtime_map_updated: true });
    await changes.everywhere([]);
    expect(await undo(id)).toMatchObject({ removed: 0, unchanged: 1 });
  });

  it('of a block leaves what another source claims, and restores what the source said before', async () => {
    await put([ip], { source: 'drop' });
    await block(ip, { reason: 'first', expiry: until(9) });
    const id = await idOf(() => block(ip, { reason: 'second' }));
    expect((await undo(id, true)).first).toMatchObject([{ action: 'change', expires_at: '2026-11-20T21:00:00.000Z' }]);
    const again = await idOf(() => undo(id));
    expect((await claims()).get(`${ip} 1`)).toMatchObject({ reason: 'first', end: '2026-11-20T21:00:00.000Z' });
    await undo(again);
    expect((await claims()).get(`${ip} 1`)).toMatchObject({ reason: 'second', end: null });
    await unblock(ip);
    await changes.everywhere([ip]);
  });

  it('is refused if a claim was changed since, and names its address', async () => {
    const id = await idOf(() => batch([ip, '192.0.2.2'], []));
    await block('192.0.2.2', { reason: 'mine now' });
    const members = { changed_since: ['192.0.2.2'], changed_since_total: 1 };
    for (const dryRun of [true, false])
      await expect(undo(id, dryRun)).rejects.toMatchObject({ code: codes.CannotUndo, status: 409, members });
    await changes.everywhere([ip, '192.0.2.2']);
  });

  it('is refused if it would block an address inside an upstream again, but changes one that is blocked', async () => {
    await block(ip);
    const extended = await idOf(() => block(ip, { expiry: until(5) }));
    await put([ip, '192.0.2.9']);
    const dropped = await idOf(() => batch(['198.51.100.1'], ['192.0.2.9']));
    const networks = [entryOf('192.0.2.0/24')];
    changes.kit.upstreams.entries.replaceAll([{ name: 'lb', networks }]);
    const refused = {
      code: codes.InsideUpstream,
      op: 'undo',
      members: { upstream: 'lb' },
      detail: expect.stringMatching(/^it would block 192\.0\.2\.9 again, .*upstream lb, .*; nothing was changed$/),
    };
    await expect(undo(dropped, true)).rejects.toMatchObject(refused);
    await expect(undo(dropped)).rejects.toMatchObject(refused);
    expect((await changes.kit.store.scanTexts(null, 10)).texts.sort()).toEqual([ip, '198.51.100.1']);
    expect(await undo(extended)).toMatchObject({ updated: 1 });
    changes.kit.upstreams.entries.replaceAll([]);
    expect(await undo(dropped)).toMatchObject({ added: 1, removed: 1 });
  });

  it('is refused for what is not known, and for the claims of another source than that of the key', async () => {
    await expect(undo(999)).rejects.toMatchObject({ code: codes.NotFound });
    const id = await idOf(() => batch([ip, '192.0.2.2'], []));
    await expect(undo(id, false, by('fail2ban'))).rejects.toMatchObject({ code: codes.Forbidden });
    await changes.kit.database.write.deleteFrom('undo_changes').execute();
    await expect(undo(id)).rejects.toMatchObject({ code: codes.CannotUndo });
    const later = await idOf(() => batch(['192.0.2.3', '192.0.2.4'], []));
    await changes.kit.database.write.updateTable('undo_changes').set({ complete: 0 }).execute();
    await expect(undo(later)).rejects.toMatchObject({ code: codes.CannotUndo });
    const none = {
      runtime_map_updated: null,
      runtime_map_failures_total: null,
      reload_scheduled: null,
      result_json: null,
    };
    const answered = { audit_id: later, finished_at: '2026-11-20T12:00:00.000Z', status: 409, code: 6040 };
    await changes.kit.database.write
      .insertInto('audit_outcomes')
      .values({ ...answered, ...none })
      .execute();
    await expect(undo(later)).rejects.toMatchObject({
      detail: expect.stringContaining('was refused and changed nothing'),
    });
  });

  it('of a long list restores what it dropped and drops what it added, in slices', async () => {
    const [old, fresh, kept] = [texts(600, '10.1'), texts(600, '10.2'), texts(100, '10.3')];
    await put([...old, ...kept]);
    vi.spyOn(BulkStore.prototype, 'applySlice').mockImplementation(smallSlice);
    const id = await idOf(() => put([...fresh, ...kept]));
    await changes.everywhere([...fresh, ...kept]);
    const plan = await undo(id, true);
    expect(plan).toMatchObject({ added: 600, removed: 600, updated: 0, unchanged: 0 });
    expect(plan.first).toHaveLength(20);
    expect(await undo(id)).toMatchObject({ added: 600, removed: 600, runtime_map_updated: true });
    await changes.everywhere([...old, ...kept]);
  });

  it('keeps what is changed while it runs', async () => {
    const all = texts(1_200);
    const id = await idOf(() => put(all));
    const { claimedAmong } = ClaimsStore.prototype;
    let read = 0;
    vi.spyOn(ClaimsStore.prototype, 'claimedAmong').mockImplementation(async function (this: ClaimsStore, some) {
      const found = await claimedAmong.call(this, some);
      // The plan reads twice.
      read += 1;
      if (read === 3) await block(all[5]!, { reason: 'again' });
      return found;
    });
    expect(await undo(id)).toMatchObject({ removed: 1_199, unchanged: 1 });
    expect(read).toBe(4);
    await changes.everywhere([all[5]!]);
  });
});

/** Begins an undo once `change` is being applied, and continues that once the undo waits for it. */
async function undoDuring(id: number, change: () => Promise<unknown>): Promise<unknown> {
  const { bulk } = changes.kit;
  let pending: Promise<unknown> | undefined;
  const { applySlice } = BulkStore.prototype;
  vi.spyOn(BulkStore.prototype, 'applySlice').mockImplementationOnce(async function (this: BulkStore, ...slice) {
    const run = bulk.runTogether.bind(bulk);
    await new Promise<void>((waits) => {
      vi.spyOn(bulk, 'runTogether').mockImplementationOnce((...undo) => {
        const result = run(...undo);
        waits();
        return result;
      });
      pending = undo(id).catch((error: unknown) => error);
    });
    return await applySlice.apply(this, slice);
  });
  await change();
  return await pending;
}

describe('the undo that waits for another bulk change', () => {
  const all = texts(10);

  it('changes nothing if that changes one of the claims', async () => {
    const id = await idOf(() => batch(all, []));
    const refused = await undoDuring(id, async () => {
      const list = async function* () {
        const said = (text: string, place: number) => (place < 5 ? toBlock(text, { reason: 'attack' }) : bare(text));
        yield all.map((text, place) => ({ ok: true, request: said(text, place) }) as const);
      };
      await changes.kit.blockedSet.replaceAll(list(), { allowShrink: true }, by());
    });
    const members = { changed_since: all.slice(0, 5), changed_since_total: 5 };
    expect(refused).toMatchObject({ code: codes.CannotUndo, members });
    await changes.everywhere(all);
  });

  it('counts what that has undone already as unchanged, also in the audit log', async () => {
    const id = await idOf(() => batch(all, []));
    const answer = await undoDuring(id, () => put(all.slice(0, 4)));
    expect(answer).toMatchObject({ removed: 4, unchanged: 6 });
    expect((answer as UndoAnswer).first.map(({ ip_address }) => ip_address)).toEqual(all.slice(0, 4));
    const record = await new AuditStore(changes.kit.database).get(rows.at(-1)!);
    expect(record).toMatchObject({ operation: 'undo', details: { removed: 4 } });
    await changes.everywhere([]);
  });
});

/** Runs `work` before the first slice of the second bulk change. */
function onSecond(slices: MockInstance<BulkStore['applySlice']>, work: () => Promise<void>): void {
  const { applySlice } = originals;
  const seen = new Set<string>();
  slices.mockImplementation(async function (this: BulkStore, bulk, ...more) {
    const isNew = !seen.has(bulk);
    seen.add(bulk);
    if (isNew && seen.size === 2) await work();
    return await applySlice.call(this, bulk, ...more);
  });
}

describe("the undo of two sources' claims", () => {
  const some = ['192.0.2.1', '192.0.2.2'];
  const shared = async () => {
    await changes.close();
    changes = await openBulkChanges({ now: () => new Date(clock), maxEntries: 3 });
    for (const text of some) {
      await block(text);
      await block(text, { source: 'fail2ban' });
    }
    return await idOf(() => batch([], some));
  };

  it('changes nothing if the limit refuses one of them', async () => {
    const id = await shared();
    await block('192.0.2.9', { source: 'x' });
    for (const source of ['y', 'z']) await block('192.0.2.9', { source });
    for (const dryRun of [true, false])
      await expect(undo(id, dryRun)).rejects.toMatchObject({ code: codes.SetFull, members: { would_be: 4, limit: 3 } });
    await changes.everywhere(['192.0.2.9']);
  });

  it('fits if the parts do together', async () => {
    await changes.close();
    changes = await openBulkChanges({ now: () => new Date(clock), maxEntries: 3 });
    await block('192.0.2.1', { source: 'fail2ban' });
    for (const text of ['192.0.2.2', '192.0.2.3']) await block(text);
    const id = await idOf(() => batch(['192.0.2.4'], ['192.0.2.1']));
    await undo(id);
    await changes.everywhere(['192.0.2.1', '192.0.2.2', '192.0.2.3']);
  });

  it('says what is stored if the second fails, and completes it when repeated', async () => {
    const id = await shared();
    const slices = vi.spyOn(BulkStore.prototype, 'applySlice');
    onSecond(slices, async () => {
      throw new StoreError('full', 'disk full');
    });
    const failure = await undo(id).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: codes.DatabaseUnusable,
      members: { committed: { added: 2, updated: 0, removed: 0 } },
      detail: expect.stringContaining('undo again'),
    });
    slices.mockRestore();
    expect(await changes.kit.database.read.selectFrom('bulk_changes').select('state').execute()).toEqual([]);
    expect(await undo(id)).toMatchObject({ added: 0, updated: 2, unchanged: 2 });
    expect(await claims()).toHaveProperty('size', 4);
  });

  it('says what is stored if that unblocked no address, and the second fails', async () => {
    await put(some, { source: 'drop' });
    const id = await idOf(async () => {
      const expiry = { kind: 'keep' } as const;
      for (const source of [undefined, 'fail2ban']) for (const text of some) await block(text, { source, expiry });
      await batch([], some);
    });
    const again = await idOf(() => undo(id));
    const slices = vi.spyOn(BulkStore.prototype, 'applySlice');
    onSecond(slices, async () => {
      throw new StoreError('full', 'disk full');
    });
    const failure = await undo(again).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      members: { committed: { added: 0, updated: 0, removed: 0, still_claimed_total: 2 } },
      detail: expect.stringContaining('a part of the undo is stored'),
    });
    slices.mockRestore();
    expect(await undo(again)).toMatchObject({ removed: 0, still_claimed_total: 2, unchanged: 2 });
  });

  it('says that nothing was changed if one cannot be made ready', async () => {
    const id = await shared();
    const ready = vi.spyOn(BulkStore.prototype, 'markReady').mockRejectedValueOnce(new Error('disk full'));
    const failure = await undo(id).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      members: { committed: { added: 0, updated: 0, removed: 0 } },
      detail: expect.stringContaining('nothing was changed'),
    });
    ready.mockRestore();
    expect(await claims()).toHaveProperty('size', 0);
  });

  it('reads what is kept of the operation twice, however many sources it changed claims of', async () => {
    await changes.close();
    changes = await openBulkChanges({ now: () => new Date(clock) });
    for (const source of [undefined, 'fail2ban', 'jail', 'other'])
      for (const text of some) await block(text, { source });
    const id = await idOf(() => batch([], some));
    const reads = [vi.spyOn(UndoRecords.prototype, 'read'), vi.spyOn(ClaimsStore.prototype, 'claimedAmong')];
    expect(await undo(id)).toMatchObject({ added: 2, updated: 6 });
    for (const read of reads) expect(read).toHaveBeenCalledTimes(2);
    expect(await claims()).toHaveProperty('size', 8);
  });

  it('lets no other bulk change come in between', async () => {
    const id = await shared();
    const { applySlice } = BulkStore.prototype;
    const order: number[] = [];
    const others: Promise<unknown>[] = [];
    vi.spyOn(BulkStore.prototype, 'applySlice').mockImplementation(async function (this: BulkStore, bulk, ...more) {
      if (order.length === 0) others.push(put(['192.0.2.3'], { source: 'drop' }));
      const row = changes.kit.database.read.selectFrom('bulk_changes').select('replace').where('id', '=', Number(bulk));
      const { replace } = await row.executeTakeFirstOrThrow();
      order.push(replace);
      return await applySlice.call(this, bulk, ...more);
    });
    expect(await undo(id)).toMatchObject({ added: 2, updated: 2 });
    await Promise.all(others);
    expect(order.slice(0, 3)).toEqual([0, 0, 1]);
  });

  it('is completed by the next start if the service is killed between them', async () => {
    const id = await shared();
    const found: string[][] = [];
    const { discard } = BulkStore.prototype;
    vi.spyOn(BulkStore.prototype, 'discard').mockImplementationOnce(async function (this: BulkStore, bulk) {
      await discard.call(this, bulk);
      const { databaseFile, mapPath } = changes.kit;
      const copy = join(dirname(databaseFile), 'crash');
      cpSync(databaseFile, join(copy, 'test.sqlite'));
      cpSync(`${databaseFile}-wal`, join(copy, 'test.sqlite-wal'));
      cpSync(mapPath, join(copy, 'blocked.map'));
      const next = await openBlocking({ folder: copy, masterSocket: join(copy, 'm.sock') });
      await next.bulk.finishInterrupted();
      for (const text of some) {
        const { claims: all = [] } = await next.blockedSet.get(entryOf(text));
        found.push(all.map(({ source }) => source));
      }
      await next.close();
    });
    await undo(id);
    expect(found).toEqual(some.map(() => ['manual', 'fail2ban']));
  });

  it('counts what is changed after it has begun as unchanged', async () => {
    const id = await shared();
    const { markReady } = BulkStore.prototype;
    vi.spyOn(BulkStore.prototype, 'markReady').mockImplementationOnce(async function (this: BulkStore, ...more) {
      await block(some[0]!, { source: 'fail2ban', reason: 'again' });
      return await markReady.apply(this, more);
    });
    const { added, updated, unchanged } = await undo(id);
    expect({ added, updated, unchanged }).toEqual({ added: 1, updated: 2, unchanged: 1 });
  });
});

it('says which restored addresses trust allows anyway, and does not change the trust', async () => {
  const { blockedSet, trusted } = changes.kit;
  await block(ip);
  await block('192.0.2.2');
  const id = await idOf(() => blockedSet.unblock(entryOf(ip), by(), { trustFor: 3_600 }));
  const other = await idOf(() => unblock('192.0.2.2'));
  const still_trusted = [{ ip_address: ip, by: ip }];
  expect(await undo(id, true)).toMatchObject({ dry_run: true, added: 1, still_trusted, still_trusted_total: 1 });
  expect(await undo(other, true)).not.toHaveProperty('still_trusted');
  expect(await undo(id)).toMatchObject({ added: 1, still_trusted, still_trusted_total: 1 });
  expect(await trusted.list()).toMatchObject([{ ip_address: ip }]);
});

it('does not write the map file if no address is blocked or unblocked', async () => {
  await block(ip);
  const id = await idOf(() => block(ip, { source: 'fail2ban' }));
  const write = vi.spyOn(changes.kit.keeper, 'updateBlockedIpsMap');
  expect(await undo(id)).toMatchObject({ removed: 0, still_claimed_total: 1 });
  expect(write).not.toHaveBeenCalled();
  await undo(await idOf(() => unblock(ip)));
  expect(write).toHaveBeenCalledTimes(1);
});

it('of any operation is exact, or changes nothing', async () => {
  const some = ['192.0.2.1', '198.51.100.0/24'];
  const address = fc.constantFrom(...some);
  const addresses = fc.uniqueArray(address, { maxLength: 3 });
  const source = fc.constantFrom(undefined, 'fail2ban');
  const later = fc.option(fc.integer({ min: 1, max: 8 }), { nil: null });
  const step = fc.oneof(
    fc.record({ op: fc.constant('block' as const), address, source, later, reason: fc.constantFrom('a', 'b') }),
    fc.record({ op: fc.constant('unblock' as const), address, source }),
    fc.record({ op: fc.constant('batch' as const), addresses, remove: addresses, source }),
    fc.record({ op: fc.constant('put' as const), addresses, source: fc.constantFrom(undefined, 'drop') }),
    fc.record({ op: fc.constant('wait' as const) }),
  );
  const undoing = fc.record({ op: fc.constant('undo' as const), of: fc.nat(4) });
  const program = fc
    .tuple(fc.array(step, { minLength: 3, maxLength: 6 }), fc.array(fc.oneof(undoing, undoing, step), { maxLength: 4 }))
    .map(([first, more]) => [...first, { op: 'undo' as const, of: 0 }, ...more]);
  let refused = 0;
  let undone = 0;
  await fc.assert(
    fc.asyncProperty(program, async (steps) => {
      await changes.kit.database.write.deleteFrom('blocked_ips').execute();
      changes.kit.database.blockedCount.counted(0);
      clock = noon;
      const done: {
        id: number;
        before: Awaited<ReturnType<typeof claims>>;
        after: Awaited<ReturnType<typeof claims>>;
      }[] = [];
      const live = async () => {
        const now = new Date(clock).toISOString();
        return new Map([...(await claims())].filter(([, { end }]) => end === null || end > now));
      };
      for (const one of steps) {
        clock += 1_000;
        if (one.op === 'wait') {
          clock += hour;
          continue;
        }
        const before = await live();
        rows = [];
        if (one.op === 'undo') {
          const target = done[one.of];
          if (target === undefined) continue;
          const ended = (said: { end: string | null } | undefined) =>
            said === undefined || (said.end !== null && said.end <= new Date(clock).toISOString()) ? undefined : said;
          const names = [...new Set([...target.before.keys(), ...target.after.keys()])].filter((name) => {
            const [was, is] = [target.before.get(name), target.after.get(name)];
            return was?.claimedAt !== is?.claimedAt || was?.reason !== is?.reason || was?.end !== is?.end;
          });
          const says = (said: object | undefined) => (said === undefined ? undefined : { ...said, claimedAt: '' });
          const isExact = names.every((name) => {
            const [is, left, wanted] = [
              before.get(name),
              ended(target.after.get(name)),
              ended(target.before.get(name)),
            ];
            const same = (a: object | undefined, b: object | undefined) => JSON.stringify(a) === JSON.stringify(b);
            return same(says(is), says(wanted)) || same(is, left);
          });
          const result = await undo(target.id).catch((error: unknown) => error);
          const after = await live();
          if (isExact) {
            expect(result).toMatchObject({ runtime_map_updated: true });
            undone += 1;
            for (const name of names) expect(says(after.get(name))).toEqual(says(ended(target.before.get(name))));
            for (const [name, claim] of before) if (!names.includes(name)) expect(after.get(name)).toEqual(claim);
          } else {
            expect(result).toMatchObject({ code: codes.CannotUndo });
            refused += 1;
            expect(after).toEqual(before);
          }
        } else {
          const work = async () => {
            if (one.op === 'block') {
              const expiry: Expiry = one.later === null ? { kind: 'permanent' } : until(one.later);
              await block(one.address, { source: one.source, reason: one.reason, expiry });
            } else if (one.op === 'unblock') await unblock(one.address, one.source);
            else if (one.op === 'put') await put(one.addresses, { source: one.source });
            else {
              await batch(
                one.addresses,
                one.remove.filter((text) => !one.addresses.includes(text)),
                one.source,
              );
            }
          };
          // What is not blocked cannot be unblocked.
          await work().catch((error: unknown) => expect(error).toMatchObject({ status: expect.any(Number) }));
        }
        const id = rows.at(-1);
        const after = await live();
        if (id !== undefined && JSON.stringify([...before]) !== JSON.stringify([...after]))
          done.push({ id, before, after });
      }
      const blocked = await changes.kit.database.read.selectFrom('blocked_ips').select('ip_address').execute();
      expect(
        new Set(
          changes.master
            .map(changes.kit.mapPath)
            .live()
            .map(({ key }) => key),
        ),
      ).toEqual(new Set(blocked.map(({ ip_address }) => ip_address)));
      await put([]);
      for (const name of ['fail2ban', 'drop'])
        await changes.kit.blockedSet.replaceAll(listOf([]), { allowShrink: true, source: name }, by(name));
    }),
    { numRuns: longTests ? 40 : 5 },
  );
  expect(undone).toBeGreaterThan(5);
  expect(refused).toBeGreaterThan(0);
});
