import type { Kysely } from 'kysely';

/** Sessions of the panel (ADR 0046). Neither token nor key is stored, only hashes. */
export async function sessions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('sessions')
    .addColumn('hash', 'text', (c) => c.primaryKey().notNull())
    .addColumn('key_name', 'text', (c) => c.notNull())
    .addColumn('key_proof', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('last_used_at', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('sessions_key_name').on('sessions').column('key_name').execute();
}
