// How large the tables of what the blocked set does are, and what bounds them.
import SQLite from 'better-sqlite3';

export interface Sizes {
  readonly rows: Readonly<Record<string, number>>;
  /** Of all these tables, indexes included. */
  readonly megabytes: number;
  /** Denied requests of all time, attributed or not. */
  readonly denied: number;
  readonly notAttributed: number;
}

/** Rows at most, by table. `entry_hits`: as many as there are entries; `site_hours`: 25 of each site. */
export const rowBounds: Readonly<Record<string, number>> = {
  knocking: 112_640,
  clients: 5_000,
  entry_hours: 4_000 * 49,
  entry_days: 2_000 * 401,
  // Five metrics without a label and one with up to 102, each with the points of three steps.
  series: (5 + 102) * (2_881 + 4_321 + 4_801),
  series_labels: 102,
  insight_gaps: 1_000,
  attacks: 1_000,
};
export const mostMegabytes = 120;

/** @param path of the database */
export function sizesOf(path: string): Sizes {
  const database = new SQLite(path, { readonly: true });
  try {
    const one = (sql: string): number => Number(database.prepare(sql).pluck().get() ?? 0);
    const tables = [...Object.keys(rowBounds), 'entry_hits', 'site_hours'];
    const rows = Object.fromEntries(tables.map((table) => [table, one(`select count(*) from ${table}`)]));
    const names = `select name from sqlite_schema where tbl_name in (${tables.map((table) => `'${table}'`).join()})`;
    const bytes = database
      .prepare<[], string>(names)
      .pluck()
      .all()
      .map((name) => one(`select sum(pgsize) from dbstat where aggregate = 1 and name = '${name}'`));
    const sum = (metric: number) =>
      one(`select sum(value) from series where metric = ${metric} and label = 0 and step = 7200`);
    return {
      rows,
      megabytes: bytes.reduce((all, some) => all + some, 0) / 1_048_576,
      denied: Math.round(sum(1)),
      notAttributed: Math.round(sum(3)),
    };
  } finally {
    database.close();
  }
}
