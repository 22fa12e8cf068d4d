import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  backBefore0018,
  backBefore0027,
  block,
  blockedTexts,
  entry,
  NOON,
  StoreFolder,
} from '../../testkit/store/store-folder.ts';
import { sortKey } from '../domain/ip.ts';
import { BlockedIpsStore } from './blocked-ips-store.ts';
import { MIGRATIONS, migrate } from './migrations.ts';

let folder: StoreFolder;
beforeEach(() => {
  folder = new StoreFolder();
});
afterEach(() => folder.remove());

/** Back to the schema before claims, with two blocked addresses. */
async function earlier(): Promise<SqliteDatabase.Database> {
  const fresh = await folder.open();
  await block(new BlockedIpsStore(fresh), '192.0.2.1', '2001:db8::/32');
  await fresh.close();
  const file = new SqliteDatabase(folder.file);
  backBefore0027(file);
  file.exec('drop trigger blocked_ips_text_corrected; drop trigger blocked_ips_claims_gone');
  file.exec('drop table claims; drop table sources; drop table upstream_networks; drop table upstreams');
  file.exec('drop table certificate_names; drop table certificate_versions; drop table certificates');
  file.exec('drop table https_names; alter table sites drop column tls_json');
  backBefore0018(file);
  for (const column of ['source', 'others', 'claimed_at']) file.exec(`alter table blocked_ips drop column ${column}`);
  file.exec(
    'alter table bulk_changes drop column source; alter table bulk_changes drop column filter_json; alter table bulk_changes drop column audit_id; drop table undo_changes; drop table undo_blocks; alter table api_keys drop column source',
  );
  file.exec('alter table api_keys drop column moves_claims; alter table bulk_skips drop column removals_only');
  file.exec(`create trigger blocked_ips_text_corrected after update of ip_address on blocked_ips begin select 1; end`);
  file.exec("delete from schema_migrations where name >= '0009'");
  return file;
}

const claim = (text: string, source: number): unknown[] => [
  sortKey(entry(text)),
  source,
  'list',
  null,
  NOON.toISOString(),
  null,
];

it('keeps every row of an earlier version, as a claim of manual', async () => {
  (await earlier()).close();
  const database = await folder.open({ createIfMissing: false });
  expect(await blockedTexts(new BlockedIpsStore(database))).toEqual(['192.0.2.1', '2001:db8::/32']);
  const rows = await database.read.selectFrom('blocked_ips').select(['source', 'others', 'claimed_at']).execute();
  expect(rows).toEqual([1, 2].map(() => ({ source: 1, others: 0, claimed_at: null })));
  expect(await database.read.selectFrom('sources').select(['id', 'name', 'kind']).execute()).toEqual([
    { id: 1, name: 'manual', kind: 'manual' },
  ]);
});

it('makes a version without claims refuse the database', async () => {
  const database = await folder.open();
  const without = MIGRATIONS.filter(({ name }) => name !== '0009-claims');
  await expect(migrate(database.write, without)).rejects.toMatchObject({
    name: 'DatabaseUnusable',
    reason: 'newer-schema',
  });
});

it('drops the claims of a row that an operator deletes, or whose text is corrected', async () => {
  const database = await folder.open();
  await block(new BlockedIpsStore(database), '192.0.2.1', '192.0.2.2', '192.0.2.3');
  const file = new SqliteDatabase(folder.file);
  const insert = file.prepare('insert into claims values (?, ?, ?, ?, ?, ?)');
  for (const text of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) insert.run(...claim(text, 2));
  file.exec('update blocked_ips set others = 1, source = 3, claimed_at = blocked_at');
  file.exec("delete from blocked_ips where ip_address = '192.0.2.1'");
  file.exec("update blocked_ips set ip_address = '192.0.2.9' where ip_address = '192.0.2.2'");
  expect(file.prepare('select sort_key from claims').pluck().all()).toEqual([sortKey(entry('192.0.2.3'))]);
  const corrected = file.prepare(
    "select sort_key, source, others, claimed_at from blocked_ips where ip_address = '192.0.2.9'",
  );
  expect(corrected.get()).toEqual({ sort_key: null, source: 1, others: 0, claimed_at: null });
  file.close();
});
