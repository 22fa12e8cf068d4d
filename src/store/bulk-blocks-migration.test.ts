import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  backBefore0018,
  backBefore0027,
  block,
  blockedTexts,
  entry,
  finish,
  StoreFolder,
  storesOf,
} from '../../testkit/store/store-folder.ts';
import { sortKey } from '../domain/ip.ts';
import { BlockedIpsStore } from './blocked-ips-store.ts';
import { TrustedIpsStore } from './trusted-ips-store.ts';

let folder: StoreFolder;
beforeEach(() => {
  folder = new StoreFolder();
});
afterEach(() => folder.remove());

/** Back to the schema of 0001. */
async function earlier(): Promise<SqliteDatabase.Database> {
  const fresh = await folder.open();
  await block(new BlockedIpsStore(fresh), '192.0.2.9');
  await fresh.close();
  const file = new SqliteDatabase(folder.file);
  file.exec(
    "drop table bulk_blocks; drop table audit; drop table audit_outcomes; drop table webhooks; drop table webhook_events; drop table health_probe; delete from schema_migrations where name > '0001-first-tables'",
  );
  file.exec('drop index trusted_ips_expires_at; alter table trusted_ips drop column expires_at; drop table sessions');
  backBefore0027(file);
  file.exec('drop trigger blocked_ips_text_corrected; drop trigger blocked_ips_claims_gone');
  file.exec('drop table claims; drop table sources; drop table upstream_networks; drop table upstreams');
  file.exec('drop table certificate_names; drop table certificate_versions; drop table certificates');
  file.exec('drop table https_names; alter table sites drop column tls_json');
  backBefore0018(file);
  file.exec(
    'alter table bulk_changes drop column source; alter table bulk_changes drop column filter_json; alter table bulk_changes drop column audit_id; drop table undo_changes; drop table undo_blocks; alter table api_keys drop column source',
  );
  file.exec('alter table api_keys drop column moves_claims; alter table bulk_skips drop column removals_only');
  for (const column of ['source', 'others', 'claimed_at']) file.exec(`alter table blocked_ips drop column ${column}`);
  file.exec(
    'create table bulk_staging (bulk integer not null, run integer not null, first_key blob not null, records_json text not null, primary key (bulk, run, first_key))',
  );
  return file;
}

it('finishes a bulk change that an earlier version had received completely', async () => {
  const file = await earlier();
  file.exec("update blocked_ips set reason = 'old'");
  file.exec("insert into bulk_changes values (7, 1, 'ann', 'adding', null, '2026-11-20T12:00:00.000Z')");
  const at = '2026-11-20T13:00:00.000Z';
  const record = (text: string, ...rest: unknown[]) => [sortKey(entry(text)).toString('hex'), text, ...rest];
  const blocks: [number, unknown[][]][] = [
    [1, [record('192.0.2.1', 'keep'), record('192.0.2.3', 'at', at, 0, 'bob'), record('192.0.2.4', 'keep')]],
    [3, [record('192.0.2.9', 'at', at, 0, 'bob')]],
    [2, [record('192.0.2.2', 'permanent', 0, 'scan'), record('192.0.2.4', 'remove')]],
    [2, [record('2001:db8::/32', 'later-of', at, null)]],
  ];
  const insert = file.prepare('insert into bulk_staging values (7, ?, ?, ?)');
  for (const [run, records] of blocks) {
    insert.run(run, Buffer.from(records[0]![0] as string, 'hex'), JSON.stringify(records));
  }
  file.close();
  const database = await folder.open({ createIfMissing: false });
  const { store, bulk } = storesOf(database);
  expect(await bulk.unfinished()).toEqual([{ id: '7', state: 'ready', replace: true }]);
  await finish(bulk, '7', 2);
  expect(await blockedTexts(store)).toEqual(['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.9', '2001:db8::/32']);
  expect(await store.get('192.0.2.2')).toMatchObject({ reason: 'scan', blocked_by: 'ann', expires_at: null });
  expect(await store.get('192.0.2.3')).toMatchObject({ reason: null, blocked_by: 'bob', expires_at: at });
  expect(await store.get('192.0.2.9')).toMatchObject({ reason: 'old', blocked_by: 'bob', expires_at: at });
  expect(await store.get('2001:db8::/32')).toMatchObject({ expires_at: at });
  await database.close();
});

it('migrates unfinished bulk changes of an earlier version, whatever they contain', async () => {
  const file = await earlier();
  const states = ['receiving', 'finished', 'discarded', 'receiving'];
  for (const [index, state] of states.entries()) {
    file.exec(`insert into bulk_changes values (${index + 1}, 1, null, '${state}', null, '2026-11-20T12:00:00.000Z')`);
    const records = index === 3 ? 'no JSON' : JSON.stringify([['00', 'no address', 'keep']]);
    file.exec(`insert into bulk_staging values (${index + 1}, 1, x'00', '${records}')`);
    file.exec(`insert into bulk_skips values (${index + 1}, x'00', '192.0.2.1')`);
  }
  file.close();
  const database = await folder.open({ createIfMissing: false });
  const { store, bulk } = storesOf(database);
  expect(await blockedTexts(store)).toEqual(['192.0.2.9']);
  expect(await bulk.unfinished()).toEqual([]);
  for (const table of ['bulk_changes', 'bulk_skips', 'bulk_blocks'] as const) {
    expect(await database.read.selectFrom(table).selectAll().execute()).toEqual([]);
  }
  await database.close();
});

it('keeps trust of an earlier version, permanently', async () => {
  const file = await earlier();
  const insert = file.prepare("insert into trusted_ips values ('192.0.2.7', ?, 'office', '2026-11-20T12:00:00.000Z')");
  insert.run(sortKey(entry('192.0.2.7')));
  file.close();
  const store = new TrustedIpsStore(await folder.open({ createIfMissing: false }));
  expect(await store.list()).toMatchObject([{ ip_address: '192.0.2.7', note: 'office', expires_at: null }]);
});
