import type { Kysely } from 'kysely';

/** Which claims a bulk unblock drops, and what changes of several addresses did, so that they can be undone. */
export async function selectedClaims(db: Kysely<unknown>): Promise<void> {
  // As JSON; null: all that its source and its staged rows say.
  await db.schema.alterTable('bulk_changes').addColumn('filter_json', 'text').execute();
  // Null: what it does is not recorded.
  await db.schema.alterTable('bulk_changes').addColumn('audit_id', 'integer').execute();
  await db.schema
    .createTable('undo_changes')
    .addColumn('audit_id', 'integer', (c) => c.primaryKey().notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('claims', 'integer', (c) => c.notNull())
    // 0: it changed too many claims.
    .addColumn('complete', 'integer', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('undo_blocks')
    .addColumn('audit_id', 'integer', (c) => c.notNull())
    .addColumn('block', 'integer', (c) => c.notNull())
    .addColumn('steps_json', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('undo_blocks_key', ['audit_id', 'block'])
    .execute();
}
