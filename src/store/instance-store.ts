import type { Kysely } from 'kysely';
import type { Database } from './open-database.ts';
import { PreparedQuery, type Runner } from './prepared-query.ts';
import type { Schema } from './schema.ts';
import { StoreError } from './store-error.ts';

/** The identity of the database and the number of its changes. */
export class InstanceStore {
  /** A uuid, made with the database. The map file's first line contains it. */
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

  /** As committed. */
  async generation(): Promise<number> {
    const row = await this.#database.read.selectFrom('instance').select('generation').executeTakeFirstOrThrow();
    return row.generation;
  }

  /**
   * Durable on return; does nothing if the number is already as high. From then on no change gets the number of one
   * that another state of this database made.
   */
  async raiseGeneration(to: number): Promise<void> {
    await this.#database.write.updateTable('instance').set({ generation: to }).where('generation', '<', to).execute();
  }
}

/**
 * The number of the last change of the blocked set: a group of blocks and unblocks, a slice of a bulk change, a group
 * of expired entries. It is committed with the change and recorded in the map file, so that a start sees which is
 * older.
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

  /** Call within the transaction that makes the change; after a rollback the number is reused. */
  async next(runner: Runner): Promise<number> {
    const row = await this.#next.first(runner, []);
    if (row === undefined)
      throw new StoreError('corrupt', 'the database has lost its identity (table instance is empty)');
    return row.generation;
  }
}
