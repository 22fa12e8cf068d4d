import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { AuditRecord } from '../api/audit.ts';
import { yieldToLoop } from '../concurrency/pause.ts';
import { type AuditNote, AuditRows } from './audit-rows.ts';
import type { Database } from './open-database.ts';
import { PreparedQuery, type Runner } from './prepared-query.ts';
import type { AuditOutcomesTable, AuditTable } from './schema.ts';
import { InvalidCursor } from './store-error.ts';
import { UndoRecords } from './undo-records.ts';

/** What retention keeps. The triggers of 0003-audit.ts enforce the same. */
const AUDIT_KEPT = {
  rows: 1_000_000,
  days: 400,
  /** Never deleted by age: a clock that jumps forward must not empty the audit. */
  whateverAge: 10_000,
} as const;

export interface AuditOutcome {
  /** ISO 8601, UTC, milliseconds. */
  readonly finishedAt: string;
  /** Of the response; null without a request. */
  readonly status: number | null;
  readonly code?: number | null;
  readonly runtimeMapUpdated?: boolean | null;
  readonly runtimeMapFailuresTotal?: number | null;
  readonly reloadScheduled?: boolean | null;
  /** Counts and ids of the response. */
  readonly result?: Readonly<Record<string, unknown>> | null;
}

export type AuditEntry =
  /** Of a row written with its change. */
  | { readonly id: number; readonly outcome: AuditOutcome }
  /** Of an operation that was refused, or changed nothing in the database. */
  | { readonly note: AuditNote; readonly at: string; readonly outcome: AuditOutcome };

/** A query of the API, parsed. */
export interface AuditSearch {
  readonly limit: number;
  readonly cursor?: string | null | undefined;
  readonly operation?: string | undefined;
  readonly key?: string | undefined;
  /** Canonical text. Also finds groups that contain it. */
  readonly ipAddress?: string | undefined;
  /** ISO 8601, UTC, milliseconds: inclusive, and exclusive. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** Rows examined between two yields to the event loop: some milliseconds. */
const ROWS_PER_SLICE = 10_000;
const BLOCK = 32;
const OUTCOME_COLUMNS = 8;
const NO_OUTCOME: AuditOutcomesTable = {
  audit_id: 0,
  finished_at: '',
  status: 0,
  code: 0,
  runtime_map_updated: 0,
  runtime_map_failures_total: 0,
  reload_scheduled: 0,
  result_json: '',
};

/** The tables `audit` and `audit_outcomes`, except what the changes themselves write (`audit-rows.ts`). */
export class AuditStore {
  readonly #database: Database;
  readonly #rows: AuditRows;
  readonly #undo: UndoRecords;
  readonly #outcome: PreparedQuery<unknown>;
  readonly #outcomes: PreparedQuery<unknown>;

  constructor(database: Database) {
    this.#database = database;
    this.#rows = new AuditRows(database.write);
    this.#undo = new UndoRecords(database.read);
    const insertOf = (values: AuditOutcomesTable[]) =>
      // Keeps an existing outcome: a rejected insert would be retried for ever, and block everything after it.
      new PreparedQuery(
        database.write
          .insertInto('audit_outcomes')
          .values(values)
          .onConflict((conflict) => conflict.doNothing())
          .compile(),
      );
    this.#outcome = insertOf([NO_OUTCOME]);
    this.#outcomes = insertOf(new Array<AuditOutcomesTable>(BLOCK).fill(NO_OUTCOME));
  }

  /** In one transaction. */
  async append(entries: readonly AuditEntry[]): Promise<void> {
    if (entries.length === 0) return;
    await this.#database.write.transaction().execute(async (transaction) => {
      await transaction.getExecutor().provideConnection((connection) => this.#append(connection, entries));
    });
  }

  /**
   * Newest first. Reads in the order of writing, a slice at a time, so that a filter with few matches among a million
   * rows delays no other request; there is no index, which would slow down each block. Throws `InvalidCursor`.
   */
  async page(query: AuditSearch): Promise<{ items: AuditRecord[]; nextCursor: string | null }> {
    const items: AuditRecord[] = [];
    const { first, last } = await this.#bounds();
    // A cursor far beyond the last row would scan nothing, for minutes.
    let below = Math.min(query.cursor ? decode(query.cursor) : last + 1, last + 1);
    while (items.length <= query.limit && below > first) {
      const from = Math.max(first, below - ROWS_PER_SLICE);
      items.push(...(await this.#between(from, below, query, query.limit + 1 - items.length)));
      below = from;
      await yieldToLoop();
    }
    const page = items.slice(0, query.limit);
    const nextCursor = items.length > page.length ? String(page.at(-1)!.id) : null;
    return { items: page, nextCursor };
  }

  /** Null: there is none, or no longer. */
  async get(id: number): Promise<AuditRecord | null> {
    return (await this.#between(id, id + 1, { limit: 1 }, 1))[0] ?? null;
  }

  /** Deletes rows older than their retention, at most `limit`, and what an undo would need of older ones. Returns how many. */
  async forgetOld(now: Date, limit: number): Promise<number> {
    await this.#undo.forget(this.#database.write, now);
    const { first, last } = await this.#bounds();
    const oldest = new Date(now.getTime() - AUDIT_KEPT.days * 86_400_000).toISOString();
    const { rows } = await sql<{ id: number }>`
      select id from audit
      where id < ${first + limit}
        and (id <= ${last - AUDIT_KEPT.rows} or (id <= ${last - AUDIT_KEPT.whateverAge} and at < ${oldest}))
      order by id`.execute(this.#database.read);
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return 0;
    await this.#database.write.transaction().execute(async (transaction) => {
      await transaction.deleteFrom('audit').where('id', 'in', ids).execute();
      await transaction.deleteFrom('audit_outcomes').where('audit_id', 'in', ids).execute();
    });
    return ids.length;
  }

  async #append(runner: Runner, entries: readonly AuditEntry[]): Promise<void> {
    const outcomes: unknown[] = [];
    for (const entry of entries) {
      const id = 'id' in entry ? entry.id : await this.#rows.write(runner, entry.note, entry.at);
      outcomes.push(...outcomeParameters(id, entry.outcome));
    }
    const block = BLOCK * OUTCOME_COLUMNS;
    let from = 0;
    for (; from + block <= outcomes.length; from += block) {
      await this.#outcomes.write(runner, outcomes.slice(from, from + block));
    }
    for (; from < outcomes.length; from += OUTCOME_COLUMNS) {
      await this.#outcome.write(runner, outcomes.slice(from, from + OUTCOME_COLUMNS));
    }
  }

  async #bounds(): Promise<{ first: number; last: number }> {
    const { rows } = await sql<{ first: number | null; last: number | null }>`
      select (select min(id) from audit) as first, (select max(id) from audit) as last`.execute(this.#database.read);
    return { first: rows[0]?.first ?? 1, last: rows[0]?.last ?? 0 };
  }

  async #between(from: number, below: number, query: AuditSearch, limit: number): Promise<AuditRecord[]> {
    const { operation, key, ipAddress, since, until } = query;
    const rows = await this.#database.read
      .selectFrom('audit')
      .leftJoin('audit_outcomes', 'audit_outcomes.audit_id', 'audit.id')
      .selectAll('audit')
      .select(['finished_at', 'status', 'code', 'runtime_map_updated', 'runtime_map_failures_total'])
      .select(['reload_scheduled', 'result_json'])
      .where('id', '>=', from)
      .where('id', '<', below)
      .$if(operation !== undefined, (q) => q.where('operation', '=', operation!))
      .$if(key !== undefined, (q) => q.where('key_name', '=', key!))
      .$if(ipAddress !== undefined, (q) => q.where(isAbout(ipAddress!)))
      .$if(since !== undefined, (q) => q.where('at', '>=', since!))
      .$if(until !== undefined, (q) => q.where('at', '<', until!))
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
    return rows.map(toRecord);
  }
}

/**
 * Rows of this address, or of a group that contains it (`ip_addresses` of its details: the first twenty). Details of
 * other rows are not searched. An address needs no escape in JSON; quotes in free text are escaped, so they cannot
 * match.
 */
function isAbout(ipAddress: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`(ip_address = ${ipAddress} or (ip_address is null
    and instr(details_json, '"ip_addresses":[') > 0 and instr(details_json, ${`"${ipAddress}"`}) > 0))`;
}

function outcomeParameters(id: number, outcome: AuditOutcome): unknown[] {
  const { finishedAt, status, code, runtimeMapUpdated, runtimeMapFailuresTotal, reloadScheduled, result } = outcome;
  return [
    id,
    finishedAt,
    status,
    code ?? null,
    numberOf(runtimeMapUpdated),
    runtimeMapFailuresTotal ?? null,
    numberOf(reloadScheduled),
    result === undefined || result === null ? null : JSON.stringify(result),
  ];
}

function numberOf(value: boolean | null | undefined): number | null {
  return value === undefined || value === null ? null : Number(value);
}

function decode(cursor: string): number {
  if (!/^[1-9]\d{0,14}$/.test(cursor)) throw new InvalidCursor();
  return Number(cursor);
}

type Joined = Selectable<AuditTable> & {
  readonly [Column in Exclude<keyof AuditOutcomesTable, 'audit_id'>]: AuditOutcomesTable[Column] | null;
};

function toRecord({ key_name, details_json, result_json, ...row }: Joined): AuditRecord {
  const { id, at, operation, source, request_id, ip_address, target, status, code, finished_at } = row;
  return {
    id,
    at,
    operation,
    key: key_name,
    source,
    request_id,
    ip_address,
    target,
    details: parsedOrNull(details_json),
    outcome: outcomeOf(finished_at, status),
    status,
    code,
    finished_at,
    runtime_map_updated: booleanOf(row.runtime_map_updated),
    runtime_map_failures_total: row.runtime_map_failures_total,
    reload_scheduled: booleanOf(row.reload_scheduled),
    result: parsedOrNull(result_json),
  };
}

function outcomeOf(finishedAt: string | null, status: number | null): AuditRecord['outcome'] {
  if (finishedAt === null) return 'unknown';
  if (status === null) return 'done';
  if (status === 207) return 'partly';
  if (status < 400) return 'done';
  return status < 500 ? 'refused' : 'failed';
}

function booleanOf(value: number | null): boolean | null {
  return value === null ? null : value === 1;
}

function parsedOrNull(json: string | null): Record<string, unknown> | null {
  return json === null ? null : (JSON.parse(json) as Record<string, unknown>);
}
