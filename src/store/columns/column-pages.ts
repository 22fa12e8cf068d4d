import type { BlockedIp } from '../../api/blocked-entries.ts';
import { entryOfSortKey } from '../../domain/ip.ts';
import type { BlockedRows } from '../blocked-rows.ts';
import type { Database } from '../open-database.ts';
import { KEY_BYTES } from '../staged-rows.ts';
import { InvalidCursor } from '../store-error.ts';
import { type EntryFilter, type Position, queryColumns, type SortField, sortFields } from './column-query.ts';
import { HitColumns, type HitSnapshot } from './hit-columns.ts';

export interface ListOrder {
  readonly by: SortField;
  readonly descending: boolean;
}

/** What was counted lately, and the time in seconds since 1970. */
export interface RequestedHits {
  readonly snapshot: HitSnapshot;
  readonly now: number;
}

/** A page in an order, of what a filter selects. */
export interface ColumnPageRequest {
  readonly order: ListOrder;
  readonly filter: EntryFilter;
  readonly limit: number;
  readonly cursor: string | null;
  readonly offset: number;
  /** For an order of hits, or a filter by them. */
  readonly hits?: RequestedHits | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Pages of the list of blocks by the columns in memory. */
export class ColumnPages {
  readonly #database: Database;
  readonly #rows: BlockedRows;
  readonly #hits: HitColumns;

  constructor(database: Database, rows: BlockedRows) {
    this.#database = database;
    this.#rows = rows;
    this.#hits = new HitColumns(database.read, database.turns);
  }

  /** Throws `InvalidCursor`. */
  async page(request: ColumnPageRequest): Promise<{ items: BlockedIp[]; nextCursor: string | null; total: number }> {
    const { order, filter, limit, cursor, offset, hits, signal } = request;
    const after = cursor === null ? null : decodePosition(cursor, order);
    const page = { filter, sort: order.by, descending: order.descending, after, offset, limit: limit + 1 };
    const { columns, turns, read } = this.#database;
    const all = await columns.current();
    const query = { ...page, hits: hits === undefined ? null : await this.#hits.of(all, hits.snapshot, hits.now) };
    const { rows, total } = await queryColumns(all, query, turns, signal);
    const shown = rows.slice(0, limit);
    const texts = shown.map(({ key }) => entryOfSortKey(key).text);
    const found = await this.#rows.getMany(read, texts);
    // Without those that were removed since.
    const items = texts.flatMap((text) => found.get(text) ?? []);
    const last = shown.at(-1);
    const nextCursor = rows.length > limit && last !== undefined ? encodePosition(last, order) : null;
    return { items, nextCursor, total };
  }
}

/** Of a cursor: version, order, value, key. Version 1 is that of the complete list in the order of addresses. */
const VERSION = 2;
const VALUE_AT = 2;
const KEY_AT = 6;

function encodePosition({ value, key }: Position, { by, descending }: ListOrder): string {
  const bytes = Buffer.alloc(KEY_AT + KEY_BYTES);
  bytes[0] = VERSION;
  bytes[1] = orderByte({ by, descending });
  bytes.writeUInt32BE(value, VALUE_AT);
  bytes.set(key, KEY_AT);
  return bytes.toString('base64url');
}

/** Throws `InvalidCursor`, also for the cursor of another order. */
function decodePosition(cursor: string, order: ListOrder): Position {
  const bytes = Buffer.from(cursor, 'base64url');
  const isOurs =
    bytes.length === KEY_AT + KEY_BYTES &&
    bytes[0] === VERSION &&
    bytes[1] === orderByte(order) &&
    bytes.toString('base64url') === cursor;
  if (!isOurs) throw new InvalidCursor();
  return { value: bytes.readUInt32BE(VALUE_AT), key: bytes.subarray(KEY_AT) };
}

function orderByte({ by, descending }: ListOrder): number {
  return sortFields.indexOf(by) * 2 + Number(descending);
}
