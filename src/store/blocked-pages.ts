import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import { containingNetworks, type IpEntry, parseIp, sortKeyRange } from '../domain/ip.ts';
import type { BlockedIpRow } from './blocked-changes.ts';
import { BLOCKED_COLUMNS, type BlockedRows } from './blocked-rows.ts';
import type { Database } from './open-database.ts';
import { decodeCursor, encodeCursor } from './page-cursor.ts';
import { breathe } from './prepared-query.ts';
import type { Schema } from './schema.ts';

export interface PageRequest {
  /** At least 1. */
  readonly limit: number;
  readonly cursor?: string | null | undefined;
  /** An address or network: it, what lies inside it, and what contains it. Anything else: the beginning of a text. */
  readonly q?: string | null | undefined;
  /** Only blocks with an end that is still to come. */
  readonly expiringOnly?: boolean | undefined;
  readonly now: Date;
}

export interface Page {
  readonly items: BlockedIpRow[];
  readonly nextCursor: string | null;
  /** Of all pages. */
  readonly total: number;
}

type KeyedItem = BlockedIpRow & { sort_key: Buffer };
type Query<O> = SelectQueryBuilder<Schema, 'blocked_ips', O>;

const BEFORE_ALL = Buffer.alloc(0);
/** Rows looked at without a pause: a few milliseconds. */
const SLICE = 10_000;
/** Up to here the matches of a text are sorted; above, they are so many that going through the table finds them fast. */
const SORTABLE = 5000;
/** Matches whose rows are read together. */
const CHOICE = 256;

/** The pages of the list of blocks. Nothing here takes longer than a slice at a time, however large the table. */
export class BlockedPages {
  readonly #db: Kysely<Schema>;
  readonly #database: Database;
  readonly #rows: BlockedRows;

  constructor(database: Database, rows: BlockedRows) {
    this.#db = database.read;
    this.#database = database;
    this.#rows = rows;
  }

  async page(request: PageRequest): Promise<Page> {
    const after = request.cursor ? decodeCursor(request.cursor) : BEFORE_ALL;
    const now = request.expiringOnly === true ? request.now.toISOString() : null;
    const found = await this.#find(request.q?.trim() ?? '', after, request.limit + 1, now);
    const items = found.items.slice(0, request.limit);
    const last = items.at(-1);
    const nextCursor = found.items.length > items.length && last !== undefined ? encodeCursor(last.sort_key) : null;
    return { items: items.map(({ sort_key: _, ...row }) => row), nextCursor, total: found.total };
  }

  async #find(q: string, after: Buffer, limit: number, now: string | null) {
    if (q === '') return { items: await this.#inOrder(after, limit, now), total: await this.#total(now) };
    const parsed = parseIp(q);
    return parsed.ok
      ? await this.#around(parsed.entry, after, limit, now)
      : await this.#beginningWith(q.toLowerCase(), after, limit, now);
  }

  async #inOrder(after: Buffer, limit: number, now: string | null, last?: Buffer): Promise<KeyedItem[]> {
    return await this.#items(now)
      .where('sort_key', '>', after)
      .$if(last !== undefined, (query) => query.where('sort_key', '<=', last!))
      .orderBy('sort_key')
      .limit(limit)
      .execute();
  }

  async #total(now: string | null): Promise<number> {
    if (now === null) return this.#database.blockedCount.value;
    return await this.#countSlices('sort_key', BEFORE_ALL, null, now);
  }

  /** What contains `entry` comes before it and what lies inside after it, in order of addresses too. */
  async #around(entry: IpEntry, after: Buffer, limit: number, now: string | null) {
    const networks = containingNetworks(entry);
    const containing =
      networks.length === 0
        ? []
        : await this.#items(now).where('ip_address', 'in', networks).where('sort_key', 'is not', null).execute();
    const before = containing
      .filter((row) => row.sort_key.compare(after) > 0)
      .sort((a, b) => a.sort_key.compare(b.sort_key));
    const { first, last } = sortKeyRange(entry);
    const justBefore = previousKey(first);
    const start = after.compare(justBefore) > 0 ? after : justBefore;
    const inside = await this.#inOrder(start, limit, now, last);
    const total = containing.length + (await this.#countSlices('sort_key', first, last, now));
    return { items: [...before, ...inside], total };
  }

  async #beginningWith(prefix: string, after: Buffer, limit: number, now: string | null) {
    const end = `${prefix}\uffff`;
    const total = await this.#countSlices('ip_address', prefix, end, now);
    const matching = (query: Query<KeyedItem>) => query.where('ip_address', '>=', prefix).where('ip_address', '<', end);
    if (total <= SORTABLE) {
      // The plus keeps SQLite from walking the whole table in order of addresses to save this small sort.
      const items = await matching(this.#items(now))
        .where(sql`+sort_key`, '>', after)
        .orderBy(sql`+sort_key`)
        .limit(limit)
        .execute();
      return { items, total };
    }
    return { items: await this.#walk(prefix, end, after, limit, now), total };
  }

  /** Goes through the index by address, which carries the texts, until enough of them begin right. */
  async #walk(prefix: string, end: string, after: Buffer, limit: number, now: string | null): Promise<KeyedItem[]> {
    const items: KeyedItem[] = [];
    let position = after;
    for (;;) {
      const slice = await this.#db
        .selectFrom('blocked_ips')
        .select(['sort_key', 'ip_address'])
        .where('sort_key', '>', position)
        .orderBy('sort_key')
        .limit(SLICE)
        .execute();
      const matching = slice.filter((row) => row.ip_address >= prefix && row.ip_address < end);
      for (let start = 0; start < matching.length; start += CHOICE) {
        const choice = matching.slice(start, start + CHOICE);
        const rows = await this.#rows.getMany(
          this.#db,
          choice.map((row) => row.ip_address),
        );
        for (const { sort_key, ip_address } of choice) {
          const row = rows.get(ip_address);
          if (row === undefined || !(now === null || endsAfter(row, now))) continue;
          if (items.push({ ...row, sort_key }) === limit) return items;
        }
      }
      if (slice.length < SLICE) return items;
      position = slice.at(-1)!.sort_key;
      await breathe();
    }
  }

  #items(now: string | null): Query<KeyedItem> {
    const query = this.#db.selectFrom('blocked_ips').select(['sort_key', ...BLOCKED_COLUMNS]);
    // The plus leaves the order of addresses to choose the index: the partial one of the rows that end.
    return now === null ? query : query.where('expires_at', 'is not', null).where(sql`+expires_at`, '>', now);
  }

  /** Counts the rows with `from` <= `column` <= `to` (null: no end), and of those, unless null, only what ends after `now`. */
  async #countSlices(
    column: 'ip_address' | 'sort_key',
    from: string | Buffer,
    to: string | Buffer | null,
    now: string | null,
  ): Promise<number> {
    let total = 0;
    let position = from;
    let above = sql`>=`;
    for (;;) {
      const ref = sql.ref(column);
      const upper = to === null ? sql`` : sql`and ${ref} <= ${to}`;
      // By sort key the partial index of rows that end does the choosing; by text the rows are read and chosen from,
      // since a slice that looked for its ten thousand would not end.
      const ending = now !== null && column === 'sort_key' ? sql`and expires_at is not null` : sql``;
      const counted = now === null ? sql`count(*)` : sql`coalesce(sum(expires_at > ${now}), 0)`;
      const expiresAt = now === null ? sql`` : sql`, expires_at`;
      const { rows } = await sql<{ scanned: number; counted: number; last: string | Buffer | null }>`
        select count(*) as scanned, ${counted} as counted, max(key) as last
        from (
          select ${ref} as key ${expiresAt} from blocked_ips
          where ${ref} ${above} ${position} ${upper} ${ending}
          order by ${ref} limit ${SLICE}
        )`.execute(this.#db);
      const slice = rows[0]!;
      total += slice.counted;
      if (slice.scanned < SLICE || slice.last === null) return total;
      position = slice.last;
      above = sql`>`;
      await breathe();
    }
  }
}

function endsAfter(row: BlockedIpRow, now: string): boolean {
  return row.expires_at !== null && row.expires_at > now;
}

/** The key right before `key`: no row lies between. A prefix is never 0. */
function previousKey(key: Buffer): Buffer {
  const previous = Buffer.from(key);
  previous[previous.length - 1]! -= 1;
  return previous;
}
