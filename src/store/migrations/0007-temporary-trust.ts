import { type Kysely, sql } from 'kysely';

/** Trusted addresses may expire; null: permanent, as all were before. The index serves the lookup of expired ones. */
export async function temporaryTrust(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('trusted_ips')
    .addColumn('expires_at', 'text', (c) =>
      // ISO 8601, UTC, milliseconds: the only form in which text order is time order.
      c.check(
        sql`expires_at is null or expires_at glob '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9].[0-9][0-9][0-9]Z'`,
      ),
    )
    .execute();
  await db.schema
    .createIndex('trusted_ips_expires_at')
    .on('trusted_ips')
    .column('expires_at')
    .where(sql.ref('expires_at'), 'is not', null)
    .execute();
}
