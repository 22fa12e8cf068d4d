import { type Kysely, sql } from 'kysely';

/** What the clients of each site got in each hour. In the order of time: a minute changes few pages. */
export async function siteHours(db: Kysely<unknown>): Promise<void> {
  await sql`create table site_hours (
    at integer not null, site text not null, requests integer not null, server_errors integer not null,
    response_ms integer not null, denied integer not null, primary key (at, site)
  ) without rowid`.execute(db);
}
