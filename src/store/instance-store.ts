import type { Database } from './open-database.ts';
import { StoreError } from './store-error.ts';

/** Who this database is, and how often its map file was written anew. */
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

  async generation(): Promise<number> {
    const row = await this.#database.read.selectFrom('instance').select('generation').executeTakeFirstOrThrow();
    return row.generation;
  }

  /** Durable when it returns. Never gives the same number twice. */
  async bumpGeneration(): Promise<number> {
    const row = await this.#database.write
      .updateTable('instance')
      .set((eb) => ({ generation: eb('generation', '+', 1) }))
      .returning('generation')
      .executeTakeFirstOrThrow();
    return row.generation;
  }
}
