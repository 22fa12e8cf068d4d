import { type Kysely, sql } from 'kysely';

/**
 * A row for the health probe alone. It used to write `user_version`, which belongs to the database's owner and which
 * nothing of ours reads.
 */
export async function healthProbe(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('health_probe')
    .addColumn('only', 'integer', (c) => c.primaryKey().notNull())
    .addColumn('probes', 'integer', (c) => c.notNull())
    .addCheckConstraint('health_probe_one_row', sql`only = 1`)
    .execute();
  await sql`insert into health_probe (only, probes) values (1, 0)`.execute(db);
  await sql`pragma user_version = 0`.execute(db);
}
