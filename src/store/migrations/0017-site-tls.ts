import type { Kysely } from 'kysely';

/** What sites want of https, and the entries of the map that says so to HAProxy. */
export async function siteTls(db: Kysely<unknown>): Promise<void> {
  // Null: neither redirect nor HSTS.
  await db.schema.alterTable('sites').addColumn('tls_json', 'text').execute();
  await db.schema
    .createTable('https_names')
    .addColumn('name', 'text', (c) => c.primaryKey().notNull())
    .addColumn('value', 'text', (c) => c.notNull())
    .execute();
}
