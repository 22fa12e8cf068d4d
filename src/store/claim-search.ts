import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { ClaimFilter } from './blocked-changes.ts';
import { type EntryFilter, ipv4Range } from './columns/column-query.ts';
import type { NotHit } from './match-counts.ts';
import type { Schema } from './schema.ts';

/** Blocked addresses of one slice: each is read with its row, some milliseconds in all. */
export const SEARCHED_AT_ONCE = 1_500;

/** Which claims are looked for. */
export interface ClaimSelection extends ClaimFilter {
  /** Absent: of any source. */
  readonly source?: number | undefined;
  /** Only of these entries. */
  readonly entries?: Pick<EntryFilter, 'family' | 'widerThan' | 'blockedSince'> | undefined;
  /** Only to entries that have not been hit. */
  readonly notHit?: NotHit | undefined;
  /** Not of lists, which an unblock does not change. */
  readonly withoutLists?: boolean | undefined;
}

export interface SelectedAddress {
  readonly ip_address: string;
  readonly sort_key: Buffer;
}

/** Blocked addresses by their claims, in address order. No index helps: those that are found may be few and far apart. */
export class ClaimSearch {
  readonly #db: Kysely<Schema>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  /**
   * Those of the next `limit` blocked addresses after `after` that have such a claim, live at `now`. `last`: where to
   * continue; null: that was all.
   */
  async slice(
    selection: ClaimSelection,
    now: string,
    after: Buffer,
    limit: number,
  ): Promise<{ found: SelectedAddress[]; last: Buffer | null }> {
    const end = await sql<{ count: number; last: Buffer | null }>`
      select count(*) as count, max(sort_key) as last
      from (select sort_key from blocked_ips where sort_key > ${after} order by sort_key limit ${limit})
    `.execute(this.#db);
    const { count = 0, last = null } = end.rows[0] ?? {};
    if (last === null) return { found: [], last: null };
    const { rows } = await sql<SelectedAddress>`
      select ip_address, sort_key from blocked_ips
      where sort_key > ${after} and sort_key <= ${last} ${isSelected(selection.entries ?? {})} ${wasNotHit(selection.notHit)} and (
        (${isMeant('blocked_ips', selection, now)}) or (others > 0 and exists (
          select 1 from claims where claims.sort_key = blocked_ips.sort_key
            and ${isMeant('claims', selection, now)})))
      order by sort_key`.execute(this.#db);
    return { found: rows, last: count < limit ? null : last };
  }
}

/** As the columns select them; `column-query.ts`. */
function isSelected({ family, widerThan, blockedSince }: NonNullable<ClaimSelection['entries']>): RawBuilder<SqlBool> {
  const { first, last } = ipv4Range;
  const isIpv4 = sql<SqlBool>`(sort_key >= ${first} and sort_key <= ${last})`;
  const since = new Date(1_000 * (blockedSince ?? 0)).toISOString();
  // The prefix is the last byte of the key, in IPv6 terms.
  const byte = (prefix: number) => Buffer.from([prefix]);
  return sql<SqlBool>`
    ${family === undefined ? sql`` : sql`and ${isIpv4} = ${family === 4 ? 1 : 0}`}
    ${widerThan === undefined ? sql`` : sql`and substr(sort_key, 17, 1) < iif(${isIpv4}, ${byte(Math.min(96 + widerThan, 255))}, ${byte(widerThan)})`}
    ${blockedSince === undefined ? sql`` : sql`and blocked_at >= ${since}`}`;
}

/** The plus keeps SQLite from leaving the address order for the index of claims that end. */
function isMeant(table: string, selection: ClaimSelection, now: string): RawBuilder<SqlBool> {
  const { source, reason, blockedBy, withoutLists } = selection;
  const column = (name: string): RawBuilder<unknown> => sql.ref(`${table}.${name}`);
  const ends = column('expires_at');
  return sql<SqlBool>`(${ends} is null or +${ends} > ${now})
    ${source === undefined ? sql`` : sql`and ${column('source')} = ${source}`}
    ${withoutLists === true ? sql`and ${column('source')} not in (select id from sources where kind = 'list')` : sql``}
    ${reason === undefined ? sql`` : sql`and ${column('reason')} = ${reason}`}
    ${blockedBy === undefined ? sql`` : sql`and ${column('blocked_by')} = ${blockedBy}`}`;
}

function wasNotHit(notHit: NotHit | undefined): RawBuilder<unknown> {
  if (notHit === undefined) return sql``;
  return sql`and blocked_at <= ${notHit.blockedBy} and not exists (
    select 1 from entry_hits h where h.sort_key = blocked_ips.sort_key and h.last_hit >= ${notHit.since})`;
}
