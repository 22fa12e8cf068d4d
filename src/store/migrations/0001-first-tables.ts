import { type Kysely, sql } from 'kysely';

/** ISO 8601, UTC, milliseconds, years 0000 to 9999: the only form in which text order is time order. */
const isTime = (column: string) =>
  sql`${sql.ref(column)} glob '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9].[0-9][0-9][0-9]Z'`;

export async function firstTables(db: Kysely<unknown>): Promise<void> {
  await createBlockedIps(db);
  await createTrustedIps(db);
  await createSitesAndKeys(db);
  await createReloads(db);
  await createInstance(db);
  await createBulk(db);
}

async function createBlockedIps(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('blocked_ips')
    .addColumn('ip_address', 'text', (c) => c.primaryKey().notNull())
    // Null in a foreign row until the next sync (`adoptUnkeyedRows`).
    .addColumn('sort_key', 'blob')
    .addColumn('reason', 'text')
    .addColumn('blocked_by', 'text')
    .addColumn('blocked_at', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'text')
    .addCheckConstraint('blocked_ips_sort_key', sql`length(sort_key) = 17`)
    .addCheckConstraint('blocked_ips_expires_at', sql`expires_at is null or ${isTime('expires_at')}`)
    .modifyEnd(sql`without rowid`)
    .execute();
  // WITHOUT ROWID puts the address into this index too: scans in address order never read the table.
  await db.schema.createIndex('blocked_ips_sort_key').on('blocked_ips').column('sort_key').unique().execute();
  await db.schema
    .createIndex('blocked_ips_expires_at')
    .on('blocked_ips')
    .column('expires_at')
    .where(sql.ref('expires_at'), 'is not', null)
    .execute();
  // Contains all columns that the list of expiring blocks filters by, so that counting reads nothing else.
  await db.schema
    .createIndex('blocked_ips_ending_by_address')
    .on('blocked_ips')
    .columns(['sort_key', 'expires_at'])
    .where(sql.ref('expires_at'), 'is not', null)
    .execute();
}

async function createTrustedIps(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('trusted_ips')
    .addColumn('ip_address', 'text', (c) => c.primaryKey().notNull())
    .addColumn('sort_key', 'blob', (c) => c.notNull())
    .addColumn('note', 'text')
    .addColumn('added_at', 'text', (c) => c.notNull())
    .addCheckConstraint('trusted_ips_sort_key', sql`length(sort_key) = 17`)
    .modifyEnd(sql`without rowid`)
    .execute();
  await db.schema.createIndex('trusted_ips_sort_key').on('trusted_ips').column('sort_key').unique().execute();
}

async function createSitesAndKeys(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('sites')
    .addColumn('domain', 'text', (c) => c.primaryKey().notNull())
    .addColumn('servers_json', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .modifyEnd(sql`without rowid`)
    .execute();
  await db.schema
    .createTable('api_keys')
    .addColumn('name', 'text', (c) => c.primaryKey().notNull())
    .addColumn('hash', 'text', (c) => c.notNull().unique())
    .addColumn('scopes_json', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'text')
    .addColumn('revoked_at', 'text')
    .addColumn('last_used_at', 'text')
    .addCheckConstraint('api_keys_expires_at', sql`expires_at is null or ${isTime('expires_at')}`)
    .modifyEnd(sql`without rowid`)
    .execute();
}

async function createReloads(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('reloads')
    .addColumn('seq', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('id', 'text', (c) => c.notNull().unique())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('reasons_json', 'text', (c) => c.notNull())
    .addColumn('changed', 'integer')
    .addColumn('validation_output', 'text')
    .addColumn('error', 'text')
    .addColumn('backup', 'text')
    .addColumn('worker_before', 'integer')
    .addColumn('worker_after', 'integer')
    .addColumn('warnings_json', 'text', (c) => c.notNull())
    .addColumn('started_at', 'text', (c) => c.notNull())
    .addColumn('finished_at', 'text')
    .execute();
}

async function createInstance(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('instance')
    .addColumn('only', 'integer', (c) => c.primaryKey().notNull())
    .addColumn('database_id', 'text', (c) => c.notNull())
    .addColumn('generation', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addCheckConstraint('instance_one_row', sql`only = 1`)
    .execute();
}

async function createBulk(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('bulk_changes')
    // Never reused, so that rows staged before a crash are never taken for a later bulk's.
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('replace', 'integer', (c) => c.notNull())
    .addColumn('requested_by', 'text')
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('position', 'blob')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addCheckConstraint(
      'bulk_changes_state',
      sql`state in ('receiving', 'adding', 'removing', 'finished', 'discarded')`,
    )
    .execute();
  await db.schema
    .createTable('bulk_staging')
    .addColumn('bulk', 'integer', (c) => c.notNull())
    .addColumn('run', 'integer', (c) => c.notNull())
    .addColumn('first_key', 'blob', (c) => c.notNull())
    .addColumn('records_json', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('bulk_staging_key', ['bulk', 'run', 'first_key'])
    .execute();
  await db.schema
    .createTable('bulk_skips')
    .addColumn('bulk', 'integer', (c) => c.notNull())
    .addColumn('sort_key', 'blob', (c) => c.notNull())
    .addColumn('ip_address', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('bulk_skips_key', ['bulk', 'sort_key'])
    .modifyEnd(sql`without rowid`)
    .execute();
}
