// A bulk unblock drops exactly the claims that it selects, except those that are changed while it runs.
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { caseCount } from '../../testkit/proxies.ts';
import { entry, NOON, nothing, StoreFolder, storesOf } from '../../testkit/store/store-folder.ts';
import { entryOfSortKey } from '../domain/ip.ts';
import type { BlockedChange, BlockedIpsStore } from './blocked-ips-store.ts';
import type { BulkStore } from './bulk-store.ts';
import { ClaimSearch } from './claim-search.ts';
import type { Database } from './open-database.ts';

const TEXTS = ['192.0.2.1', '192.0.2.0/24', '192.0.2.3', '198.51.100.7', '2001:db8::1', '2001:db8::/32'];
const ENDS = [null, '2026-11-20T13:00:00.000Z', '2026-11-20T15:00:00.000Z'];
const REASONS = ['scan', 'spam'];
/** Of the source 4. */
const LIST = 4;

let folder: StoreFolder;
let database: Database;
let store: BlockedIpsStore;
let bulk: BulkStore;
let search: ClaimSearch;

beforeEach(async () => {
  folder = new StoreFolder();
  database = await folder.open();
  const kinds = { 2: 'agent', 3: 'agent', [LIST]: 'list' } as const;
  const named = Object.entries(kinds).map(([id, kind]) => ({
    id: Number(id),
    name: `source-${id}`,
    kind,
    note: null,
    release_at: null,
    created_at: NOON.toISOString(),
  }));
  await database.write.insertInto('sources').values(named).execute();
  ({ store, bulk } = storesOf(database));
  search = new ClaimSearch(database.read);
});
afterEach(() => folder.remove());

/** `192.0.2.1 2`: the claim of source 2; its reason and end. */
type Model = Map<string, { readonly reason: string; readonly end: string | null }>;

const source = fc.constantFrom(1, 2, 3, LIST);
const reason = fc.constantFrom(...REASONS);
const change = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ text: fc.constantFrom(...TEXTS), source, reason, end: fc.constantFrom(...ENDS) }),
  },
  fc.record({ text: fc.constantFrom(...TEXTS), source, reason: fc.constant(null), end: fc.constant(null) }),
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;
const changes = fc.array(change, { maxLength: 4 });

function toStore({ text, source: of, reason: why, end }: Change): BlockedChange {
  if (why === null) return { op: 'remove', entry: entry(text), source: of };
  const expiry = end === null ? { kind: 'permanent' as const } : { kind: 'at' as const, at: end };
  return { op: 'add', entry: entry(text), source: of, reason: why, expiry };
}

async function make(model: Model, all: readonly Change[]): Promise<string[]> {
  for (const one of all) {
    const name = `${one.text} ${one.source}`;
    if (one.reason === null) model.delete(name);
    else model.set(name, { reason: one.reason, end: one.end });
  }
  await store.applyGroup(all.map(toStore), NOON, nothing);
  return all.map(({ text, source: of }) => `${text} ${of}`);
}

async function inDatabase(): Promise<Model> {
  const rows = await database.read.selectFrom('blocked_ips').selectAll().execute();
  const claims = await database.read.selectFrom('claims').selectAll().execute();
  expect(rows.reduce((sum, { others }) => sum + others, 0)).toBe(claims.length);
  const named = [
    ...rows.map((row) => [`${row.ip_address} ${row.source}`, row] as const),
    ...claims.map((row) => [`${entryOfSortKey(row.sort_key, 0).text} ${row.source}`, row] as const),
  ];
  return new Map(named.map(([name, row]) => [name, { reason: row.reason ?? '', end: row.expires_at }]));
}

it('drops the selected claims alone, and keeps what is changed while it runs', async () => {
  const selection = fc.record({
    source: fc.option(fc.constantFrom(1, 2, 3), { nil: undefined }),
    reason: fc.option(reason, { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 20 }),
      selection,
      fc.array(changes, { minLength: 3, maxLength: 8 }),
      fc.integer({ min: 1, max: 4 }),
      async (first, { source: of, reason: why }, meanwhile, limit) => {
        await database.write.deleteFrom('blocked_ips').execute();
        const model: Model = new Map();
        await make(model, first);
        const filter = why === undefined ? {} : { reason: why };
        const id = await bulk.begin({ replace: false, source: of, filter });
        const isMeant = (name: string, { reason: has }: { reason: string }) =>
          (of === undefined ? !name.endsWith(` ${LIST}`) : name.endsWith(` ${of}`)) &&
          (why === undefined || has === why);
        const selected = new Set([...model].filter(([name, claim]) => isMeant(name, claim)).map(([name]) => name));
        const changed = new Set<string>();
        const alsoChange = async () => {
          for (const name of await make(model, meanwhile.shift() ?? [])) changed.add(name);
        };
        await alsoChange();
        let after: Buffer | null = Buffer.alloc(0);
        while (after !== null) {
          const chosen = of === undefined ? { withoutLists: true } : { source: of };
          const { found, last } = await search.slice({ ...filter, ...chosen }, NOON.toISOString(), after, limit);
          await bulk.stage(
            id,
            found.map(({ sort_key }) => ({ op: 'remove', entry: entryOfSortKey(sort_key, 0) })),
          );
          await alsoChange();
          after = last;
        }
        await bulk.markReady([id]);
        await alsoChange();
        for (let done = false; !done; await alsoChange()) {
          ({ done } = await bulk.applySlice(id, limit, NOON, nothing));
        }
        await bulk.discard(id);
        const now = await inDatabase();
        for (const [name, claim] of now) {
          // A claim of another source that is not meant, or was changed, is as the model says.
          expect(model.get(name)).toEqual(claim);
        }
        // What is missing was selected, and nothing of its address that the unblock could drop was changed.
        for (const name of model.keys()) if (!now.has(name)) expect([...selected]).toContain(name);
        for (const name of changed) if (model.has(name)) expect([...now.keys()]).toContain(name);
        const touched = new Set([...changed].map((name) => name.split(' ')[0]));
        for (const name of selected) if (!touched.has(name.split(' ')[0])) expect(now.has(name)).toBe(false);
      },
    ),
    { numRuns: caseCount(200) },
  );
});
