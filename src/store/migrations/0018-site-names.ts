import type { Kysely } from 'kysely';

/** Sites with several names, redirects, and sites that are switched off. The defaults are what earlier sites mean. */
export async function siteNames(db: Kysely<unknown>): Promise<void> {
  const sites = () => db.schema.alterTable('sites');
  await sites()
    .addColumn('names_json', 'text', (c) => c.notNull().defaultTo('[]'))
    .execute();
  await sites().addColumn('canonical', 'text').execute();
  await sites()
    .addColumn('enabled', 'integer', (c) => c.notNull().defaultTo(1))
    .execute();
  await sites().addColumn('redirect_json', 'text').execute();
}
