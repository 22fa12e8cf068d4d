import { type Kysely, sql } from 'kysely';
import { PreparedQuery } from './prepared-query.ts';
import type { Schema } from './schema.ts';

/** Whether another process has committed to the database since the complete table was last read. */
export class ForeignCommits {
  readonly #db: Kysely<Schema>;
  readonly #version: PreparedQuery<{ data_version: number }>;
  #readAt: number | null = null;

  /** @param db the connection of all commits of this process: its `data_version` changes by those of others only */
  constructor(db: Kysely<Schema>) {
    this.#db = db;
    this.#version = new PreparedQuery(sql<{ data_version: number }>`pragma data_version`.compile(db));
  }

  /** Pass it to `tableRead` once the table is read. Comparable within this process only. */
  async version(): Promise<number> {
    const row = await this.#version.first(this.#db, []);
    if (row === undefined) throw new Error('pragma data_version returned no row');
    return row.data_version;
  }

  /** The complete table was read; `version`: before the first row was read. */
  tableRead(version: number): void {
    this.#readAt = version;
  }

  /** True also before the first reading. */
  async any(): Promise<boolean> {
    return (await this.version()) !== this.#readAt;
  }
}
