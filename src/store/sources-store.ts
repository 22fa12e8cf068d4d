import { yieldToLoop } from '../concurrency/pause.ts';
import type { Database } from './open-database.ts';
import type { SourceKind } from './schema.ts';

export interface SourceRow {
  readonly id: number;
  readonly name: string;
  readonly kind: SourceKind;
  readonly note: string | null;
  readonly release_at: string | null;
  /** 1: an operator removed it. */
  readonly removed: number;
  readonly created_at: string;
}

/** Each is read by every unblock, and a key that may only block can name new ones. */
export const mostSources = 1_000;

/** The table `sources`. Failures are `StoreError`s. */
export class SourcesStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async find(name: string): Promise<SourceRow | null> {
    const query = this.#database.read.selectFrom('sources').select(columns).where('name', '=', name);
    return (await query.executeTakeFirst()) ?? null;
  }

  /** By number, removed ones included. */
  async list(): Promise<SourceRow[]> {
    return await this.#database.read.selectFrom('sources').select(columns).orderBy('id').execute();
  }

  /** Returns the existing one if there is one; a removed one is as if new. Null: there are a thousand. */
  async create(name: string, kind: SourceKind, now: Date): Promise<SourceRow | null> {
    return await this.#database.write.transaction().execute(async (transaction) => {
      const known = await transaction.selectFrom('sources').select(columns).where('name', '=', name).executeTakeFirst();
      if (known?.removed === 0) return known;
      const { count } = await transaction
        .selectFrom('sources')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('removed', '=', 0)
        .executeTakeFirstOrThrow();
      if (count >= mostSources) return null;
      if (known !== undefined) {
        const fresh = { kind, note: null, removed: 0, created_at: now.toISOString() };
        const again = transaction.updateTable('sources').set(fresh).where('id', '=', known.id);
        return await again.returning(columns).executeTakeFirstOrThrow();
      }
      const row = { name, kind, note: null, release_at: null, created_at: now.toISOString() };
      return await transaction.insertInto('sources').values(row).returning(columns).executeTakeFirstOrThrow();
    });
  }

  /**
   * How many claims each source has, ended ones included, and how many addresses only it blocks; by number. Yields to
   * others, so a change in between may be counted or not.
   */
  async counts(): Promise<Map<number, { claims: number; alone: number }>> {
    const counts = new Map<number, { claims: number; alone: number }>();
    const count = (source: number, claims: number, alone: number): void => {
      const known = counts.get(source) ?? { claims: 0, alone: 0 };
      counts.set(source, { claims: known.claims + claims, alone: known.alone + alone });
    };
    const { read } = this.#database;
    for (let after: Buffer | null = Buffer.alloc(0); after !== null; await yieldToLoop()) {
      const rows: { source: number; others: number; sort_key: Buffer }[] = await read
        .selectFrom('blocked_ips')
        .select(['source', 'others', 'sort_key'])
        .where('sort_key', '>', after)
        .orderBy('sort_key')
        .limit(countedAtOnce)
        .execute();
      for (const { source, others } of rows) count(source, 1, others === 0 ? 1 : 0);
      after = rows.length < countedAtOnce ? null : rows.at(-1)!.sort_key;
    }
    const further = await read
      .selectFrom('claims')
      .select((select) => ['source' as const, select.fn.countAll<number>().as('count')])
      .groupBy('source')
      .execute();
    for (const row of further) count(row.source, row.count, 0);
    return counts;
  }
}

const columns = ['id', 'name', 'kind', 'note', 'release_at', 'removed', 'created_at'] as const;
const countedAtOnce = 4_096;
