import { type Kysely, sql } from 'kysely';

/** The hour that has begun survives a crash. No query used the index, and each flush wrote it. */
export async function insightHours(db: Kysely<unknown>): Promise<void> {
  await sql`alter table knocking add column hour_hits integer not null default 0`.execute(db);
  await sql`drop index entry_hits_last`.execute(db);
}
