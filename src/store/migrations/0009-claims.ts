import { type Kysely, sql } from 'kysely';

/**
 * Who wants an address blocked. `blocked_ips` keeps one row per blocked address, which carries the claim that ends
 * last; `claims` has the others (ADR 0057). Rows that exist become claims of `manual` by the default of the new column:
 * no row is written.
 */
export async function claims(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('sources')
    // Never reused, so that a claim never changes its source.
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('name', 'text', (c) => c.notNull().unique())
    .addColumn('kind', 'text', (c) => c.notNull().check(sql`kind in ('manual', 'agent', 'list')`))
    .addColumn('note', 'text')
    // When all its claims are to be dropped; null: not asked for.
    .addColumn('release_at', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .execute();
  const now = new Date().toISOString();
  await sql`insert into sources (id, name, kind, created_at) values (1, 'manual', 'manual', ${now})`.execute(db);
  // Without check constraints: SQLite would read the whole table for each.
  await db.schema
    .alterTable('blocked_ips')
    .addColumn('source', 'integer', (c) => c.notNull().defaultTo(1))
    .execute();
  await db.schema
    .alterTable('blocked_ips')
    .addColumn('others', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('blocked_ips').addColumn('claimed_at', 'text').execute();
  await db.schema
    .createTable('claims')
    .addColumn('sort_key', 'blob', (c) => c.notNull().check(sql`length(sort_key) = 17`))
    .addColumn('source', 'integer', (c) => c.notNull())
    .addColumn('reason', 'text')
    .addColumn('blocked_by', 'text')
    .addColumn('claimed_at', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'text', (c) =>
      // ISO 8601, UTC, milliseconds: the only form in which text order is time order.
      c.check(
        sql`expires_at is null or expires_at glob '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9].[0-9][0-9][0-9]Z'`,
      ),
    )
    .addPrimaryKeyConstraint('claims_key', ['sort_key', 'source'])
    .modifyEnd(sql`without rowid`)
    .execute();
  await sql`create index claims_ending on claims (expires_at) where expires_at is not null`.execute(db);
  // Null: `manual`, whose removals also drop the claims of agents.
  await db.schema.alterTable('bulk_changes').addColumn('source', 'integer').execute();
  // By name: a source exists from its first claim on.
  await db.schema.alterTable('api_keys').addColumn('source', 'text').execute();
  await rowsByHand(db);
}

/** An operator who deletes a row deletes the block; one whose text is corrected becomes a foreign row of `manual`. */
async function rowsByHand(db: Kysely<unknown>): Promise<void> {
  await sql`
    create trigger blocked_ips_claims_gone after delete on blocked_ips when old.others > 0
    begin
      delete from claims where sort_key = old.sort_key;
    end`.execute(db);
  await sql`drop trigger blocked_ips_text_corrected`.execute(db);
  await sql`
    create trigger blocked_ips_text_corrected after update of ip_address on blocked_ips
    when new.ip_address is not old.ip_address and new.sort_key is old.sort_key
    begin
      delete from claims where sort_key = old.sort_key;
      update blocked_ips set sort_key = null, source = 1, others = 0, claimed_at = null
        where ip_address = new.ip_address;
    end`.execute(db);
}
