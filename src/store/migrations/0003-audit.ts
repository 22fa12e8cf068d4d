import { type Kysely, sql } from 'kysely';

/**
 * Who did what, and with what outcome. The row of a change is written in the change's own transaction; its outcome is
 * known later and has its own table, so that no row is ever rewritten (ADR 0029).
 */
export async function audit(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('audit')
    // Never reused, so that a cursor is stable.
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('at', 'text', (c) => c.notNull())
    .addColumn('operation', 'text', (c) => c.notNull())
    .addColumn('key_name', 'text')
    .addColumn('source', 'text')
    .addColumn('request_id', 'text')
    .addColumn('ip_address', 'text')
    .addColumn('target', 'text')
    .addColumn('details_json', 'text')
    .execute();
  await db.schema
    .createTable('audit_outcomes')
    .addColumn('audit_id', 'integer', (c) => c.primaryKey().notNull())
    .addColumn('finished_at', 'text', (c) => c.notNull())
    .addColumn('status', 'integer')
    .addColumn('code', 'integer')
    .addColumn('runtime_map_updated', 'integer')
    .addColumn('runtime_map_failures_total', 'integer')
    .addColumn('reload_scheduled', 'integer')
    .addColumn('result_json', 'text')
    .execute();
  await appendOnly(db);
}

/** Enforces `AUDIT_KEPT` of `audit-store.ts`: rows that retention keeps cannot be deleted. */
async function appendOnly(db: Kysely<unknown>): Promise<void> {
  await sql`
    create trigger audit_never_changed before update on audit
    begin
      select raise(abort, 'the audit is append-only');
    end`.execute(db);
  await sql`
    create trigger audit_outcomes_never_changed before update on audit_outcomes
    begin
      select raise(abort, 'the audit is append-only');
    end`.execute(db);
  await sql`
    create trigger audit_kept before delete on audit
    when old.id > (select max(id) from audit) - 1000000
      and (old.id > (select max(id) from audit) - 10000
        or old.at > strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-400 days'))
    begin
      select raise(abort, 'the audit is append-only; only what is older than its retention is deleted');
    end`.execute(db);
  await sql`
    create trigger audit_outcomes_kept before delete on audit_outcomes
    when exists (select 1 from audit where id = old.audit_id)
    begin
      select raise(abort, 'the audit is append-only; an outcome goes with its row');
    end`.execute(db);
}
