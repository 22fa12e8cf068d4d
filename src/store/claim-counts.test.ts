import { setImmediate } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { countsExactly } from '../../testkit/store/claim-counts.ts';
import { backBefore0027, entry, NOON, nothing, StoreFolder } from '../../testkit/store/store-folder.ts';
import type { BlockedChange } from './blocked-changes.ts';
import { BlockedIpsStore } from './blocked-ips-store.ts';
import { ClaimsStore } from './claims-store.ts';
import type { Database } from './open-database.ts';
import { SourcesStore } from './sources-store.ts';

const [ip, other] = ['192.0.2.1', '192.0.2.2'] as const;
const later = new Date(NOON.getTime() + 60_000);

let folder: StoreFolder;
let database: Database;
let store: BlockedIpsStore;
beforeEach(async () => {
  folder = new StoreFolder();
  database = await folder.open();
  store = new BlockedIpsStore(database);
  const source = { kind: 'list', note: null, release_at: null, created_at: NOON.toISOString() } as const;
  for (const id of [2, 3])
    await database.write
      .insertInto('sources')
      .values({ ...source, id, name: `s${id}` })
      .execute();
  await store.applyGroup([claim(ip, 1), claim(ip, 2), claim(other, 2)], NOON, nothing);
});
afterEach(() => folder.remove());

function claim(text: string, source: number): BlockedChange {
  return { op: 'add', entry: entry(text), source, expiry: { kind: 'permanent' } };
}

async function said(of: Database = database) {
  return (await new SourcesStore(of).list()).map(({ id, claims, alone, last_claimed_at: last }) => [
    ...[id, claims, alone],
    last,
  ]);
}

/** As an operator with the command line of SQLite. */
function byHand(statement: string): void {
  const file = new SqliteDatabase(folder.file);
  file.exec(statement);
  file.close();
}

/** As each rewrite of the map file. */
async function tableIsRead(): Promise<void> {
  const begun = await store.beginTableRead();
  for (let last: string | null = null, done = false; !done; done = last === null)
    ({ last } = await store.adoptUnkeyedRows(last, 100, later));
  await store.tableWasRead((await store.scanTexts(null, 100_000)).texts.length, begun);
}

const noon = NOON.toISOString();
const atFirst = [
  [1, 1, 0, noon],
  [2, 2, 1, noon],
  [3, 0, 0, null],
];

it('each source says how many claims it has, how many of them no other source has, and when it made the newest', async () => {
  expect(await said()).toEqual(atFirst);
  await store.applyGroup([claim(other, 3)], later, nothing);
  await store.applyGroup([{ op: 'remove', entry: entry(ip), source: 1 }], later, nothing);
  expect(await said()).toEqual([
    [1, 0, 0, noon],
    [2, 2, 1, noon],
    [3, 1, 0, later.toISOString()],
  ]);
});

it('a change that is rolled back counts nothing', async () => {
  const refused = store.applyGroup([claim('192.0.2.3', 3), claim(ip, 3)], later, () => {
    throw new Error('no');
  });
  await expect(refused).rejects.toThrow('no');
  expect(await said()).toEqual(atFirst);
});

it('a database of an earlier version is counted once', async () => {
  await database.close();
  const file = new SqliteDatabase(folder.file);
  backBefore0027(file);
  file.exec(`insert into blocked_ips (ip_address, blocked_at) values ('192.0.2.9', '${noon}')`);
  file.exec("delete from schema_migrations where name = '0027-claim-counts'");
  file.close();
  const migrated = await folder.open();
  expect(await said(migrated)).toEqual(atFirst);
  await new BlockedIpsStore(migrated).applyGroup([{ op: 'remove', entry: entry(ip), source: 2 }], later, nothing);
  await countsExactly(migrated);
});

it('a removed source that is named again has the claims that were made meanwhile, and else is as if new', async () => {
  const sources = new SourcesStore(database);
  await database.write.updateTable('sources').set({ removed: 1 }).where('id', '>', 1).execute();
  await store.applyGroup([claim(other, 3)], later, nothing);
  await store.applyGroup([{ op: 'remove', entry: entry(other), source: 3 }], later, nothing);
  expect(await sources.create('s2', 'list', later)).toMatchObject({ claims: 2, alone: 1, last_claimed_at: noon });
  expect(await sources.create('s3', 'list', later)).toMatchObject({ claims: 0, alone: 0, last_claimed_at: null });
});

describe('of a change by another program', () => {
  it.each([
    ['deletes a row', `delete from blocked_ips where ip_address = '${ip}'`],
    ['corrects an address', `update blocked_ips set ip_address = '192.0.2.7' where ip_address = '${ip}'`],
    ['deletes a claim', 'delete from claims'],
    ['gives a claim to another source', 'update claims set source = 3'],
    ['gives an address to another source', `update blocked_ips set source = 3 where ip_address = '${other}'`],
    ['deletes all rows', 'delete from blocked_ips'],
  ])('that %s all is counted at once', async (_, statement) => {
    byHand(statement);
    await countsExactly(database);
    await tableIsRead();
    await countsExactly(database);
  });

  it('a row without a key counts once the service adopts it, for manual', async () => {
    byHand(
      `insert into blocked_ips (ip_address, blocked_at) values ('192.0.2.3', '${noon}'), ('192.0.2.03', '${noon}')`,
    );
    expect(await said()).toEqual(atFirst);
    await tableIsRead();
    expect((await said())[0]).toEqual([1, 2, 1, noon]);
  });

  it.each([
    ['replaces a row', `insert or replace into blocked_ips (ip_address, blocked_at) values ('${ip}', '${noon}')`],
    [
      'inserts a claim',
      `insert into claims select sort_key, 3, null, null, '${later.toISOString()}', null from claims`,
    ],
  ])('that %s all is counted again when the table is read', async (_, statement) => {
    byHand(statement);
    await tableIsRead();
    const last = await countsExactly(database);
    expect(last.get(3)).toBe(statement.includes('replace') ? null : later.toISOString());
  });

  it('what a program did while the service was stopped is counted by the start', async () => {
    await database.close();
    byHand(`insert or replace into blocked_ips (ip_address, blocked_at) values ('${ip}', '${noon}')`);
    database = await folder.open();
    store = new BlockedIpsStore(database);
    await new ClaimsStore(database).repair(later);
    await tableIsRead();
    await countsExactly(database);
  });
});

it('a new count is exact: others work between its slices of some thousand, and changes wait for it', async () => {
  const addresses = 11_000;
  // Three of each address, so that slices end between claims of the same one.
  byHand(`
    insert into claims (sort_key, source, claimed_at)
    with recursive n (i) as (select 1 union all select i + 1 from n where i < ${addresses})
    select cast(printf('%017d', i) as blob), s.id, case i when 5000 then '${later.toISOString()}' else '${noon}' end
    from n, sources s`);
  let turns = 0;
  let ended = false;
  const counted = database.recountClaims().finally(() => {
    ended = true;
  });
  for (; turns < 4; turns += 1) await setImmediate();
  expect(ended).toBe(false);
  // Of a slice that is counted already.
  const meanwhile = store.applyGroup([claim('192.0.2.4', 3), claim(other, 3)], NOON, nothing);
  for (; !ended; turns += 1) await setImmediate();
  await Promise.all([counted, meanwhile]);
  expect(turns).toBeGreaterThan((3 * addresses) / 4_096);
  await countsExactly(database);
  expect((await said()).map(([, , , last]) => last)).toEqual([1, 2, 3].map(() => later.toISOString()));
});
