import { sql } from 'kysely';
import type { ClaimCounts } from './claim-counts.ts';
import type { Database } from './open-database.ts';
import type { SourceKind } from './schema.ts';

/** Its claims, those that have ended included. */
export interface SourceRow extends ClaimCounts {
  readonly id: number;
  readonly name: string;
  readonly kind: SourceKind;
  readonly note: string | null;
  readonly release_at: string | null;
  /** 1: an operator removed it. */
  readonly removed: number;
  /** As in `ReleasesStore`. */
  readonly released: number;
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
        // Claims may have been made since it was removed.
        const last = sql<string | null>`iif(claims = 0, null, last_claimed_at)`;
        const fresh = { kind, note: null, removed: 0, created_at: now.toISOString(), last_claimed_at: last };
        const again = transaction.updateTable('sources').set(fresh).where('id', '=', known.id);
        return await again.returning(columns).executeTakeFirstOrThrow();
      }
      const row = { name, kind, note: null, release_at: null, created_at: now.toISOString() };
      return await transaction.insertInto('sources').values(row).returning(columns).executeTakeFirstOrThrow();
    });
  }

  /** Of a source that was created for a request that was refused: as if it had not been named. */
  async createdInVain(id: number): Promise<void> {
    await this.#database.write.updateTable('sources').set({ removed: 1 }).where('id', '=', id).execute();
  }

  /**
   * Of a source to which a `keep` reported that its claims were dropped. Changes nothing if they were dropped again since.
   * @param released as it was when the claims were not stored yet
   */
  async claimsAgain(id: number, released: number): Promise<void> {
    const query = this.#database.write.updateTable('sources').set({ released: released + 1 });
    await query.where('id', '=', id).where('released', '=', released).execute();
  }

  /** How many claims the sources of each kind have. */
  async claimsByKind(): Promise<Readonly<Record<SourceKind, number>>> {
    const byKind = { manual: 0, agent: 0, list: 0 };
    for (const { kind, claims } of await this.list()) byKind[kind] += claims;
    return byKind;
  }
}

const columns = [
  'id',
  'name',
  'kind',
  'note',
  'release_at',
  'removed',
  'released',
  'created_at',
  'claims',
  'alone',
  'last_claimed_at',
] as const;
