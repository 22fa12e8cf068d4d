import { type Kysely, sql } from 'kysely';

/** Proxies in front of HAProxy, whose word about the client is taken. */
export async function upstreams(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('upstreams')
    .addColumn('name', 'text', (c) => c.primaryKey().notNull())
    // Null: its networks were given.
    .addColumn('preset', 'text')
    // Null: it names the client by PROXY protocol only.
    .addColumn('header', 'text')
    .addColumn('chain', 'integer', (c) => c.notNull().check(sql`chain in (0, 1)`))
    .addColumn('proxy_protocol', 'integer', (c) => c.notNull().check(sql`proxy_protocol in (0, 1)`))
    .addColumn('on_invalid', 'text', (c) => c.notNull())
    .addColumn('note', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    // When its networks were last given, perhaps the same again.
    .addColumn('networks_at', 'text', (c) => c.notNull())
    .execute();
  // One network has one upstream, because HAProxy's map has one value for it.
  await db.schema
    .createTable('upstream_networks')
    .addColumn('network', 'text', (c) => c.primaryKey().notNull())
    .addColumn('sort_key', 'blob', (c) => c.notNull())
    .addColumn('upstream', 'text', (c) => c.notNull().references('upstreams.name').onDelete('cascade'))
    .execute();
  await db.schema.createIndex('upstream_networks_upstream').on('upstream_networks').column('upstream').execute();
}
