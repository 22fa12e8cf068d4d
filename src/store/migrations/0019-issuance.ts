import { type Kysely, sql } from 'kysely';

/** Certificates of an ACME authority: accounts, what is wanted of them, orders, failed validations, pauses. */
export async function issuance(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('acme_accounts')
    .addColumn('directory', 'text', (c) => c.primaryKey().notNull())
    .addColumn('id', 'text', (c) => c.notNull().unique())
    .addColumn('url', 'text')
    .addColumn('key_sealed', 'blob', (c) => c.notNull())
    .addColumn('public_key_sha256', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('acme_pauses')
    .addColumn('directory', 'text', (c) => c.notNull())
    .addColumn('scope', 'text', (c) => c.notNull())
    .addColumn('until', 'text', (c) => c.notNull())
    .addColumn('failures', 'integer', (c) => c.notNull())
    .addColumn('problem_json', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('acme_pauses_key', ['directory', 'scope'])
    .execute();
  // Without a reference to `certificates`: it is wanted before there is one.
  await db.schema
    .createTable('acme_certificates')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('directory', 'text', (c) => c.notNull())
    .addColumn('names_json', 'text', (c) => c.notNull())
    .addColumn('names_key', 'text', (c) => c.notNull().unique())
    .addColumn('challenge', 'text', (c) => c.notNull())
    .addColumn('profile', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('due_at', 'text')
    .addColumn('due_by', 'text', (c) => c.notNull())
    .addColumn('failures', 'integer', (c) => c.notNull())
    .addColumn('problem_json', 'text')
    .addColumn('ari_id', 'text')
    .addColumn('ari_json', 'text')
    .addColumn('ari_poll_at', 'text')
    .execute();
  await db.schema.createIndex('acme_certificates_due').on('acme_certificates').column('due_at').execute();
  await db.schema.createIndex('acme_certificates_poll').on('acme_certificates').column('ari_poll_at').execute();
  await db.schema
    .createTable('acme_orders')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('certificate', 'text', (c) => c.notNull())
    .addColumn('directory', 'text', (c) => c.notNull())
    .addColumn('names_json', 'text', (c) => c.notNull())
    .addColumn('names_key', 'text', (c) => c.notNull())
    .addColumn('profile', 'text')
    .addColumn('replaces', 'text')
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('url', 'text')
    .addColumn('finalize_url', 'text')
    .addColumn('challenges_json', 'text')
    .addColumn('key_sealed', 'blob')
    .addColumn('public_key_sha256', 'text')
    .addColumn('csr', 'blob')
    .addColumn('finalized_at', 'text')
    .addColumn('certificate_url', 'text')
    .addColumn('problem_json', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addColumn('closed_at', 'text')
    .execute();
  await sql`create unique index acme_orders_open on acme_orders (certificate) where closed_at is null`.execute(db);
  await db.schema.createIndex('acme_orders_certificate').on('acme_orders').column('certificate').execute();
  await db.schema
    .createIndex('acme_orders_finalized')
    .on('acme_orders')
    .columns(['names_key', 'finalized_at'])
    .execute();
  await db.schema
    .createTable('acme_failed_validations')
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('at', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('acme_failed_validations_name')
    .on('acme_failed_validations')
    .columns(['name', 'at'])
    .execute();
}
