import type { Kysely } from 'kysely';

/** 1: the key was bound to a source, and not all of its earlier claims have been moved to that source. */
export async function keyBinding(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('api_keys')
    .addColumn('moves_claims', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
}
