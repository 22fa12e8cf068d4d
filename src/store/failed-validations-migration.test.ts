import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { NOON, StoreFolder } from '../../testkit/store/store-folder.ts';
import { AcmeCertificatesStore } from './acme-certificates-store.ts';
import { AcmeOrdersStore } from './acme-orders-store.ts';
import type { Database } from './open-database.ts';

const STAGING = 'https://staging.example/directory';
const REAL = 'https://real.example/directory';
const HOUR = 3_600_000;

let folder: StoreFolder;
beforeEach(() => {
  folder = new StoreFolder();
});
afterEach(() => folder.remove());

const at = (minutes: number) => new Date(NOON.getTime() + minutes * 60_000);

async function planned(database: Database, directory: string, id: string, minutes: number) {
  const wanted = new AcmeCertificatesStore(database);
  const limits = { issues: [], failedValidations: { most: 3, withinMs: HOUR } };
  const plan = { directory, profile: null, replaces: null, ...limits };
  const outcome = await wanted.plan((await wanted.get(id))!, plan, at(minutes));
  if (outcome === null) throw new Error('not planned');
  return outcome;
}

async function fails(database: Database, directory: string, id: string, minutes: number): Promise<void> {
  const outcome = await planned(database, directory, id, minutes);
  if (!outcome.ok) throw new Error('limited');
  const { order } = outcome;
  const problem = { class: 'will retry', type: 'dns', detail: 'no such name', subproblems: [], advice: null } as const;
  const end = { dueAt: at(minutes), dueBy: 'retry', failedNames: order.names, notIssued: false } as const;
  await new AcmeOrdersStore(database).fail(
    order,
    { problem: { ...problem, at: at(minutes).toISOString() }, ...end },
    at(minutes),
  );
}

it('failed validations count at the authority of their order', async () => {
  const fresh = await folder.open();
  const requested = { directory: STAGING, challenge: 'http-01', profile: null } as const;
  const store = new AcmeCertificatesStore(fresh);
  await store.add({ ...requested, id: 'c-a', names: ['a.example', 'b.example'] }, NOON);
  await store.add({ ...requested, id: 'c-c', names: ['c.example'] }, NOON);
  for (const minutes of [0, 1, 2]) await fails(fresh, STAGING, 'c-a', minutes);
  await fails(fresh, STAGING, 'c-c', 2);
  for (const minutes of [3, 4, 5]) await fails(fresh, REAL, 'c-c', minutes);
  const rows = async (database: Database) =>
    await database.read.selectFrom('acme_failed_validations').selectAll().orderBy('at').orderBy('name').execute();
  const before = await rows(fresh);
  expect(before).toHaveLength(10);
  await fresh.close();
  const file = new SqliteDatabase(folder.file);
  // Back to the schema before 0025.
  file.exec("delete from schema_migrations where name = '0025-failed-validations'");
  file.exec('alter table acme_failed_validations drop column directory');
  // Its order was deleted long ago.
  file.prepare('insert into acme_failed_validations (name, at) values (?, ?)').run('old.example', at(0).toISOString());
  file.close();
  const migrated = await folder.open();
  expect(await rows(migrated)).toEqual(before);
  expect(await planned(migrated, STAGING, 'c-a', 6)).toMatchObject({ ok: false, until: at(60) });
  expect(await planned(migrated, REAL, 'c-a', 6)).toMatchObject({ ok: true });
  expect(await planned(migrated, REAL, 'c-c', 6)).toMatchObject({ ok: false, until: at(63) });
});
