import { sql, type Transaction } from 'kysely';
import { type AuditedChange, AuditRows, auditedTransaction } from './audit-rows.ts';
import type { ReadyCondition } from './bulk-store.ts';
import type { Database } from './open-database.ts';
import type { Schema, SourceKind } from './schema.ts';

interface DueRelease {
  readonly id: number;
  readonly name: string;
  readonly kind: SourceKind;
}

interface SourceChange {
  readonly kind?: SourceKind | undefined;
  /** Absent: kept; null: none. */
  readonly note?: string | null | undefined;
}

/** The next value of `released` that says so. */
const dropped = sql<number>`released + iif(released % 3 = 2, 2, 1 - released % 3)`;

/** Of `SourceRow.released`, as `ReleasesStore` describes. */
export function stateOf(released: number): 'has its claims' | 'dropped' | 'reported' {
  return (['has its claims', 'dropped', 'reported'] as const)[(released % 3) as 0 | 1 | 2];
}

/**
 * What becomes of all claims of a source. A release is due at `release_at`. Its drop sets `released` in the transaction
 * that makes it ready, so that of a drop and a `keep` at the same time exactly one wins; `release_at` goes when the drop
 * is complete, so that a start after a crash repeats it. `released` modulo 3: 0 of a source with its claims; 1
 * dropped; 2 a `keep` has reported that to the agent, until it claims again (`SourcesStore.claimsAgain`). It only grows, so
 * that a request that saw a former drop cannot take back a later one. Failures are `StoreError`s.
 */
export class ReleasesStore {
  readonly #database: Database;
  readonly #audit: AuditRows;

  constructor(database: Database) {
    this.#database = database;
    this.#audit = new AuditRows(database.write);
  }

  async change(id: number, { kind, note }: SourceChange, now: Date, audited: AuditedChange): Promise<void> {
    await this.#change(audited, now, async (transaction) => {
      const set = { ...(kind === undefined ? {} : { kind }), ...(note === undefined ? {} : { note }) };
      if (Object.keys(set).length > 0) await transaction.updateTable('sources').set(set).where('id', '=', id).execute();
      return id;
    });
  }

  async release(id: number, at: Date, now: Date, audited: AuditedChange): Promise<void> {
    await this.#change(audited, now, async (transaction) => {
      await transaction.updateTable('sources').set({ release_at: at.toISOString() }).where('id', '=', id).execute();
      return id;
    });
  }

  /**
   * False: its claims were dropped, or are being dropped, and it has made none since. Repeated, it answers the same: a
   * reply may be lost.
   */
  async keep(id: number, now: Date, audited: AuditedChange): Promise<boolean> {
    const kept = await this.#change(audited, now, async (transaction) => {
      const query = transaction.selectFrom('sources').select('released').where('id', '=', id);
      const { released } = await query.executeTakeFirstOrThrow();
      const isKept = stateOf(released) === 'has its claims';
      const set = { release_at: null, released: stateOf(released) === 'dropped' ? released + 1 : released };
      await transaction.updateTable('sources').set(set).where('id', '=', id).execute();
      return { kept: isKept };
    });
    return kept?.kept === true;
  }

  async due(now: Date): Promise<DueRelease[]> {
    return await this.#database.read
      .selectFrom('sources')
      .select(['id', 'name', 'kind'])
      .where('release_at', '<=', now.toISOString())
      .orderBy('release_at')
      .execute();
  }

  /** Of the drop of a release: holds unless `keep` or a later release came first. */
  stillDue(id: number, now: Date): ReadyCondition {
    return async (transaction) => {
      const result = await transaction
        .updateTable('sources')
        .set({ released: dropped })
        .where('id', '=', id)
        .where('release_at', '<=', now.toISOString())
        .executeTakeFirst();
      return result.numUpdatedRows === 1n;
    };
  }

  /** Call when the drop is complete. After a `keep` or a later release meanwhile it changes nothing. */
  async dropped(id: number, now: Date): Promise<void> {
    await this.#database.write
      .updateTable('sources')
      .set({ release_at: null })
      .where('id', '=', id)
      .where(sql<number>`released % 3`, '=', 1)
      .where('release_at', '<=', now.toISOString())
      .execute();
  }

  /** Of the drop that removes a source. */
  removes(id: number): ReadyCondition {
    return async (transaction) => {
      const result = await transaction
        .updateTable('sources')
        .set({ removed: 1, released: dropped, release_at: null })
        .where('id', '=', id)
        .executeTakeFirst();
      return result.numUpdatedRows === 1n;
    };
  }

  async #change<T>(
    audited: AuditedChange,
    now: Date,
    work: (transaction: Transaction<Schema>) => Promise<T>,
  ): Promise<T | null> {
    return await auditedTransaction(this.#database, this.#audit, audited, now, work);
  }
}
