import { type Kysely, sql } from 'kysely';
import type { BlockedIpRow } from './blocked-changes.ts';
import type { BlockedRows } from './blocked-rows.ts';
import { BlockedScan, keyOf } from './blocked-scan.ts';
import { PreparedQuery } from './prepared-query.ts';
import type { Schema } from './schema.ts';
import type { SliceTurns } from './slice-turns.ts';

export interface TextSearch {
  /** A part of `reason` or `blocked_by`. */
  readonly text: string;
  /** The sort key before what is wanted. */
  readonly after: Buffer;
  /** Matches passed over. */
  readonly offset: number;
  readonly limit: number;
  /** Unless null, only what ends after it. */
  readonly endsAfter: string | null;
  readonly signal?: AbortSignal | undefined;
}

type Said = Pick<BlockedIpRow, 'reason' | 'blocked_by'>;
/** `listed`: 1, or 0 for what ends too soon, and for an operator's insert that no sync adopted yet. */
type Looked = Said & { readonly ip_address: string; readonly listed: number };
type KeyedRow = BlockedIpRow & { readonly sort_key: Buffer };

/** Rows looked at without a pause: some 3 ms. */
const SLICE = 2500;
/** The same, where whole rows are read in order of addresses. */
const WALK = 1000;
/** Up to here the matches of a text are sorted; above, they are so many that going on from the cursor finds them fast. */
const SORTABLE = 2000;
/** Matches whose rows are read together. */
const CHOICE = 256;

/**
 * Rows by what they say about themselves. No index helps: a part of a text has no place in an order, and an index of all
 * parts (FTS5's trigrams) would be written by every block, which is what has to be fast, for a search that somebody
 * makes now and then. So it is one pass through the table, a slice at a time; it counts all matches, and as long as
 * they are few it has the page too. Compared here and not by SQLite, which knows the case of ASCII letters only; it
 * costs the same.
 */
export class BlockedTextSearch {
  readonly #db: Kysely<Schema>;
  readonly #rows: BlockedRows;
  readonly #scan: BlockedScan;
  readonly #turns: SliceTurns;
  readonly #slice: PreparedQuery<Looked>;

  constructor(db: Kysely<Schema>, rows: BlockedRows, turns: SliceTurns) {
    this.#db = db;
    this.#rows = rows;
    this.#scan = new BlockedScan(db);
    this.#turns = turns;
    const endsLater = sql`(${''} is null or expires_at > ${''})`;
    this.#slice = new PreparedQuery(
      db
        .selectFrom('blocked_ips')
        // Each column costs a tenth of the whole pass.
        .select(['ip_address', 'reason', 'blocked_by'])
        .select(sql<number>`coalesce(sort_key is not null and ${endsLater}, 0)`.as('listed'))
        .where('ip_address', '>', '')
        .orderBy('ip_address')
        .limit(1)
        .compile(),
    );
  }

  /** In order of addresses. `total`: of all matches, wherever the page begins. */
  async find(search: TextSearch): Promise<{ items: KeyedRow[]; total: number }> {
    const says = matcherOf(search.text);
    const { total, texts } = await this.#look(says, search);
    if (total > SORTABLE) return { items: await this.#walk(says, search), total };
    const keyed = texts.map((text) => ({ text, sort_key: keyOf(text) }));
    const wanted = keyed
      .filter(({ sort_key }) => sort_key.compare(search.after) > 0)
      .sort((a, b) => a.sort_key.compare(b.sort_key))
      .slice(search.offset);
    return { items: await this.#rowsOf(wanted, search.limit), total };
  }

  /** Through the whole table in its own order, which is the fastest. `texts`: of the first matches. */
  async #look(says: Matcher, { endsAfter, signal }: TextSearch): Promise<{ total: number; texts: string[] }> {
    let total = 0;
    const texts: string[] = [];
    for (let after = ''; ; await this.#turns.next(signal)) {
      const slice = await this.#slice.all(this.#db, [endsAfter, endsAfter, after, SLICE]);
      for (const row of slice) {
        if (row.listed === 0 || !says(row)) continue;
        total += 1;
        if (total <= SORTABLE) texts.push(row.ip_address);
      }
      if (slice.length < SLICE) return { total, texts };
      after = slice.at(-1)!.ip_address;
    }
  }

  async #rowsOf(wanted: readonly { text: string; sort_key: Buffer }[], limit: number): Promise<KeyedRow[]> {
    const items: KeyedRow[] = [];
    for (let start = 0; start < wanted.length && items.length < limit; start += CHOICE) {
      const choice = wanted.slice(start, start + CHOICE);
      const texts = choice.map(({ text }) => text);
      const rows = await this.#rows.getMany(this.#db, texts);
      for (const { text, sort_key } of choice) {
        const row = rows.get(text);
        // Removed since the pass came by.
        if (row !== undefined && items.length < limit) items.push({ ...row, sort_key });
      }
    }
    return items;
  }

  /** In order of addresses from the cursor on, until there are enough. */
  async #walk(says: Matcher, search: TextSearch): Promise<KeyedRow[]> {
    const items: KeyedRow[] = [];
    let left = search.offset;
    for (let after: Uint8Array | null = search.after; ; await this.#turns.next(search.signal)) {
      const { rows, last }: Awaited<ReturnType<BlockedScan['rows']>> = await this.#scan.rows(after, WALK);
      for (const row of rows) {
        if (!says(row) || !isListed(row, search.endsAfter)) continue;
        if (left > 0) left -= 1;
        else if (items.push({ ...row, sort_key: keyOf(row.ip_address) }) === search.limit) return items;
      }
      if (last === null || rows.length < WALK) return items;
      after = last;
    }
  }
}

type Matcher = (row: Said) => boolean;

/** Upper and lower case are the same, in every script; a wildcard is none. */
function matcherOf(text: string): Matcher {
  const part = text.toLowerCase();
  const holds = (said: string | null): boolean => said?.toLowerCase().includes(part) === true;
  return ({ reason, blocked_by }) => holds(reason) || holds(blocked_by);
}

function isListed({ expires_at }: BlockedIpRow, endsAfter: string | null): boolean {
  return endsAfter === null || (expires_at !== null && expires_at > endsAfter);
}
