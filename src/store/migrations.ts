import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { crashPoint } from '../faults/crash-point.ts';
import { firstTables } from './migrations/0001-first-tables.ts';
import { bulkBlocks } from './migrations/0002-bulk-blocks.ts';
import { audit } from './migrations/0003-audit.ts';
import { webhooks } from './migrations/0004-webhooks.ts';
import { healthProbe } from './migrations/0005-health-probe.ts';
import { temporaryTrust } from './migrations/0007-temporary-trust.ts';
import { sessions } from './migrations/0008-sessions.ts';
import { claims } from './migrations/0009-claims.ts';
import { keyBinding } from './migrations/0010-key-binding.ts';
import { skipsBySource } from './migrations/0011-skips-by-source.ts';
import { releases } from './migrations/0012-releases.ts';
import { selectedClaims } from './migrations/0013-selected-claims.ts';
import { upstreams } from './migrations/0015-upstreams.ts';
import { certificates } from './migrations/0016-certificates.ts';
import { siteTls } from './migrations/0017-site-tls.ts';
import { siteNames } from './migrations/0018-site-names.ts';
import { issuance } from './migrations/0019-issuance.ts';
import { insight } from './migrations/0020-insight.ts';
import { savedViews } from './migrations/0021-saved-views.ts';
import { notices } from './migrations/0022-notices.ts';
import { insightHours } from './migrations/0023-insight-hours.ts';
import { dueCertificates } from './migrations/0024-due-certificates.ts';
import { failedValidations } from './migrations/0025-failed-validations.ts';
import { fewerPages } from './migrations/0026-fewer-pages.ts';
import { claimCounts } from './migrations/0027-claim-counts.ts';
import { siteHours } from './migrations/0028-site-hours.ts';
import type { Schema } from './schema.ts';
import { DatabaseUnusable } from './store-error.ts';

interface Migration {
  /** Recorded in the database for ever: never renamed, never reordered. */
  readonly name: string;
  readonly up: (db: Kysely<unknown>) => Promise<void>;
}

export const MIGRATIONS: readonly Migration[] = [
  { name: '0001-first-tables', up: firstTables },
  { name: '0002-bulk-blocks', up: bulkBlocks },
  { name: '0003-audit', up: audit },
  { name: '0004-webhooks', up: webhooks },
  { name: '0005-health-probe', up: healthProbe },
  { name: '0007-temporary-trust', up: temporaryTrust },
  { name: '0008-sessions', up: sessions },
  { name: '0009-claims', up: claims },
  { name: '0010-key-binding', up: keyBinding },
  { name: '0011-skips-by-source', up: skipsBySource },
  { name: '0012-releases', up: releases },
  { name: '0013-selected-claims', up: selectedClaims },
  { name: '0015-upstreams', up: upstreams },
  { name: '0016-certificates', up: certificates },
  { name: '0017-site-tls', up: siteTls },
  { name: '0018-site-names', up: siteNames },
  { name: '0019-issuance', up: issuance },
  { name: '0020-insight', up: insight },
  { name: '0021-saved-views', up: savedViews },
  { name: '0022-notices', up: notices },
  { name: '0023-insight-hours', up: insightHours },
  { name: '0024-due-certificates', up: dueCertificates },
  { name: '0025-failed-validations', up: failedValidations },
  { name: '0026-fewer-pages', up: fewerPages },
  { name: '0027-claim-counts', up: claimCounts },
  { name: '0028-site-hours', up: siteHours },
];

/**
 * Migrates the schema in one transaction: completely or not at all. It takes the write lock first, so the second of two
 * processes finds everything done. Throws `DatabaseUnusable` for a schema newer than the code. `created`: there was no
 * database before.
 */
export async function migrate(
  db: Kysely<Schema>,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<{ created: boolean }> {
  return await db.transaction().execute(async (transaction) => {
    await transaction.schema
      .createTable('schema_migrations')
      .ifNotExists()
      .addColumn('name', 'text', (c) => c.primaryKey().notNull())
      .addColumn('applied_at', 'text', (c) => c.notNull())
      .execute();
    const applied = await transaction.selectFrom('schema_migrations').select('name').orderBy('name').execute();
    refuseNewer(
      applied.map((row) => row.name),
      migrations,
    );
    const done = new Set(applied.map((row) => row.name));
    crashPoint('migration.begun');
    const now = new Date().toISOString();
    for (const migration of migrations) {
      if (done.has(migration.name)) continue;
      await migration.up(transaction as unknown as Kysely<unknown>);
      await transaction.insertInto('schema_migrations').values({ name: migration.name, applied_at: now }).execute();
      crashPoint('migration.applied');
    }
    // Created with the database: the map file contains it, and a start with another database's file stops.
    const identity = await transaction
      .insertInto('instance')
      .values({ only: 1, database_id: randomUUID(), generation: 0, created_at: now })
      .onConflict((conflict) => conflict.column('only').doNothing())
      .executeTakeFirst();
    crashPoint('migration.before-commit');
    return { created: identity.numInsertedOrUpdatedRows === 1n };
  });
}

function refuseNewer(applied: readonly string[], migrations: readonly Migration[]): void {
  const known = new Set(migrations.map((migration) => migration.name));
  const unknown = applied.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  throw new DatabaseUnusable(
    'newer-schema',
    `the database was written by a newer version of proxy-manager (it knows ${unknown.join(', ')}, this version does not); ` +
      'install that version again, or point PROXY_MANAGER_DATABASE_URL to a database of this one',
  );
}
