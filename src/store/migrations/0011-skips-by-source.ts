import type { Kysely } from 'kysely';

/** 1: only an agent claimed the address meanwhile: what was staged still adds the claim of its own source. */
export async function skipsBySource(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('bulk_skips')
    .addColumn('removals_only', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
}
