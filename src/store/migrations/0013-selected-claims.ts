import type { Kysely } from 'kysely';

/** Which claims a bulk unblock drops, as JSON; null: all that its source and its staged rows say. */
export async function selectedClaims(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('bulk_changes').addColumn('filter_json', 'text').execute();
}
