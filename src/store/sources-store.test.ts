import { setImmediate } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { entry, NOON, nothing, StoreFolder } from '../../testkit/store/store-folder.ts';
import { BlockedIpsStore } from './blocked-ips-store.ts';
import type { Database } from './open-database.ts';
import { SourcesStore } from './sources-store.ts';

const addresses = 11_000;
const later = '2026-11-20T13:00:00.000Z';

let folder: StoreFolder;
let database: Database;
beforeEach(async () => {
  folder = new StoreFolder();
  database = await folder.open();
  const source = { kind: 'list', note: null, release_at: null, created_at: NOON.toISOString() } as const;
  for (const id of [2, 3, 4])
    await database.write
      .insertInto('sources')
      .values({ ...source, id, name: `s${id}` })
      .execute();
  const change = { op: 'add', entry: entry('192.0.2.1'), source: 1, expiry: { kind: 'permanent' } } as const;
  await new BlockedIpsStore(database).applyGroup([change], NOON, nothing);
  const file = new SqliteDatabase(folder.file);
  // Three of each address, so that slices end between claims of the same one.
  file.exec(`
    insert into claims (sort_key, source, claimed_at)
    with recursive n (i) as (select 1 union all select i + 1 from n where i < ${addresses})
    select cast(printf('%017d', i) as blob), s.id, case i when 5000 then '${later}' else '${NOON.toISOString()}' end
    from n, sources s where s.id > 1`);
  file.close();
});
afterEach(() => folder.remove());

const counts = [
  { what: 'all', count: async (store: SourcesStore, signal?: AbortSignal) => (await store.counts(signal)).get(3) },
  {
    what: 'those of one source',
    count: async (store: SourcesStore, signal?: AbortSignal) => await store.countsOf(3, signal),
  },
];

describe.each(counts)('a count of claims: $what', ({ count }) => {
  it('is exact, and lets others work between slices of some thousand', async () => {
    let turns = 0;
    let ended = false;
    const counted = count(new SourcesStore(database)).finally(() => {
      ended = true;
    });
    for (; !ended; turns += 1) await setImmediate();
    expect(await counted).toMatchObject({ claims: addresses });
    expect(turns).toBeGreaterThan((3 * addresses) / 4_096);
  });

  it('ends between two slices when it is aborted', async () => {
    const gone = new AbortController();
    let ended = false;
    const counted = count(new SourcesStore(database), gone.signal).finally(() => {
      ended = true;
    });
    const refused = expect(counted).rejects.toThrow('the client is gone');
    // In the second or a later slice of the further claims.
    for (let turns = 0; turns < 4; turns += 1) await setImmediate();
    expect(ended).toBe(false);
    gone.abort(new Error('the client is gone'));
    await refused;
  });
});

it('counts each source, with the time of its newest claim', async () => {
  const all = await new SourcesStore(database).counts();
  const further = { claims: addresses, alone: 0, last_claimed_at: later };
  expect([...all]).toEqual([
    [1, { claims: 1, alone: 1, last_claimed_at: NOON.toISOString() }],
    ...[2, 3, 4].map((id) => [id, further]),
  ]);
  for (const [id, counted] of all) expect(await new SourcesStore(database).countsOf(id)).toEqual(counted);
  expect(await new SourcesStore(database).countsOf(5)).toEqual({ claims: 0, alone: 0, last_claimed_at: null });
});
