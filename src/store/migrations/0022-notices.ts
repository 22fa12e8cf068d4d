import type { Kysely } from 'kysely';

/** What a person on call should know, and up to where each key has read it. */
export async function notices(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('notices')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('level', 'text', (c) => c.notNull())
    .addColumn('title', 'text', (c) => c.notNull())
    .addColumn('detail', 'text')
    .addColumn('detail_for_admins', 'integer', (c) => c.notNull())
    .addColumn('page', 'text', (c) => c.notNull())
    .addColumn('at', 'text', (c) => c.notNull())
    .addColumn('ended_at', 'text')
    .execute();
  await db.schema.createIndex('notices_subject').on('notices').column('subject').execute();
  await db.schema
    .createTable('notice_reads')
    .addColumn('key_name', 'text', (c) => c.primaryKey().notNull())
    .addColumn('up_to', 'integer', (c) => c.notNull())
    .addColumn('at', 'text', (c) => c.notNull())
    .execute();
}
