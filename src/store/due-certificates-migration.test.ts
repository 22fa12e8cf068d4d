import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { NOON, StoreFolder } from '../../testkit/store/store-folder.ts';
import { AcmeCertificatesStore } from './acme-certificates-store.ts';

let folder: StoreFolder;
beforeEach(() => {
  folder = new StoreFolder();
});
afterEach(() => folder.remove());

it('keeps what was wanted, and what was not due is due since it was requested', async () => {
  const fresh = await folder.open();
  const requested = { directory: 'https://ca.example/directory', challenge: 'http-01', profile: null } as const;
  const store = new AcmeCertificatesStore(fresh);
  await store.add({ ...requested, id: 'c-a', names: ['a.example', 'b.example'] }, NOON);
  await store.add({ ...requested, id: 'c-b', names: ['c.example'] }, NOON);
  const later = new Date(NOON.getTime() + 1);
  await store.demand('c-b', later);
  const before = await store.all();
  await fresh.close();
  const file = new SqliteDatabase(folder.file);
  // Back to the schema before 0024.
  file.exec("delete from schema_migrations where name = '0024-due-certificates'");
  file.exec('drop index acme_certificates_due; alter table acme_certificates drop column due_at');
  file.exec('alter table acme_certificates drop column failing_reported_at');
  file.exec('alter table acme_certificates add column due_at text');
  file.exec('create index acme_certificates_due on acme_certificates (due_at)');
  file.prepare("update acme_certificates set due_at = ? where id = 'c-b'").run(later.toISOString());
  file.close();
  const migrated = new AcmeCertificatesStore(await folder.open());
  expect(await migrated.all()).toEqual(before);
  expect(await migrated.due(later, 9)).toHaveLength(2);
  expect(await migrated.add({ ...requested, id: 'c-x', names: ['c.example'] }, NOON)).toBeNull();
});
