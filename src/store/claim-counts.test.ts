import { setImmediate } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
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

/** As each rewrite of the map file, and what follows it. */
async function tableIsRead(): Promise<void> {
  const begun = await store.beginTableRead();
  for (let last: string | null = null, done = false; !done; done = last === null)
    ({ last } = await store.adoptUnkeyedRows(last, 100, later));
  await store.tableWasRead((await store.scanTexts(null, 100_000)).texts.length, begun);
  await store.correctCounts();
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

it('a claim that is dropped and made again while another keeps the address blocked has the new time', async () => {
  const until = new Date(later.getTime() + 60_000).toISOString();
  const temporary = { op: 'add', entry: entry(other), source: 3, expiry: { kind: 'at', at: until } } as const;
  await store.applyGroup([temporary], NOON, nothing);
  await store.applyGroup([{ op: 'remove', entry: entry(other), source: 2 }, claim(other, 2)], later, nothing);
  const claims = (await new ClaimsStore(database).claimedAmong([other])).get(other);
  expect(claims?.since).toBe(noon);
  expect(claims?.claims.map(({ source, row }) => [source, row.blocked_at])).toEqual([
    [2, later.toISOString()],
    [3, noon],
  ]);
  expect((await said())[1]).toEqual([2, 2, 0, later.toISOString()]);
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

  const fromBackup = (change: string) => `
    create temp table backup as select * from blocked_ips;
    ${change};
    insert or replace into blocked_ips select * from backup`;

  it.each([
    ['replaces a row', `insert or replace into blocked_ips (ip_address, blocked_at) values ('${ip}', '${noon}')`],
    [
      'inserts a claim',
      `insert into claims select sort_key, 3, null, null, '${later.toISOString()}', null from claims`,
    ],
    ['replaces rows by those of a backup', fromBackup('select 1')],
    ['replaces rows by those of a backup, of another source', fromBackup('update backup set source = 3')],
    [
      'replaces a row and inserts a claim, so that the total is right,',
      `insert or replace into blocked_ips (ip_address, blocked_at) values ('${other}', '${noon}');
      insert into claims select sort_key, 3, null, null, '${later.toISOString()}', null from claims`,
    ],
    ['writes counts itself', 'update sources set claims = 7, alone = 3'],
  ])('that %s all is counted again when the table is read', async (_, statement) => {
    byHand(statement);
    await tableIsRead();
    const last = await countsExactly(database);
    const inserts = statement.includes('insert into claims');
    const claimsNow = (await said())[2]?.[1] ?? 0;
    expect(last.get(3)).toBe(inserts ? later.toISOString() : claimsNow === 0 ? null : noon);
  });

  it('all is counted once, also if there is a claim of a source that does not exist', async () => {
    byHand(`pragma foreign_keys = off; update blocked_ips set source = 77 where ip_address = '${other}'`);
    await tableIsRead();
    const known = [
      [1, 1, 0, noon],
      [2, 1, 0, noon],
      [3, 0, 0, null],
    ];
    expect(await said()).toEqual(known);
    // Another count would correct this.
    await database.write.updateTable('sources').set({ claims: 9 }).where('id', '=', 3).execute();
    await tableIsRead();
    expect((await said())[2]).toEqual([3, 9, 0, null]);
  });

  it('a count that failed is repeated by the next one', async () => {
    byHand(fromBackup('update backup set source = 3'));
    const fails = vi.spyOn(database.write, 'transaction').mockImplementationOnce(() => {
      throw new Error('disk full');
    });
    await expect(store.correctCounts()).rejects.toThrow('disk full');
    fails.mockRestore();
    await store.correctCounts();
    await countsExactly(database);
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

describe('a new count of many slices', () => {
  const addresses = 11_000;
  const keyed = 9_000;

  beforeEach(async () => {
    const texts = Array.from({ length: keyed }, (_, n) => `10.0.${n >> 8}.${n & 255}`);
    const claims = texts.map((text) => claim(text, 2));
    await store.applyGroup(claims, NOON, nothing);
    // Each third address of these has another source too.
    const shared = texts.filter((_, n) => n % 3 === 0).map((text) => claim(text, 3));
    await store.applyGroup(shared, NOON, nothing);
    // Three of each address, so that slices end between claims of the same one.
    byHand(`
      update sources set claims = 5, alone = 4;
      insert into claims (sort_key, source, claimed_at)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < ${addresses})
      select cast(printf('%017d', i) as blob), s.id, case i when 5000 then '${later.toISOString()}' else '${noon}' end
      from n, sources s`);
  });

  it('is exact, and neither other work nor changes wait for it', async () => {
    let turns = 0;
    let ended = false;
    const counted = database.claimRecount.correct().finally(() => {
      ended = true;
    });
    for (; turns < 3; turns += 1) await setImmediate();
    // Of slices that are counted already and of those that are not.
    const drop = (text: string): BlockedChange => ({ op: 'remove', entry: entry(text), source: 2 });
    const changes = [claim('10.0.0.1', 3), claim('10.0.34.250', 3), drop('10.0.0.2'), drop('10.0.34.251')];
    await store.applyGroup([...changes, claim('192.0.2.4', 3), claim(other, 3)], NOON, nothing);
    const again = database.claimRecount.correct();
    expect(ended).toBe(false);
    for (; !ended; turns += 1) await setImmediate();
    await Promise.all([counted, again]);
    expect(turns).toBeGreaterThan((keyed + 3 * addresses) / 4_096);
    await countsExactly(database);
    expect((await said()).map(([, , , last]) => last)).toEqual([1, 2, 3].map(() => later.toISOString()));
  });

  it('counts what another program replaces meanwhile the next time', async () => {
    const counted = database.claimRecount.correct();
    for (let turns = 0; turns < 3; turns += 1) await setImmediate();
    byHand("insert or replace into blocked_ips select * from blocked_ips where ip_address like '10.0.1.%'");
    await counted;
    await database.claimRecount.correct();
    await countsExactly(database);
  });

  it('is given up when the database is closed', async () => {
    const counted = database.claimRecount.correct();
    for (let turns = 0; turns < 3; turns += 1) await setImmediate();
    await database.close();
    await counted;
    database = await folder.open();
    expect((await said())[0]).toEqual([1, 5, 4, noon]);
    await database.claimRecount.correct();
    await countsExactly(database);
  });
});
