import { type Kysely, sql } from 'kysely';

/** Each certificate is due at a time, and knows when its failure was reported. SQLite cannot change a column: a new table. */
export async function dueCertificates(db: Kysely<unknown>): Promise<void> {
  await sql`alter table acme_certificates rename to acme_certificates_before`.execute(db);
  await db.schema
    .createTable('acme_certificates')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('directory', 'text', (c) => c.notNull())
    .addColumn('names_json', 'text', (c) => c.notNull())
    .addColumn('names_key', 'text', (c) => c.notNull().unique())
    .addColumn('challenge', 'text', (c) => c.notNull())
    .addColumn('profile', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('due_at', 'text', (c) => c.notNull())
    .addColumn('due_by', 'text', (c) => c.notNull())
    .addColumn('failures', 'integer', (c) => c.notNull())
    .addColumn('problem_json', 'text')
    .addColumn('failing_reported_at', 'text')
    .addColumn('ari_id', 'text')
    .addColumn('ari_json', 'text')
    .addColumn('ari_poll_at', 'text')
    .execute();
  const kept = sql`id, directory, names_json, names_key, challenge, profile, created_at, due_by, failures, problem_json,
    ari_id, ari_json, ari_poll_at`;
  await sql`insert into acme_certificates (${kept}, due_at)
    select ${kept}, coalesce(due_at, created_at) from acme_certificates_before`.execute(db);
  await sql`drop table acme_certificates_before`.execute(db);
  await db.schema.createIndex('acme_certificates_due').on('acme_certificates').column('due_at').execute();
  await db.schema.createIndex('acme_certificates_poll').on('acme_certificates').column('ari_poll_at').execute();
}
