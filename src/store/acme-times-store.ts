import { sql } from 'kysely';
import type { Database } from './open-database.ts';

/** How far ahead a stored time may be, by its kind, in milliseconds. */
export interface FurthestMs {
  /** Of an authority. */
  readonly pause: number;
  /** The next order after a failure. */
  readonly retry: number;
  /** The next order within the service's own limits. */
  readonly limit: number;
  /** Of a renewal window. */
  readonly poll: number;
  /** Of an open order. */
  readonly wait: number;
}

/** A clock that is set back by less than this was not wrong. */
const SET_BACK_MS = 60_000;

/**
 * The times that say when something is due, in all tables of orders. One that is further ahead than its kind allows was
 * stored while the clock was ahead: it is over. So is one whose problem is of the future. This is the only place that knows
 * the kinds.
 */
export class AcmeTimesStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Brings such times back to `now`. @param leastLeft the share of a lifetime that is left at the latest renewal */
  async bringBack(furthest: FurthestMs, leastLeft: number, now: Date): Promise<void> {
    const at = now.toISOString();
    const after = (ms: number) => new Date(now.getTime() + ms).toISOString();
    const latest = sql`(select julianday(not_after) - (julianday(not_after) - julianday(not_before)) * ${leastLeft}
      from certificates join certificate_versions
        on certificate = certificates.id and version = active_version
      where certificates.id = acme_certificates.id)`;
    // Some milliseconds are lost in the days of SQLite.
    const isLate = sql`due_by in ('age', 'ari') and julianday(due_at) > ${latest} + 1e-6 and ${latest} > julianday(${at})`;
    const isOfFuture = sql`json_extract(problem_json, '$.at') > ${after(SET_BACK_MS)}`;
    // Once: the time of a limit may be stored beside an older problem.
    const ofNow = sql`problem_json = json_set(problem_json, '$.at', ${at})`;
    const changes = [
      {
        table: 'acme_pauses',
        set: sql`until = ${at}, ${ofNow}`,
        where: sql`until > ${after(furthest.pause)} or (until > ${at} and ${isOfFuture})`,
      },
      {
        table: 'acme_certificates',
        set: sql`due_at = ${at}, ${ofNow}`,
        where: sql`(due_by = 'request' and due_at > ${at}) or (due_by = 'retry' and due_at > ${after(furthest.retry)})
          or (due_by = 'limit' and due_at > ${after(furthest.limit)})
          or (due_by in ('retry', 'limit') and due_at > ${at} and ${isOfFuture})`,
      },
      {
        table: 'acme_certificates',
        set: sql`due_at = strftime('%Y-%m-%dT%H:%M:%fZ', ${latest})`,
        where: isLate,
      },
      {
        table: 'acme_certificates',
        set: sql`ari_poll_at = ${at}`,
        where: sql`ari_poll_at > ${after(furthest.poll)}`,
      },
      {
        table: 'acme_orders',
        set: sql`problem_json = json_remove(problem_json, '$.until')`,
        where: sql`closed_at is null and json_extract(problem_json, '$.until') is not null
          and (json_extract(problem_json, '$.until') > ${after(furthest.wait)} or ${isOfFuture})`,
      },
    ];
    for (const { table, set, where } of changes) {
      const of = sql.table(table);
      const { rows } = await sql`select 1 from ${of} where ${where} limit 1`.execute(this.#database.read);
      if (rows.length > 0) await sql`update ${of} set ${set} where ${where}`.execute(this.#database.write);
    }
  }
}
