import type { Kysely, Transaction } from 'kysely';
import type { Caller } from '../api/caller.ts';
import type { Database } from './open-database.ts';
import { PreparedQuery, type Runner } from './prepared-query.ts';
import type { Schema } from './schema.ts';

/** One row of the audit: who did what to what, from where. */
export interface AuditNote {
  readonly operation: string;
  /** Null: the service itself. */
  readonly keyName: string | null;
  /** The peer's address, or `unix`. */
  readonly source: string | null;
  readonly requestId: string | null;
  /** Canonical text, if it is about one address. */
  readonly ipAddress?: string | null;
  /** A site's domain, a key's name, the id of a backup. */
  readonly target?: string | null;
  /** Plain data, small: it is stored with every block. */
  readonly details?: Readonly<Record<string, unknown>> | null;
}

export interface AuditedChange {
  readonly note: AuditNote;
  /** Called with the row's id after the commit. */
  readonly written: (id: number) => void;
}

export function auditedChange(
  operation: string,
  caller: Caller,
  about: Pick<AuditNote, 'ipAddress' | 'target' | 'details'>,
): AuditedChange {
  return { note: noteOf(operation, caller, about), written: (id) => caller.audited?.(id) };
}

export function noteOf(
  operation: string,
  caller: Caller | null,
  about: Pick<AuditNote, 'ipAddress' | 'target' | 'details'>,
): AuditNote {
  return {
    operation,
    keyName: caller?.keyName ?? null,
    source: caller?.source ?? null,
    requestId: caller?.requestId ?? null,
    ...about,
  };
}

/** Writes audit rows inside the transaction of a change. */
export class AuditRows {
  readonly #insert: PreparedQuery<{ id: number }>;

  constructor(db: Kysely<Schema>) {
    const values = {
      at: '',
      operation: '',
      key_name: '',
      source: '',
      request_id: '',
      ip_address: '',
      target: '',
      details_json: '',
    };
    this.#insert = new PreparedQuery(db.insertInto('audit').values(values).returning('id').compile());
  }

  /** Returns the row's id. `at`: ISO 8601, UTC, milliseconds. */
  async write(runner: Runner, note: AuditNote, at: string): Promise<number> {
    const { operation, keyName, source, requestId, ipAddress = null, target = null, details } = note;
    const json = details === undefined || details === null ? null : JSON.stringify(details);
    const row = await this.#insert.first(runner, [at, operation, keyName, source, requestId, ipAddress, target, json]);
    if (row === undefined) throw new Error('a row of the audit was written and got no id');
    return row.id;
  }
}

/**
 * A transaction with its audit row: both are committed or neither. If `work` returns null, nothing was changed, and no
 * row is written.
 */
export async function auditedTransaction<T>(
  database: Database,
  rows: AuditRows,
  audited: AuditedChange | undefined,
  at: Date,
  work: (transaction: Transaction<Schema>) => Promise<T | null>,
  /** Within the transaction, with the id of the row. */
  recorded?: (transaction: Transaction<Schema>, id: number) => Promise<void>,
): Promise<T | null> {
  const { result, id } = await database.write.transaction().execute(async (transaction) => {
    const done = await work(transaction);
    if (done === null || audited === undefined) return { result: done, id: null };
    const row = await rows.write(transaction, audited.note, at.toISOString());
    await recorded?.(transaction, row);
    return { result: done, id: row };
  });
  if (id !== null) audited?.written(id);
  return result;
}
