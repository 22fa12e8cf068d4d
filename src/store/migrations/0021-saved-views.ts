import type { Kysely } from 'kysely';

/** Filters of the panel's lists, saved under a name. */
export async function savedViews(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('saved_views')
    .addColumn('name', 'text', (c) => c.primaryKey().notNull())
    .addColumn('page', 'text', (c) => c.notNull())
    .addColumn('query', 'text', (c) => c.notNull())
    .addColumn('created_by', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .execute();
}
