import { type Kysely, sql } from 'kysely';

/**
 * Each minute writes the pages of 10,000 addresses again: short keys make them fewer. And those of the points of each
 * label: in the order of time they are on few pages. SQLite cannot change a key: new tables.
 */
export async function fewerPages(db: Kysely<unknown>): Promise<void> {
  await sql`alter table knocking rename to knocking_before`.execute(db);
  await sql`create table knocking (
    address blob primary key not null, entry blob, total integer not null, first_hit integer not null,
    last_hit integer not null, counters text not null, hour_hits integer not null
  ) without rowid`.execute(db);
  await sql`insert into knocking
    select ${shortKeyIn('address')} as short, ${shortKeyIn('entry')}, total, first_hit, last_hit, counters, hour_hits
    from knocking_before order by short`.execute(db);
  await sql`drop table knocking_before`.execute(db);
  await sql`alter table series rename to series_before`.execute(db);
  await sql`create table series (
    metric integer not null, label integer not null, step integer not null, at integer not null, value real not null,
    primary key (metric, step, at, label)
  ) without rowid`.execute(db);
  await sql`insert into series
    select metric + iif(label = 0, 0, 100) as number, label, step, at, value from series_before
    order by number, step, at, label`.execute(db);
  await sql`drop table series_before`.execute(db);
}

/** `shortKey` of the sort key in a column. */
function shortKeyIn(column: string) {
  const key = sql.ref(column);
  const isIpv4 = sql`substr(${key}, 1, 12) = x'00000000000000000000ffff'`;
  const isSingle = sql`substr(${key}, 17) = x'80'`;
  return sql`substr(${key}, iif(${isIpv4}, 13, 1), 17 - iif(${isIpv4}, 12, 0) - iif(${isSingle}, 1, 0))`;
}
