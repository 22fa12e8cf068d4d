import type { Kysely } from 'kysely';

/** What happened to all claims of a source at once. */
export async function releases(db: Kysely<unknown>): Promise<void> {
  // Not 0: a release dropped its claims, and the agent has claimed nothing since.
  await db.schema
    .alterTable('sources')
    .addColumn('released', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  // 1: an operator removed it. The row stays, because a claim that was being made may still come to its number.
  await db.schema
    .alterTable('sources')
    .addColumn('removed', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
}
