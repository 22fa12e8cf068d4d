import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { caseCount } from '../../testkit/proxies.ts';
import { countsExactly } from '../../testkit/store/claim-counts.ts';
import { entry, NOON, nothing, StoreFolder, storesOf } from '../../testkit/store/store-folder.ts';
import type { BlockedChange, BlockedIpsStore } from './blocked-ips-store.ts';
import type { BulkStore, StagedRow } from './bulk-store.ts';
import { ClaimsStore } from './claims-store.ts';
import type { Database } from './open-database.ts';
import type { SourceKind } from './schema.ts';

const TEXTS = ['192.0.2.1', '192.0.2.0/24', '192.0.2.3', '198.51.100.7', '2001:db8::1', '2001:db8::/32'];
const HOURS = ['13', '14', '15', '16'].map((hour) => `2026-11-20T${hour}:00:00.000Z`);
const KINDS: Record<number, SourceKind> = { 1: 'manual', 2: 'agent', 3: 'list', 4: 'list' };

let folder: StoreFolder;
let database: Database;
let store: BlockedIpsStore;
let bulk: BulkStore;

beforeEach(async () => {
  folder = new StoreFolder();
  database = await folder.open();
  const named = [2, 3, 4].map((id) => ({
    id,
    name: `source-${id}`,
    kind: KINDS[id]!,
    note: null,
    release_at: null,
    created_at: HOURS[0]!,
  }));
  await database.write.insertInto('sources').values(named).execute();
  ({ store, bulk } = storesOf(database));
});
afterEach(async () => {
  newest.clear();
  await folder.remove();
});

interface Said {
  readonly end: string | null;
  readonly at: string;
}
type Model = Map<string, Map<number, Said>>;

const isLive = ({ end }: Said, now: string): boolean => end === null || end > now;

/** The rules once more, as simply as possible. */
function expected(model: Model, change: BlockedChange, now: string): void {
  const text = change.entry.text;
  const claims = model.get(text) ?? new Map<number, Said>();
  const drop = (goes: (source: number) => boolean, at = now): void => {
    for (const [source, said] of claims) if (goes(source) || !isLive(said, at)) claims.delete(source);
  };
  if (change.op === 'expire') drop(() => false, change.now);
  else if (change.op === 'remove') {
    drop((source) => (change.source === undefined ? KINDS[source] !== 'list' : source === change.source));
  } else {
    drop(() => false);
    const source = change.source ?? 1;
    const { expiry } = change;
    const end = expiry.kind === 'at' ? expiry.at : null;
    claims.set(source, { end, at: claims.get(source)?.at ?? now });
  }
  if (claims.size === 0) model.delete(text);
  else model.set(text, claims);
}

function lastEnding(claims: ReadonlyMap<number, Said>): [number, Said] {
  const order = ([source, { end, at }]: [number, Said]) => `${end === null ? '9' : end}`.concat(`|${at}|${source}`);
  const ends = [...claims].map(([, { end }]) => end);
  const last = ends.includes(null) ? null : ends.sort().at(-1)!;
  return [...claims].filter(([, { end }]) => end === last).sort((a, b) => (order(a) < order(b) ? -1 : 1))[0]!;
}

/** Of each source, when it made its newest claim. */
const newest = new Map<number, string>();

async function emptied(): Promise<void> {
  await database.write.deleteFrom('blocked_ips').execute();
  await database.write.updateTable('sources').set({ last_claimed_at: null }).execute();
  newest.clear();
}

async function table(): Promise<Map<string, unknown>> {
  const rows = await database.read.selectFrom('blocked_ips').selectAll().execute();
  const claims = await database.read.selectFrom('claims').selectAll().execute();
  expect(rows.reduce((sum, { others }) => sum + others, 0)).toBe(claims.length);
  const made = rows.map(({ source, claimed_at, blocked_at: at }) => ({ source, claimed_at: claimed_at ?? at }));
  for (const { source, claimed_at: at } of [...made, ...claims])
    if (at > (newest.get(source) ?? '')) newest.set(source, at);
  expect(await countsExactly(database)).toEqual(new Map([1, 2, 3, 4].map((id) => [id, newest.get(id) ?? null])));
  return new Map(
    rows.map((row) => {
      const others = claims.filter(({ sort_key }) => sort_key.equals(row.sort_key));
      expect(others).toHaveLength(row.others);
      const further = others.map(({ source, expires_at, claimed_at }) => [source, { end: expires_at, at: claimed_at }]);
      const carried = [row.source, { end: row.expires_at, at: row.claimed_at ?? row.blocked_at }];
      return [row.ip_address, { carried, all: new Map([carried, ...further] as [number, Said][]) }];
    }),
  );
}

const source = fc.constantFrom(undefined, 1, 2, 3, 4);
const target = fc.constantFrom(...TEXTS).map(entry);
const expiry = fc.oneof(
  fc.constant({ kind: 'permanent' as const }),
  fc.constantFrom(...HOURS).map((at) => ({ kind: 'at' as const, at })),
);
const change: fc.Arbitrary<BlockedChange> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ op: fc.constant('add' as const), entry: target, expiry, source }) },
  fc.record({ op: fc.constant('remove' as const), entry: target, source }),
  fc.record({ op: fc.constant('expire' as const), entry: target, now: fc.constantFrom(...HOURS) }),
);
const group = fc.record({ changes: fc.array(change, { minLength: 1, maxLength: 5 }), minutes: fc.nat(90) });

it('an address is blocked while a claim lives, and its row carries the one that ends last', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(group, { maxLength: 8 }), async (groups) => {
      await emptied();
      expect(await table()).toEqual(new Map());
      const model: Model = new Map();
      let now = NOON.getTime();
      for (const { changes, minutes } of groups) {
        now += minutes * 60_000;
        const before = new Set(model.keys());
        for (const one of changes) expected(model, one, new Date(now).toISOString());
        const { net } = await store.applyGroup(changes, new Date(now), nothing);
        expect(new Set(net.added)).toEqual(new Set([...model.keys()].filter((text) => !before.has(text))));
        expect(new Set(net.removed)).toEqual(new Set([...before].filter((text) => !model.has(text))));
        const wanted = [...model].map(([text, all]) => [text, { carried: lastEnding(all), all }] as const);
        expect(await table()).toEqual(new Map(wanted));
      }
    }),
    { numRuns: caseCount(150) },
  );
});

/** Forgets claims that have ended, unless the row has expired too. */
async function sweep(model: Model, at: Date): Promise<void> {
  await new ClaimsStore(database).sweep(at, 100);
  for (const [text, claims] of model) {
    const live = [...claims].filter(([, said]) => isLive(said, at.toISOString()));
    if (live.length > 0) model.set(text, new Map(live));
  }
  const swept = [...model].map(([text, all]) => [text, { carried: lastEnding(all), all }] as const);
  expect(await table()).toEqual(new Map(swept));
}

/** A list or a large batch, applied in slices of `limit` rows. */
const bulkChange = fc.record({
  replace: fc.boolean(),
  sweep: fc.boolean(),
  source,
  limit: fc.integer({ min: 1, max: 4 }),
  rows: fc
    .uniqueArray(
      fc.record({ entry: target, end: fc.constantFrom('keep', 'permanent', ...HOURS), remove: fc.boolean() }),
      {
        selector: (row) => row.entry.text,
      },
    )
    .map((rows) =>
      rows.map(({ entry: of, end, remove }): StagedRow & { removes: boolean } => {
        const bare = end === 'keep' || end === 'permanent';
        const expiry = bare ? { kind: end as 'keep' | 'permanent' } : { kind: 'at' as const, at: end };
        return remove ? { op: 'remove', entry: of, removes: true } : { op: 'add', entry: of, expiry, removes: false };
      }),
    ),
});

type Bulk = typeof bulkChange extends fc.Arbitrary<infer T> ? T : never;

function expectedBulk(model: Model, { replace, source: of, rows }: Bulk, now: string): void {
  const listed = new Set<string>();
  for (const row of rows) {
    if (replace && row.op === 'remove') continue;
    if (row.op === 'remove') {
      expected(model, { op: 'remove', entry: row.entry, source: of }, now);
      continue;
    }
    listed.add(row.entry.text);
    const known = model.get(row.entry.text)?.get(of ?? 1);
    const kept = known === undefined || !isLive(known, now) ? null : known.end;
    const at = row.expiry.kind === 'at' ? row.expiry.at : row.expiry.kind === 'keep' ? kept : null;
    const expiry = at === null ? { kind: 'permanent' as const } : { kind: 'at' as const, at };
    expected(model, { op: 'add', entry: row.entry, expiry, source: of }, now);
  }
  if (!replace) return;
  for (const text of [...model.keys()]) {
    const claims = model.get(text)!;
    if (listed.has(text) || !claims.has(of ?? 1)) continue;
    // A claim that has ended is forgotten by the sweep, unless a change of the address comes first.
    if (!isLive(claims.get(of ?? 1)!, now) && claims.size > 1) continue;
    expected(model, { op: 'remove', entry: entry(text), source: of ?? 1 }, now);
  }
}

it('a bulk change acts on the claims of its source alone, however it is sliced', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(group, bulkChange), { maxLength: 4 }), async (steps) => {
      await emptied();
      const model: Model = new Map();
      let now = NOON.getTime();
      for (const [{ changes, minutes }, one] of steps) {
        now += minutes * 60_000;
        const at = new Date(now);
        for (const change of changes) expected(model, change, at.toISOString());
        await store.applyGroup(changes, at, nothing);
        await table();
        if (one.sweep) await sweep(model, at);
        const before = new Set(model.keys());
        expectedBulk(model, one, at.toISOString());
        const rows = one.replace ? one.rows.filter(({ op }) => op === 'add') : one.rows;
        const id = await bulk.begin({ replace: one.replace, source: one.source });
        await bulk.stage(id, rows);
        const preview = await bulk.preview(id, { updatesAt: at });
        await bulk.markReady([id]);
        const added: string[] = [];
        const removed: string[] = [];
        const counted = { updates: 0, renewed: 0, stays: 0 };
        for (let done = false; !done; ) {
          const slice = await bulk.applySlice(id, one.limit, at, nothing);
          await table();
          added.push(...slice.net.added);
          removed.push(...slice.net.removed);
          counted.updates += slice.updated;
          counted.renewed += slice.renewed;
          counted.stays += slice.stayed;
          done = slice.done;
        }
        await bulk.discard(id);
        expect(new Set(added)).toEqual(new Set([...model.keys()].filter((text) => !before.has(text))));
        expect(new Set(removed)).toEqual(new Set([...before].filter((text) => !model.has(text))));
        if (one.sweep) expect(preview).toMatchObject({ adds: added.length, removes: removed.length, ...counted });
        await sweep(model, at);
      }
    }),
    { numRuns: caseCount(200) },
  );
});

describe('an unblock', () => {
  const add = (by: number, at?: string): BlockedChange => ({
    op: 'add',
    entry: entry(TEXTS[0]!),
    source: by,
    reason: `of ${by}`,
    expiry: at === undefined ? { kind: 'permanent' } : { kind: 'at', at },
  });
  const remove = (by?: number): BlockedChange => ({ op: 'remove', entry: entry(TEXTS[0]!), source: by });
  const get = async () => await store.get(TEXTS[0]!);

  it("of fail2ban's ban leaves the operator's block", async () => {
    await store.applyGroup([add(1)], NOON, nothing);
    await store.applyGroup([add(2, HOURS[0])], NOON, nothing);
    const { effects, net } = await store.applyGroup([remove(2)], NOON, nothing);
    expect(effects).toMatchObject([{ removed: null, dropped: [{ reason: 'of 2' }], stillClaimedBy: [{ source: 1 }] }]);
    expect(net).toEqual({ added: [], removed: [] });
    expect(await get()).toMatchObject({ reason: 'of 1', expires_at: null });
  });

  it('by an operator drops what agents claim, and names the lists that still claim it', async () => {
    await store.applyGroup([add(1), add(2, HOURS[1]), add(3, HOURS[0])], NOON, nothing);
    const { effects } = await store.applyGroup([remove()], NOON, nothing);
    expect(effects).toMatchObject([{ removed: null, dropped: [{ reason: 'of 1' }, { reason: 'of 2' }] }]);
    expect(effects).toMatchObject([{ stillClaimedBy: [{ source: 3, row: { expires_at: HOURS[0] } }] }]);
    expect(await get()).toMatchObject({ reason: 'of 3', expires_at: HOURS[0], blocked_at: NOON.toISOString() });
  });

  it('of the last claim removes the row, as a rollback keeps all of it', async () => {
    await store.applyGroup([add(2), add(3)], NOON, nothing);
    const failed = store.applyGroup([remove(3), remove(2)], NOON, () => {
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await get()).toMatchObject({ reason: 'of 2' });
    const { net } = await store.applyGroup([remove(3), remove(2)], NOON, nothing);
    expect(net.removed).toEqual([TEXTS[0]]);
    expect(await get()).toBeNull();
  });
});

describe('a change that comes while a bulk change is applied', () => {
  const add = (by?: number): BlockedChange => ({
    op: 'add',
    entry: entry(TEXTS[0]!),
    source: by,
    expiry: { kind: 'permanent' },
  });
  const remove = (by?: number): BlockedChange => ({ op: 'remove', entry: entry(TEXTS[0]!), source: by });
  const claiming = async () =>
    [...(((await table()).get(TEXTS[0]!) as { all: Map<number, Said> } | undefined)?.all.keys() ?? [])].sort();
  const during = async (
    of: number | undefined,
    staged: StagedRow,
    meanwhile: BlockedChange,
    before: BlockedChange[] = [],
  ) => {
    if (before.length > 0) await store.applyGroup(before, NOON, nothing);
    const id = await bulk.begin({ replace: false, source: of });
    await bulk.stage(id, [staged]);
    await bulk.markReady([id]);
    await store.applyGroup([meanwhile], NOON, nothing);
    await bulk.applySlice(id, 10, NOON, nothing);
    return await claiming();
  };
  const [listed, gone] = [add() as StagedRow, remove() as StagedRow];

  it('wins if it changes the same claims', async () => {
    expect(await during(undefined, gone, add(), [add()])).toEqual([1]);
    expect(await during(undefined, listed, remove(), [add(3)])).toEqual([3]);
    expect(await during(undefined, gone, add(2), [add()])).toEqual([1, 2, 3]);
  });

  it('counts beside it if it changes the claims of another source', async () => {
    expect(await during(3, listed, add())).toEqual([1, 3]);
    expect(await during(undefined, listed, add(2), [remove()])).toEqual([1, 2, 3]);
    expect(await during(4, listed, remove(), [add()])).toEqual([3, 4]);
  });
});

it('counts the claims of all pieces of a slice', async () => {
  const texts = Array.from({ length: 1_200 }, (_, n) => `10.1.${n >> 8}.${n & 255}`);
  const said = texts.map((text): BlockedChange => ({ op: 'add', entry: entry(text), expiry: { kind: 'permanent' } }));
  await store.applyGroup(said, NOON, nothing);
  const before = database.blockedCount.further;
  const id = await bulk.begin({ replace: true, source: 3 });
  await bulk.stage(id, said as StagedRow[]);
  await bulk.markReady([id]);
  expect(await bulk.applySlice(id, 5_000, NOON, nothing)).toMatchObject({ updated: 1_200, worked: 1_200, read: 1_200 });
  expect(database.blockedCount.further - before).toBe(1_200);
});
