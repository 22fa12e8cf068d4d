import type { Selectable } from 'kysely';
import { type AuditedChange, AuditRows, auditedTransaction } from './audit-rows.ts';
import type { Database } from './open-database.ts';
import type { SavedViewsTable } from './schema.ts';

export type ViewRow = Readonly<Selectable<SavedViewsTable>>;

/** The table `saved_views`. Failures are `StoreError`s. */
export class ViewsStore {
  readonly #database: Database;
  readonly #audit: AuditRows;

  constructor(database: Database) {
    this.#database = database;
    this.#audit = new AuditRows(database.write);
  }

  /** In order of names. */
  async list(): Promise<ViewRow[]> {
    return await this.#database.read.selectFrom('saved_views').selectAll().orderBy('name').execute();
  }

  async get(name: string): Promise<ViewRow | null> {
    const query = this.#database.read.selectFrom('saved_views').selectAll().where('name', '=', name);
    return (await query.executeTakeFirst()) ?? null;
  }

  /** Creates or replaces; an existing one keeps its creator. Null: there would be more than `most`. */
  async put(
    view: Pick<ViewRow, 'name' | 'page' | 'query' | 'created_by'>,
    most: number,
    now: Date,
    audited?: AuditedChange,
  ): Promise<{ created: boolean; row: ViewRow } | null> {
    return await auditedTransaction(this.#database, this.#audit, audited, now, async (transaction) => {
      const names = await transaction.selectFrom('saved_views').select('name').execute();
      const created = names.every(({ name }) => name !== view.name);
      if (created && names.length >= most) return null;
      const at = now.toISOString();
      const { page, query } = view;
      const row = await transaction
        .insertInto('saved_views')
        .values({ ...view, created_at: at, updated_at: at })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ page, query, updated_at: at }))
        .returningAll()
        .executeTakeFirstOrThrow();
      return { created, row };
    });
  }

  /** False: there is none. */
  async remove(name: string, now: Date, audited?: AuditedChange): Promise<boolean> {
    const removed = await auditedTransaction(this.#database, this.#audit, audited, now, async (transaction) => {
      const query = transaction.deleteFrom('saved_views').where('name', '=', name).returning('name');
      return (await query.executeTakeFirst()) ?? null;
    });
    return removed !== null;
  }
}
