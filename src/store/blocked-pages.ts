import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { BlockedIp } from '../api/blocked-entries.ts';
import type { SliceQueue } from '../concurrency/slices.ts';
import { containingNetworks, entryOfSortKey, type IpEntry, parseIp, sortKeyRange } from '../domain/ip.ts';
import { BLOCKED_COLUMNS, type BlockedRows } from './blocked-rows.ts';
import { BlockedTextSearch } from './blocked-text-search.ts';
import { ClaimSearch, type ClaimSelection, SEARCHED_AT_ONCE } from './claim-search.ts';
import { ColumnPages, type ListOrder, type RequestedHits } from './columns/column-pages.ts';
import type { EntryFilter } from './columns/column-query.ts';
import type { Database } from './open-database.ts';
import type { Schema } from './schema.ts';
import { InvalidCursor } from './store-error.ts';

/** Opaque to the client: a version, then the sort key of the last row it got. */
const VERSION = 1;
const KEY_BYTES = 17;

export function encodeCursor(key: Uint8Array): string {
  return Buffer.from([VERSION, ...key]).toString('base64url');
}

/** Throws `InvalidCursor`. */
export function decodeCursor(cursor: string): Buffer {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length !== KEY_BYTES + 1 || bytes[0] !== VERSION || bytes.toString('base64url') !== cursor) {
    throw new InvalidCursor();
  }
  return bytes.subarray(1);
}

export interface PageRequest {
  /** At least 1. */
  readonly limit: number;
  readonly cursor?: string | null | undefined;
  /** Rows to skip after the cursor, or from the beginning. */
  readonly offset?: number | undefined;
  /**
   * An address or network: it, what lies inside it or begins with it, and what contains it. A part of an address: what
   * begins with it, and the networks around all of that. Anything else: the beginning of a text.
   */
  readonly q?: string | null | undefined;
  /** Part of the reason or of `blocked_by`, case-insensitive. Not together with `q`. */
  readonly text?: string | null | undefined;
  /** Only blocks that will expire. */
  readonly expiringOnly?: boolean | undefined;
  /** Absent: by address, ascending. Not together with `q`, `text` and `claimed`, like `filter`. */
  readonly order?: ListOrder | undefined;
  readonly filter?: EntryFilter | undefined;
  /** Needed for an order of hits, and for a filter by them. */
  readonly hits?: RequestedHits | undefined;
  /** Only what is claimed so. Not together with the others. */
  readonly claimed?: ClaimSelection | null | undefined;
  readonly now: Date;
  /** Its abort ends long searches with its reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface Page {
  readonly items: BlockedIp[];
  readonly nextCursor: string | null;
  /** Of all pages. */
  readonly total: number;
}

type KeyedItem = BlockedIp & { sort_key: Buffer };
type Query<O> = SelectQueryBuilder<Schema, 'blocked_ips', O>;

interface Wanted {
  readonly after: Buffer;
  readonly offset: number;
  readonly limit: number;
  /** Unless null, only what expires after it. */
  readonly now: string | null;
  readonly signal: AbortSignal | undefined;
}

/** Of one slice of a pass. */
interface Slice {
  readonly scanned: number;
  readonly counted: number;
  readonly last: string | Buffer | null;
}

/** A part of an index, in its order. */
interface Span {
  readonly column: 'ip_address' | 'sort_key';
  readonly from: string | Buffer;
  /** Whether `from` itself is excluded. */
  readonly above: boolean;
  /** Null: no end. */
  readonly to: string | Buffer | null;
}

/** Texts from `first` to before `end`. */
interface Texts {
  readonly first: string;
  readonly end: string;
}

const addressOrder: ListOrder = { by: 'address', descending: false };

const BEFORE_ALL = Buffer.alloc(0);
/** Rows examined without a pause: a few milliseconds. */
const SLICE = 10_000;
/** Up to this many matches of a text are sorted; more are found fast by scanning the table. */
const SORTABLE = 5000;
/** Matches whose rows are read together. */
const CHOICE = 256;

interface BlockedPagesDeps {
  readonly database: Database;
  readonly rows: BlockedRows;
}

/** The pages of the list of blocks. Nothing here takes longer than one slice at a time, however large the table. */
export class BlockedPages {
  readonly #db: Kysely<Schema>;
  readonly #deps: BlockedPagesDeps;
  readonly #turns: SliceQueue;
  readonly #texts: BlockedTextSearch;
  readonly #columns: ColumnPages;
  readonly #search: ClaimSearch;

  constructor(deps: BlockedPagesDeps) {
    this.#deps = deps;
    this.#db = deps.database.read;
    this.#turns = deps.database.turns;
    this.#columns = new ColumnPages(deps.database, deps.rows);
    this.#search = new ClaimSearch(this.#db);
    this.#texts = new BlockedTextSearch({ db: this.#db, rows: deps.rows, turns: this.#turns });
  }

  async page(request: PageRequest): Promise<Page> {
    const { order = addressOrder, filter, expiringOnly } = request;
    if (filter !== undefined || order.by !== 'address' || order.descending) {
      const { limit, cursor = null, offset = 0, hits, signal } = request;
      const ending = expiringOnly === true ? { endsAfter: Math.floor(request.now.getTime() / 1_000) } : {};
      return await this.#columns.page({ order, filter: { ...filter, ...ending }, limit, cursor, offset, hits, signal });
    }
    const found = await this.#find(request, {
      after: request.cursor ? decodeCursor(request.cursor) : BEFORE_ALL,
      offset: request.offset ?? 0,
      limit: request.limit + 1,
      now: request.expiringOnly === true ? request.now.toISOString() : null,
      signal: request.signal,
    });
    const items = found.items.slice(0, request.limit);
    const last = items.at(-1);
    const nextCursor = found.items.length > items.length && last !== undefined ? encodeCursor(last.sort_key) : null;
    return { items: items.map(({ sort_key: _, ...row }) => row), nextCursor, total: found.total };
  }

  async #find({ q, text, claimed, now }: PageRequest, wanted: Wanted): Promise<{ items: KeyedItem[]; total: number }> {
    if (claimed != null) return await this.#claimed(claimed, now.toISOString(), wanted);
    if (text) return await this.#texts.find({ ...wanted, text, endsAfter: wanted.now });
    const trimmed = q?.trim() ?? '';
    if (trimmed === '') return { items: await this.#inOrder(wanted), total: await this.#total(wanted) };
    const parsed = parseIp(trimmed);
    if (!parsed.ok) {
      const prefix = trimmed.toLowerCase();
      return await this.#beginningWith(prefix, networksAroundPart(prefix), wanted);
    }
    const { entry } = parsed;
    // A partial input may be a complete address: 192.0.2.1 is the beginning of 192.0.2.17 as well.
    if (!entry.text.includes('/')) return await this.#beginningWith(entry.text, containingNetworks(entry), wanted);
    return await this.#around(entry, wanted);
  }

  /** Through all entries, in slices: those that are found may be few and far apart. */
  async #claimed(selection: ClaimSelection, now: string, { after, offset, limit, signal }: Wanted) {
    let total = 0;
    let left = offset;
    const chosen: Buffer[] = [];
    for (let position: Buffer | null = BEFORE_ALL; position !== null; await this.#turns.next(signal)) {
      const { found, last } = await this.#search.slice(selection, now, position, SEARCHED_AT_ONCE);
      total += found.length;
      for (const { sort_key: key } of found) {
        if (chosen.length === limit) break;
        if (key.compare(after) <= 0) continue;
        if (left > 0) left -= 1;
        else chosen.push(key);
      }
      position = last;
    }
    const keyed = chosen.map((sort_key) => ({ sort_key, text: entryOfSortKey(sort_key, 0).text }));
    const rows = await this.#deps.rows.getMany(
      this.#db,
      keyed.map(({ text }) => text),
    );
    // Without those that were removed since.
    const items = keyed.flatMap(({ sort_key, text }) => (rows.has(text) ? [{ ...rows.get(text)!, sort_key }] : []));
    return { items, total };
  }

  /** `last`: the last matching key at most. */
  async #inOrder(wanted: Wanted, last: Buffer | null = null): Promise<KeyedItem[]> {
    const start = await this.#passOver(wanted, last, null);
    if (start === null) return [];
    return await this.#items(wanted.now)
      .where('sort_key', '>', start)
      .$if(last !== null, (query) => query.where('sort_key', '<=', last))
      .orderBy('sort_key')
      .limit(wanted.limit)
      .execute();
  }

  async #total({ now, signal }: Wanted): Promise<number> {
    if (now === null) return this.#deps.database.blockedCount.value;
    return await this.#count({ column: 'sort_key', from: BEFORE_ALL, above: false, to: null }, now, signal);
  }

  /** What contains `entry` precedes it and what lies inside follows it, also in address order. */
  async #around(entry: IpEntry, wanted: Wanted) {
    const { after, now, signal } = wanted;
    const { containing, before } = await this.#containing(containingNetworks(entry), wanted);
    const { first, last } = sortKeyRange(entry);
    const justBefore = previousKey(first);
    const start = after.compare(justBefore) > 0 ? after : justBefore;
    const offset = Math.max(0, wanted.offset - before.length);
    const inside = await this.#inOrder({ ...wanted, after: start, offset }, last);
    const span = { column: 'sort_key', from: first, above: false, to: last } as const;
    const total = containing + (await this.#count(span, now, signal));
    return { items: [...before.slice(wanted.offset), ...inside], total };
  }

  /** Which of these networks are blocked: how many, and those after `after` in order. */
  async #containing(networks: readonly string[], { after, now }: Wanted) {
    if (networks.length === 0) return { containing: 0, before: [] };
    const rows = await this.#items(now).where('ip_address', 'in', networks).where('sort_key', 'is not', null).execute();
    const before = rows.filter((row) => row.sort_key.compare(after) > 0).sort((a, b) => a.sort_key.compare(b.sort_key));
    return { containing: rows.length, before };
  }

  /**
   * What begins with a text, preceded by the networks around all of that. Those that begin with it themselves are among
   * the others; the rest sort below everything that begins so.
   */
  async #beginningWith(prefix: string, networks: readonly string[], wanted: Wanted) {
    const around = networks.filter((text) => !text.startsWith(prefix));
    const { containing, before } = await this.#containing(around, wanted);
    const offset = Math.max(0, wanted.offset - before.length);
    const found = await this.#textsFrom(prefix, { ...wanted, offset });
    return { items: [...before.slice(wanted.offset), ...found.items], total: containing + found.total };
  }

  async #textsFrom(prefix: string, wanted: Wanted) {
    const { after, offset, limit, now, signal } = wanted;
    const end = `${prefix}\uffff`;
    const total = await this.#count({ column: 'ip_address', from: prefix, above: false, to: end }, now, signal);
    if (total <= SORTABLE) {
      // The plus keeps SQLite from walking the whole table in address order to avoid this small sort.
      const items = await this.#items(now)
        .where('ip_address', '>=', prefix)
        .where('ip_address', '<', end)
        .where(sql`+sort_key`, '>', after)
        .orderBy(sql`+sort_key`)
        .limit(limit)
        .offset(offset)
        .execute();
      return { items, total };
    }
    const texts = { first: prefix, end };
    const start = await this.#passOver(wanted, null, texts);
    return { items: start === null ? [] : await this.#walk(texts, { ...wanted, after: start }), total };
  }

  /** Scans the index by address, which contains the texts, for enough matches. */
  async #walk({ first, end }: Texts, { after, limit, now, signal }: Wanted): Promise<KeyedItem[]> {
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
      const matching = slice.filter((row) => row.ip_address >= first && row.ip_address < end);
      for (let start = 0; start < matching.length; start += CHOICE) {
        const choice = matching.slice(start, start + CHOICE);
        const rows = await this.#deps.rows.getMany(
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
      await this.#turns.next(signal);
    }
  }

  #items(now: string | null): Query<KeyedItem> {
    const query = this.#db.selectFrom('blocked_ips').select(['sort_key', ...BLOCKED_COLUMNS]);
    // The plus leaves the choice of the index to the address order: the partial one of the rows that expire.
    return now === null ? query : query.where('expires_at', 'is not', null).where(sql`+expires_at`, '>', now);
  }

  /**
   * The key behind which the page begins, `offset` rows after `after`; null if there are fewer. By the index alone:
   * half a million are some 50 ms.
   * @param to the last matching key at most, or null
   * @param among which texts match; null: all
   */
  async #passOver(
    { after, offset, now, signal }: Wanted,
    to: Buffer | null,
    among: Texts | null,
  ): Promise<Buffer | null> {
    let left = offset;
    let from = after;
    while (left > 0) {
      const span = { column: 'sort_key', from, above: true, to } as const;
      if (now === null && among === null) {
        const step = Math.min(left, SLICE);
        const key = await this.#keyAt(span, step - 1, now, among);
        left -= step;
        if (key === null || left === 0) return key;
        from = key;
        await this.#turns.next(signal);
        continue;
      }
      const slice = await this.#slice(span, now, among);
      if (slice.counted >= left) return await this.#keyAt(span, left - 1, now, among);
      if (slice.scanned < SLICE || !Buffer.isBuffer(slice.last)) return null;
      left -= slice.counted;
      from = slice.last;
      await this.#turns.next(signal);
    }
    return from;
  }

  async #keyAt(span: Span, offset: number, now: string | null, among: Texts | null): Promise<Buffer | null> {
    const { rows } = await sql<{ key: Buffer }>`
      select key from (${rowsOf(span, now, among)}) where ${wantedOf(now, among)}
      order by key limit 1 offset ${offset}`.execute(this.#db);
    return rows[0]?.key ?? null;
  }

  /** How many rows there are; unless `now` is null, only those that expire after it. */
  async #count(span: Span, now: string | null, signal: AbortSignal | undefined): Promise<number> {
    let total = 0;
    let { from, above } = span;
    for (;;) {
      const slice = await this.#slice({ ...span, from, above }, now, null);
      total += slice.counted;
      if (slice.scanned < SLICE || slice.last === null) return total;
      from = slice.last;
      above = true;
      await this.#turns.next(signal);
    }
  }

  async #slice(span: Span, now: string | null, among: Texts | null): Promise<Slice> {
    const counted = now === null && among === null ? sql`count(*)` : sql`coalesce(sum(${wantedOf(now, among)}), 0)`;
    const { rows } = await sql<Slice>`
      select count(*) as scanned, ${counted} as counted, max(key) as last
      from (${rowsOf(span, now, among)})`.execute(this.#db);
    return rows[0]!;
  }
}

/**
 * The networks around everything that begins with a part of an address: `42.130` and `42.130.` are 42.130.0.0/16,
 * `2001:db8` is 2001:db8::/32. None for anything else.
 */
function networksAroundPart(prefix: string): string[] {
  for (const text of [ipv4Network(prefix), ipv6Network(prefix)]) {
    const parsed = text === null ? null : parseIp(text);
    if (parsed?.ok === true) return [...containingNetworks(parsed.entry), parsed.entry.text];
  }
  return [];
}

function ipv4Network(prefix: string): string | null {
  if (!/^[0-9]+(\.[0-9]+){0,2}\.?$/.test(prefix)) return null;
  const parts = prefix.replace(/\.$/, '').split('.');
  return `${[...parts, '0', '0', '0'].slice(0, 4).join('.')}/${8 * parts.length}`;
}

function ipv6Network(prefix: string): string | null {
  if (!/^[0-9a-f]+(:[0-9a-f]+){0,6}:?$/.test(prefix)) return null;
  const parts = prefix.replace(/:$/, '').split(':');
  return `${parts.join(':')}::/${16 * parts.length}`;
}

/** The next slice of a span. */
function rowsOf({ column, from, above, to }: Span, now: string | null, among: Texts | null): RawBuilder<unknown> {
  const ref = sql.ref(column);
  // By sort key the partial index of expiring rows filters; by text the rows are read and filtered, since a slice that
  // looked for its ten thousand would not end.
  const ending = now !== null && column === 'sort_key' ? sql`and expires_at is not null` : sql``;
  return sql`
    select ${ref} as key ${now === null ? sql`` : sql`, expires_at`} ${among === null ? sql`` : sql`, ip_address`}
    from blocked_ips
    where ${ref} ${above ? sql`>` : sql`>=`} ${from} ${to === null ? sql`` : sql`and ${ref} <= ${to}`} ${ending}
    order by ${ref} limit ${SLICE}`;
}

function wantedOf(now: string | null, among: Texts | null): RawBuilder<unknown> {
  const ends = now === null ? sql`true` : sql`expires_at > ${now}`;
  return among === null ? ends : sql`${ends} and ip_address >= ${among.first} and ip_address < ${among.end}`;
}

function endsAfter(row: BlockedIp, now: string): boolean {
  return row.expires_at !== null && row.expires_at > now;
}

/** The key right before `key`: no row lies between. A prefix is never 0. */
function previousKey(key: Buffer): Buffer {
  const previous = Buffer.from(key);
  previous[previous.length - 1]! -= 1;
  return previous;
}
