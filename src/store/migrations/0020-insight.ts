import { type Kysely, sql } from 'kysely';

/** What the blocked set does: hits, loud clients, series, gaps, attacks. */
export async function insight(db: Kysely<unknown>): Promise<void> {
  const tables = [
    // Without row ids: the key is most of each row.
    sql`create table entry_hits (
      sort_key blob primary key not null, total integer not null, first_hit integer not null, last_hit integer not null
    ) without rowid`,
    sql`create index entry_hits_last on entry_hits (last_hit)`,
    ...['entry_hours', 'entry_days'].map(
      (name) => sql`create table ${sql.table(name)} (
        at integer not null, sort_key blob not null, hits integer not null, primary key (at, sort_key)
      ) without rowid`,
    ),
    sql`create table knocking (
      address blob primary key not null, entry blob, total integer not null, first_hit integer not null,
      last_hit integer not null, counters text not null
    ) without rowid`,
    sql`create table clients (
      address blob primary key not null, requests integer not null, errors integer not null, first_seen integer not null,
      last_seen integer not null, ignored_until integer
    ) without rowid`,
    sql`create table series (
      metric integer not null, label integer not null, step integer not null, at integer not null, value real not null,
      primary key (metric, label, step, at)
    ) without rowid`,
    sql`create table series_labels (
      id integer primary key autoincrement, kind text not null, name text not null, unique (kind, name)
    )`,
    sql`create table insight_gaps (
      id integer primary key autoincrement, from_at integer not null, to_at integer not null, cause text not null
    )`,
    sql`create table attacks (
      id integer primary key autoincrement, started_at integer not null, ended_at integer, peak integer not null,
      usual real not null, denied integer not null, top_json text not null
    )`,
    sql`create table insight_state (name text primary key not null, value_json text not null) without rowid`,
  ];
  for (const statement of tables) await statement.execute(db);
}
