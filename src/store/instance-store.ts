import type { Kysely } from 'kysely';
import type { Database } from './open-database.ts';
import { PreparedQuery, type Runner } from './prepared-query.ts';
import type { Schema } from './schema.ts';
import { StoreError } from './store-error.ts';

/** Who this database is, and how many changes its blocked set has seen. */
export class InstanceStore {
  /** A uuid, made with the database. The map file's first line names it. */
  readonly databaseId: string;
  readonly #database: Database;

  static async open(database: Database): Promise<InstanceStore> {
    const row = await database.read.selectFrom('instance').select('database_id').executeTakeFirst();
    if (row === undefined)
      throw new StoreError('corrupt', 'the database has lost its identity (table instance is empty)');
    return new InstanceStore(database, row.database_id);
  }

  private constructor(database: Database, databaseId: string) {
    this.#database = database;
    this.databaseId = databaseId;
  }

  /** Of what is committed. */
  async generation(): Promise<number> {
    const row = await this.#database.read.selectFrom('instance').select('generation').executeTakeFirstOrThrow();
    return row.generation;
  }

  /**
   * Durable when it returns; does nothing when the number is as high. From then on no change has the number of one that
   * another state of this database made.
   */
  async raiseGeneration(to: number): Promise<void> {
    await this.#database.write.updateTable('instance').set({ generation: to }).where('generation', '<', to).execute();
  }
}

/**
 * The number of the last change of the blocked set: of a group of blocks and unblocks, a slice of a big change, a group of
 * expired entries. It is committed with the change, and the map file notes it, so that a start sees which is older.
 */
export class Generation {
  readonly #next: PreparedQuery<{ generation: number }>;

  constructor(db: Kysely<Schema>) {
    this.#next = new PreparedQuery(
      db
        .updateTable('instance')
        .set((eb) => ({ generation: eb('generation', '+', eb.lit(1)) }))
        .returning('generation')
        .compile(),
    );
  }

  /** Within the transaction that makes the change; a rolled back one's number is given again. */
  async next(runner: Runner): Promise<number> {
    const row = await this.#next.first(runner, []);
    if (row === undefined)
      throw new StoreError('corrupt', 'the database has lost its identity (table instance is empty)');
    return row.generation;
  }
}
