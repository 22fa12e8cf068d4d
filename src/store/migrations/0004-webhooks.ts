import type { Kysely } from 'kysely';

/**
 * Webhooks, and one queue of events for all of them, each with its position: an event is written once for any number of
 * webhooks.
 */
export async function webhooks(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('webhooks')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('types_json', 'text')
    .addColumn('secret', 'text', (c) => c.notNull())
    .addColumn('enabled', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('batch_end', 'integer')
    .addColumn('missed', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('first_failed_at', 'text')
    .addColumn('next_attempt_at', 'text')
    .addColumn('last_success_at', 'text')
    .addColumn('last_error', 'text')
    .addColumn('last_error_at', 'text')
    .execute();
  await db.schema
    .createTable('webhook_events')
    // Never reused: a webhook's position is stable.
    .addColumn('seq', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('event_json', 'text', (c) => c.notNull())
    .execute();
}
