// Pages by the columns in memory agree with the tables, whatever was written in between and by whom.
import SqliteDatabase from 'better-sqlite3';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../../../testkit/conditions.ts';
import { caseCount } from '../../../testkit/proxies.ts';
import {
  block,
  entry,
  finish,
  line,
  NOON,
  nothing,
  StoreFolder,
  scattered,
  storesOf,
} from '../../../testkit/store/store-folder.ts';
import { entryOfSortKey, sortKey } from '../../domain/ip.ts';
import type { BlockedIpsStore } from '../blocked-ips-store.ts';
import type { BulkStore } from '../bulk-store.ts';
import type { Database } from '../open-database.ts';
import type { ListOrder } from './column-pages.ts';
import { type EntryFilter, sortFields } from './column-query.ts';
import type { HitSnapshot } from './hit-columns.ts';
import { LiveColumns } from './live-columns.ts';

const TEXTS = [
  '9.9.9.9',
  '10.0.0.0/8',
  '10.1.0.0/16',
  '10.1.2.3',
  '255.255.255.255',
  '::1',
  '2001:db8::/32',
  '2001:db8::7',
];
const ENDS = [null, '2026-11-20T13:00:00.000Z', '2026-11-20T15:00:00.999Z', '2399-01-01T00:00:00.000Z'];
/** Beyond it every end is the same. */
const LATEST = 0xffff_fffe;

let folder: StoreFolder;
let database: Database;
let store: BlockedIpsStore;
let bulk: BulkStore;
/** By sort key in `latin1`. */
let memory: Map<string, { readonly lastHit: number; readonly lastDay: number }>;
let snapshot: HitSnapshot;
/** In seconds. */
let clock: number;
beforeEach(async () => {
  folder = new StoreFolder();
  database = await folder.open();
  memory = new Map();
  snapshot = snapshotOfMemory();
  clock = NOON.getTime() / 1_000;
  const named = [2, 3].map((id) => ({
    id,
    name: `source-${id}`,
    kind: 'list' as const,
    note: null,
    release_at: null,
    created_at: NOON.toISOString(),
  }));
  await database.write.insertInto('sources').values(named).execute();
  ({ store, bulk } = storesOf(database));
});
afterEach(() => folder.remove());

interface Query {
  readonly order: ListOrder;
  readonly filter: EntryFilter;
}

const text = fc.constantFrom(...TEXTS);
const source = fc.constantFrom(1, 2, 3);
const minute = fc.nat({ max: 3 });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ op: fc.constant('add'), text, source, minute, end: fc.constantFrom(...ENDS) }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('remove'), text, source }) },
  fc.record({ op: fc.constant('list'), texts: fc.subarray(TEXTS), source: fc.constantFrom(2, 3) }),
  fc.record({ op: fc.constantFrom('delete by hand', 'roll back'), text }),
  { weight: 3, arbitrary: fc.record({ op: fc.constant('hit'), text, hits: fc.nat({ max: 3 }), stored: fc.boolean() }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const filter = fc.record(
  {
    family: fc.constantFrom(4 as const, 6 as const),
    widerThan: fc.constantFrom(9, 17, 32, 64, 128),
    blockedSince: fc.constantFrom(...[0, 1, 2].map((count) => NOON.getTime() / 1_000 + 60 * count)),
    source,
    hitSince: fc.constantFrom(...[0, 100, 300].map((count) => NOON.getTime() / 1_000 + count)),
    endsAfter: fc.constantFrom(NOON.getTime() / 1_000, Date.parse('2026-11-20T14:00:00Z') / 1_000),
  },
  { requiredKeys: [] },
);
const query = fc.record({
  order: fc.record({ by: fc.constantFrom(...sortFields), descending: fc.boolean() }),
  filter,
});

function snapshotOfMemory(): HitSnapshot {
  const hits = [...memory.values()];
  return {
    keys: Buffer.from([...memory.keys()].join(''), 'latin1'),
    lastHit: Uint32Array.from(hits, ({ lastHit }) => lastHit),
    lastDay: Uint32Array.from(hits, ({ lastDay }) => lastDay),
  };
}

/** Stored, or in memory only. */
async function hit(sortKey: Buffer, hits: number, stored: boolean): Promise<void> {
  clock += 61;
  if (!stored) {
    memory.set(sortKey.toString('latin1'), { lastHit: clock, lastDay: hits });
    snapshot = snapshotOfMemory();
    return;
  }
  const row = { sort_key: sortKey, total: hits, first_hit: clock, last_hit: clock };
  await database.write.replaceInto('entry_hits').values(row).execute();
}

async function make(one: Step): Promise<void> {
  if (one.op === 'hit') {
    const { hits, stored } = one as { hits: number; stored: boolean };
    return await hit(sortKey(entry((one as { text: string }).text)), hits, stored);
  }
  if (one.op === 'list') {
    const id = await bulk.begin({ replace: true, source: (one as { source: number }).source });
    await bulk.stage(id, (one as { texts: string[] }).texts.map(line));
    await bulk.markReady([id]);
    await finish(bulk, id, 3);
    return;
  }
  const { text: address } = one as { text: string };
  if (one.op === 'delete by hand') {
    const other = new SqliteDatabase(folder.file);
    other.prepare('delete from blocked_ips where ip_address = ?').run(address);
    other.close();
    return;
  }
  if (one.op === 'roll back') {
    const change = { op: 'add', entry: entry(address), expiry: { kind: 'permanent' } } as const;
    const refuse = () => {
      throw new Error('refused');
    };
    await expect(store.applyGroup([change], NOON, refuse)).rejects.toThrow('refused');
    return;
  }
  const { source: of, minute: at = 0, end = null } = one as { source: number; minute?: number; end?: string | null };
  const now = new Date(NOON.getTime() + 60_000 * at);
  const expiry = end === null ? ({ kind: 'permanent' } as const) : ({ kind: 'at', at: end } as const);
  const subject = { entry: entry(address), source: of };
  await store.applyGroup(
    [one.op === 'add' ? { op: 'add', ...subject, expiry } : { op: 'remove', ...subject }],
    now,
    nothing,
  );
}

/** Straight from the tables. */
async function expected({ order, filter: wanted }: Query): Promise<string[]> {
  const rows = await database.read.selectFrom('blocked_ips').selectAll().where('sort_key', 'is not', null).execute();
  const claims = await database.read.selectFrom('claims').selectAll().execute();
  const stored = new Map(
    (await database.read.selectFrom('entry_hits').selectAll().execute()).map((row) => [
      row.sort_key.toString('latin1'),
      row.last_hit,
    ]),
  );
  const seconds = (time: string) => Math.floor(Date.parse(time) / 1_000);
  const entries = rows.map((row) => {
    const { family, prefix } = entryOfSortKey(row.sort_key);
    const further = claims.filter(({ sort_key }) => sort_key.equals(row.sort_key)).map((claim) => claim.source);
    const ends = row.expires_at === null ? Number.POSITIVE_INFINITY : Math.min(LATEST, seconds(row.expires_at));
    const blocked = seconds(row.blocked_at);
    const key = row.sort_key.toString('latin1');
    const now = memory.get(key);
    const last = Math.max(stored.get(key) ?? 0, now?.lastHit ?? 0);
    const hits = last >= blocked ? { last, day: now?.lastDay ?? 0 } : { last: 0, day: 0 };
    return { row, family, prefix, sources: [row.source, ...further], blocked, ends, ...hits };
  });
  const value = (one: (typeof entries)[number]) =>
    ({ address: 0, blocked_at: one.blocked, expires_at: one.ends, hits: one.day, last_hit: one.last })[order.by];
  const matching = entries.filter(
    (one) =>
      (wanted.family ?? one.family) === one.family &&
      one.prefix < (wanted.widerThan ?? 999) &&
      one.blocked >= (wanted.blockedSince ?? 0) &&
      (wanted.hitSince === undefined || one.last >= wanted.hitSince) &&
      (wanted.source === undefined || one.sources.includes(wanted.source)) &&
      (wanted.endsAfter === undefined || (one.row.expires_at !== null && one.ends > wanted.endsAfter)),
  );
  const compare = (a: (typeof entries)[number], b: (typeof entries)[number]) =>
    (value(a) === value(b) ? 0 : value(a) - value(b)) || a.row.sort_key.compare(b.row.sort_key);
  const sorted = matching.sort(compare).map(({ row }) => row.ip_address);
  return order.descending ? sorted.reverse() : sorted;
}

async function walked({ order, filter: wanted }: Query, limit: number): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | null = null; ; ) {
    const hits = { snapshot, now: clock };
    const page = await store.page({ order, filter: wanted, limit, cursor, hits, now: NOON });
    found.push(...page.items.map(({ ip_address }) => ip_address));
    if (page.nextCursor === null) {
      expect(page.total).toBe(found.length);
      return found;
    }
    cursor = page.nextCursor;
  }
}

it('are in every order what every filter selects, after any writes', async () => {
  const history = fc.array(fc.tuple(fc.array(step, { maxLength: 4 }), query), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(history, async (all) => {
      for (const [steps, one] of all) {
        for (const each of steps) await make(each);
        const texts = await expected(one);
        expect(await walked(one, 2)).toEqual(texts);
        for (let offset = 0; offset <= texts.length; offset += 3) {
          const page = await store.page({
            ...{ ...one, limit: 2, offset, now: NOON },
            hits: { snapshot, now: clock },
          });
          expect(page.items.map(({ ip_address }) => ip_address)).toEqual(texts.slice(offset, offset + 2));
        }
      }
    }),
    { numRuns: caseCount(40) },
  );
});

it('know hits once they are stored, and none of an earlier block', async () => {
  await block(store, '9.9.9.9', '10.0.0.0/8');
  const found = async () => {
    const request = {
      order: { by: 'last_hit', descending: true },
      filter: { hitSince: 1 },
      limit: 9,
      now: NOON,
    } as const;
    const { items } = await store.page({ ...request, hits: { snapshot: snapshotOfMemory(), now: clock } });
    return items.map(({ ip_address }) => ip_address);
  };
  expect(await found()).toEqual([]);
  await hit(sortKey(entry('9.9.9.9')), 1, true);
  await hit(sortKey(entry('10.0.0.0/8')), 1, true);
  expect(await found()).toEqual(['10.0.0.0/8', '9.9.9.9']);
  await store.applyGroup([{ op: 'remove', entry: entry('10.0.0.0/8') }], NOON, nothing);
  const later = new Date((clock + 1) * 1_000);
  await store.applyGroup([{ op: 'add', entry: entry('10.0.0.0/8'), expiry: { kind: 'permanent' } }], later, nothing);
  expect(await found()).toEqual(['9.9.9.9']);
});

it('list each entry once that stays, while others come and go', async () => {
  const staying = Array.from({ length: 300 }, (_, n) => scattered(n).text);
  await block(store, ...staying);
  const order = { by: 'blocked_at', descending: true } as const;
  const found: string[] = [];
  let turn = 0;
  for (let cursor: string | null = null; ; turn++) {
    const page = await store.page({ order, limit: 20, cursor, now: NOON });
    found.push(...page.items.map(({ ip_address }) => ip_address));
    cursor = page.nextCursor;
    if (cursor === null) break;
    const { text: guest } = scattered(1_000 + turn);
    await block(store, guest);
    if (turn % 2 === 1) await store.applyGroup([{ op: 'remove', entry: entry(guest) }], NOON, nothing);
  }
  expect(turn).toBeGreaterThan(10);
  expect(new Set(found).size).toBe(found.length);
  expect(found.filter((one) => staying.includes(one)).sort()).toEqual(staying.sort());
});

it('are read again after more changes than are noted', async () => {
  const order = { by: 'blocked_at', descending: false } as const;
  await block(store, '9.9.9.9');
  expect((await store.page({ order, limit: 10, now: NOON })).total).toBe(1);
  const many = new Set(Array.from({ length: 12_000 }, (_, n) => scattered(n).text));
  await block(store, ...many);
  expect((await store.page({ order, limit: 10, now: NOON })).total).toBe(many.size + 1);
  // Chunks are split: what is in between is found in order.
  await block(store, '100.0.0.0/30', '100.0.0.4/30');
  expect(await walked({ order: { by: 'address', descending: false }, filter: { widerThan: 32 } }, 1)).toEqual([
    '100.0.0.0/30',
    '100.0.0.4/30',
  ]);
});

it('refuse the cursor of another order', async () => {
  await block(store, '9.9.9.9', '10.0.0.0/8');
  const byTime = { by: 'blocked_at', descending: true } as const;
  const { nextCursor } = await store.page({ order: byTime, limit: 1, now: NOON });
  for (const order of [{ ...byTime, descending: false }, { by: 'expires_at', descending: true } as const]) {
    await expect(store.page({ order, limit: 1, cursor: nextCursor, now: NOON })).rejects.toMatchObject({
      name: 'InvalidCursor',
    });
  }
  await expect(store.page({ limit: 1, cursor: nextCursor, now: NOON })).rejects.toMatchObject({
    name: 'InvalidCursor',
  });
});

it('know a change of another process, and of a claim alone', async () => {
  const order = { by: 'blocked_at', descending: false } as const;
  const add = (text: string, of: number) =>
    ({ op: 'add', entry: entry(text), source: of, expiry: { kind: 'permanent' } }) as const;
  await store.applyGroup([add('9.9.9.9', 1), add('10.0.0.0/8', 2), add('10.0.0.0/8', 3)], NOON, nothing);
  const total = async (wanted: EntryFilter) =>
    (await store.page({ order, filter: wanted, limit: 10, now: NOON })).total;
  expect([await total({}), await total({ source: 1 }), await total({ source: 3 })]).toEqual([2, 1, 1]);
  await database.write.updateTable('claims').set({ source: 1 }).execute();
  expect([await total({ source: 1 }), (await total({ source: 2 })) + (await total({ source: 3 }))]).toEqual([2, 1]);
  await make({ op: 'delete by hand', text: '9.9.9.9' });
  expect(await total({})).toBe(1);
});

it('are forgotten when they are not used, and built again', async () => {
  const columns = new LiveColumns({ read: database.read, write: database.write, turns: database.turns, idleMs: 1 });
  await block(store, '9.9.9.9');
  const noted = async () => (await sql`select name from temp.sqlite_schema`.execute(database.write)).rows.length;
  expect((await columns.current()).length).toBe(1);
  await eventually('nothing is noted any more', async () => (await noted()) === 0);
  await block(store, '10.0.0.0/8');
  expect((await columns.current()).length).toBe(2);
  await columns.close();
});
