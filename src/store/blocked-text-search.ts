import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { BlockedIp } from '../api/blocked-entries.ts';
import type { SliceQueue } from '../concurrency/slices.ts';
import type { BlockedRows } from './blocked-rows.ts';
import { BlockedScan, keyOf } from './blocked-scan.ts';
import type { Schema } from './schema.ts';

interface TextSearch {
  /** Part of `reason` or `blocked_by`. */
  readonly text: string;
  /** The sort key to start after. */
  readonly after: Buffer;
  readonly offset: number;
  readonly limit: number;
  /** Unless null, only what expires after it. */
  readonly endsAfter: string | null;
  readonly signal?: AbortSignal | undefined;
}

type Said = Pick<BlockedIp, 'reason' | 'blocked_by'>;
type KeyedRow = BlockedIp & { readonly sort_key: Buffer };

/** Rows examined without a pause: some 3 ms. */
const SLICE = 7500;
/** The same, for whole rows in address order. */
const WALK = 1000;
/** Up to this many matches are sorted; with more, a scan from the cursor finds them fast. */
const SORTABLE = 2000;
/** Matches whose rows are read together. */
const CHOICE = 256;

interface BlockedTextSearchDeps {
  readonly db: Kysely<Schema>;
  readonly rows: BlockedRows;
  readonly turns: SliceQueue;
}

/**
 * Searches part of a text without an index: one over all parts (FTS5's trigrams) would slow down every block for a rare
 * search. One pass through the table, in slices, counts all matches and collects the page while they are few. SQLite
 * compares, which saves JavaScript objects, but folds the case of ASCII letters only; matches of other texts are
 * checked again here.
 */
export class BlockedTextSearch {
  readonly #deps: BlockedTextSearchDeps;
  readonly #scan: BlockedScan;

  constructor(deps: BlockedTextSearchDeps) {
    this.#deps = deps;
    this.#scan = new BlockedScan(deps.db);
  }

  /** In address order. `total`: of all matches, wherever the page begins. */
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

  /** Through the whole table in its own order, the fastest. `texts`: of the first matches. */
  async #look(says: Matcher, { text, endsAfter, signal }: TextSearch): Promise<{ total: number; texts: string[] }> {
    const pattern = patternOf(text);
    let total = 0;
    const texts: string[] = [];
    for (let after = ''; ; await this.#deps.turns.next(signal)) {
      const slice = sliceOf(pattern, after, endsAfter);
      const { rows } = await sql<{ scanned: number; counted: number | null; last: string | null }>`
        select count(*) as scanned, sum(matched) as counted, max(ip_address) as last from (${slice})`.execute(
        this.#deps.db,
      );
      const { scanned, counted, last } = rows[0]!;
      if (counted !== null && counted > 0) {
        if (total < SORTABLE || !pattern.exact) {
          const found = await sql<Said & { ip_address: string }>`
            select ip_address, reason, blocked_by from (${slice}) where matched`.execute(this.#deps.db);
          const right = pattern.exact ? found.rows : found.rows.filter(says);
          for (const row of right.slice(0, Math.max(0, SORTABLE - total))) texts.push(row.ip_address);
          total += right.length;
        } else total += counted;
      }
      if (scanned < SLICE || last === null) return { total, texts };
      after = last;
    }
  }

  async #rowsOf(wanted: readonly { text: string; sort_key: Buffer }[], limit: number): Promise<KeyedRow[]> {
    const items: KeyedRow[] = [];
    for (let start = 0; start < wanted.length && items.length < limit; start += CHOICE) {
      const choice = wanted.slice(start, start + CHOICE);
      const texts = choice.map(({ text }) => text);
      const rows = await this.#deps.rows.getMany(this.#deps.db, texts);
      for (const { text, sort_key } of choice) {
        const row = rows.get(text);
        // Removed since the pass.
        if (row !== undefined && items.length < limit) items.push({ ...row, sort_key });
      }
    }
    return items;
  }

  /** In address order from the cursor on, until there are enough. */
  async #walk(says: Matcher, search: TextSearch): Promise<KeyedRow[]> {
    const items: KeyedRow[] = [];
    let left = search.offset;
    for (let after: Uint8Array | null = search.after; ; await this.#deps.turns.next(search.signal)) {
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

interface Pattern {
  /** For SQLite's `like`, special characters escaped by a backslash. */
  readonly like: string;
  /** If false, it also matches more than the text. */
  readonly exact: boolean;
}

function patternOf(text: string): Pattern {
  const like = text.replace(/[%_\\]/g, '\\$&').replace(/[^\0-\x7f]+/g, '%');
  return { like: `%${like}%`, exact: !/[^\0-\x7f]/.test(text) };
}

/** The next rows in the table's own order. A foreign row that no sync adopted yet is not listed. */
function sliceOf({ like }: Pattern, after: string, endsAfter: string | null): RawBuilder<unknown> {
  const ends = endsAfter === null ? sql`` : sql`and expires_at > ${endsAfter}`;
  return sql`
    select ip_address, reason, blocked_by,
      (reason like ${like} escape '\\' or blocked_by like ${like} escape '\\') and sort_key is not null ${ends} as matched
    from blocked_ips where ip_address > ${after} order by ip_address limit ${SLICE}`;
}

type Matcher = (row: Said) => boolean;

/** Case-insensitive in every script; without wildcards. */
function matcherOf(text: string): Matcher {
  const part = text.toLowerCase();
  const holds = (said: string | null): boolean => said?.toLowerCase().includes(part) === true;
  return ({ reason, blocked_by }) => holds(reason) || holds(blocked_by);
}

function isListed({ expires_at }: BlockedIp, endsAfter: string | null): boolean {
  return endsAfter === null || (expires_at !== null && expires_at > endsAfter);
}
