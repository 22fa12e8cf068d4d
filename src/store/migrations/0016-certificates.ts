import type { Kysely } from 'kysely';

/** Certificates, their last versions, and which of them each name belongs to. */
export async function certificates(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('certificates')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    // No check: later sources need no new table.
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('active_version', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('certificate_versions')
    .addColumn('certificate', 'text', (c) => c.notNull().references('certificates.id').onDelete('cascade'))
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('names_json', 'text', (c) => c.notNull())
    .addColumn('not_before', 'text', (c) => c.notNull())
    .addColumn('not_after', 'text', (c) => c.notNull())
    .addColumn('issuer', 'text', (c) => c.notNull())
    .addColumn('sha256', 'text', (c) => c.notNull())
    .addColumn('sha1', 'text', (c) => c.notNull())
    .addColumn('details_json', 'text', (c) => c.notNull())
    .addColumn('chain_pem', 'text', (c) => c.notNull())
    .addColumn('public_key_sha256', 'text', (c) => c.notNull())
    .addColumn('key_sealed', 'blob', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('certificate_versions_key', ['certificate', 'version'])
    .execute();
  // Of active versions. A name belongs to one certificate, because HAProxy serves one for it.
  await db.schema
    .createTable('certificate_names')
    .addColumn('name', 'text', (c) => c.primaryKey().notNull())
    .addColumn('certificate', 'text', (c) => c.notNull().references('certificates.id').onDelete('cascade'))
    .execute();
  await db.schema.createIndex('certificate_names_certificate').on('certificate_names').column('certificate').execute();
}
