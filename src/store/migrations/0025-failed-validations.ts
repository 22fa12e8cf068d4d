import { type Kysely, sql } from 'kysely';

/** A failed validation counts at the authority that validated. SQLite cannot add a column without a default: a new table. */
export async function failedValidations(db: Kysely<unknown>): Promise<void> {
  await sql`alter table acme_failed_validations rename to acme_failed_validations_before`.execute(db);
  await db.schema
    .createTable('acme_failed_validations')
    .addColumn('directory', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('at', 'text', (c) => c.notNull())
    .execute();
  // The order that failed then; if the clock was set back since, the last one that failed. It is deleted later than they are.
  await sql`insert into acme_failed_validations (directory, name, at)
    select directory, name, at from (
      select before.name, before.at, (
        select acme_orders.directory from acme_orders, json_each(acme_orders.names_json) as ordered
        where acme_orders.state = 'failed' and ordered.value = before.name
        order by acme_orders.closed_at = before.at desc, acme_orders.id desc limit 1
      ) as directory from acme_failed_validations_before as before)
    where directory is not null`.execute(db);
  await sql`drop table acme_failed_validations_before`.execute(db);
  await db.schema
    .createIndex('acme_failed_validations_name')
    .on('acme_failed_validations')
    .columns(['name', 'at'])
    .execute();
}
