import type { Selectable } from 'kysely';
import type { ReloadRecord } from '../api/configuration.ts';
import type { Database } from './open-database.ts';
import type { ReloadsTable } from './schema.ts';
import { InvalidCursor } from './store-error.ts';

export const KEPT_RELOADS = 1000;

/** The table `reloads`: the history, newest first. */
export class ReloadsStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Appends, or replaces the record with the same id in its place. Removes the oldest beyond `KEPT_RELOADS`. */
  async append(record: ReloadRecord): Promise<void> {
    const { id, reasons, warnings, changed, ...rest } = record;
    const values = {
      ...rest,
      reasons_json: JSON.stringify(reasons),
      warnings_json: JSON.stringify(warnings),
      changed: changed === null ? null : Number(changed),
    };
    await this.#database.write.transaction().execute(async (transaction) => {
      await transaction
        .insertInto('reloads')
        .values({ id, ...values })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
        .execute();
      await transaction
        .deleteFrom('reloads')
        .where('seq', '<=', (eb) =>
          eb.selectFrom('reloads').select('seq').orderBy('seq', 'desc').limit(1).offset(KEPT_RELOADS),
        )
        .execute();
    });
  }

  async get(id: string): Promise<ReloadRecord | null> {
    const row = await this.#database.read.selectFrom('reloads').selectAll().where('id', '=', id).executeTakeFirst();
    return row === undefined ? null : toRecord(row);
  }

  /** Newest first. Throws `InvalidCursor`. */
  async list(request: {
    readonly limit: number;
    readonly cursor?: string | null | undefined;
  }): Promise<{ items: ReloadRecord[]; nextCursor: string | null }> {
    const below = request.cursor ? decode(request.cursor) : null;
    const rows = await this.#database.read
      .selectFrom('reloads')
      .selectAll()
      .$if(below !== null, (query) => query.where('seq', '<', below))
      .orderBy('seq', 'desc')
      .limit(request.limit + 1)
      .execute();
    const page = rows.slice(0, request.limit);
    const last = page.at(-1);
    const nextCursor = rows.length > page.length && last !== undefined ? String(last.seq) : null;
    return { items: page.map(toRecord), nextCursor };
  }
}

function decode(cursor: string): number {
  if (!/^[1-9]\d{0,14}$/.test(cursor)) throw new InvalidCursor();
  return Number(cursor);
}

function toRecord({ seq: _, reasons_json, warnings_json, changed, ...row }: Selectable<ReloadsTable>): ReloadRecord {
  return {
    ...row,
    reasons: JSON.parse(reasons_json) as string[],
    warnings: JSON.parse(warnings_json) as string[],
    changed: changed === null ? null : changed === 1,
  };
}
