import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { entry, StoreFolder } from '../../testkit/store/store-folder.ts';
import { shortKey, sortKey } from '../domain/ip.ts';
import { HitsStore } from './hits-store.ts';

let folder: StoreFolder;
beforeEach(() => {
  folder = new StoreFolder();
});
afterEach(() => folder.remove());

const addresses = [
  '0.0.0.0',
  '192.0.2.1',
  '255.255.255.255',
  '::',
  '::1',
  '2002:c000:201::',
  '2001:db8::ff80',
  'ffff::',
];
const entries = [null, '192.0.0.0/16', '128.0.0.0/1', '::1', '2001:db8::/32', '192.0.2.1', '2001:db8::ff80/127'];

it('figures of denied addresses are kept when their keys get shorter', async () => {
  const rows = addresses.map((text, n) => {
    const by = entries[n % entries.length] ?? null;
    const figures = { total: n, first_hit: n, last_hit: n + 1, counters: `1:${n}`, hour_hits: n };
    return { address: entry(text), by: by === null ? null : entry(by), figures };
  });
  const written = (keyOf: typeof sortKey) =>
    rows.map(({ address, by, figures }) => ({
      ...{ address: keyOf(address), entry: by === null ? null : keyOf(by) },
      ...figures,
    }));
  const fresh = await folder.open();
  await new HitsStore(fresh).write({ knocking: written(shortKey), entries: [], gone: [] });
  const all = async (database: typeof fresh) =>
    await database.read.selectFrom('knocking').selectAll().orderBy('address').execute();
  const before = await all(fresh);
  expect(before).toHaveLength(addresses.length);
  await fresh.close();
  const file = new SqliteDatabase(folder.file);
  // Back to the schema before 0026.
  file.exec("delete from schema_migrations where name = '0026-short-addresses'");
  file.exec('delete from knocking');
  const insert = file.prepare('insert into knocking values (?, ?, ?, ?, ?, ?, ?)');
  for (const row of written(sortKey)) insert.run(...Object.values(row));
  file.close();
  expect(await all(await folder.open())).toEqual(before);
});
