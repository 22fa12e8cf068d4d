import type { SliceQueue } from '../../concurrency/slices.ts';
import { parseIp, sortKeyRange } from '../../domain/ip.ts';
import { compareKeys, KEY_BYTES } from '../staged-rows.ts';
import { type EntryChunk, type EntryColumns, PERMANENT } from './entry-columns.ts';
import type { HitColumn } from './hit-columns.ts';

/** In the order of their numbers in cursors. */
export const sortFields = ['address', 'blocked_at', 'expires_at', 'hits', 'last_hit'] as const;
export type SortField = (typeof sortFields)[number];

/** All of them must hold; absent: any. */
export interface EntryFilter {
  readonly family?: 4 | 6 | undefined;
  /** Only prefixes shorter than this, as they are written. */
  readonly widerThan?: number | undefined;
  /** Seconds since 1970. */
  readonly blockedSince?: number | undefined;
  /** The number of a source that claims it. */
  readonly source?: number | undefined;
  /** Only temporary blocks that end later, in seconds since 1970. */
  readonly endsAfter?: number | undefined;
  /** Only what denied a request since then, in seconds since 1970. Needs `hits`. */
  readonly hitSince?: number | undefined;
}

export interface Position {
  /** What the row is sorted by; 0 in the order of addresses. */
  readonly value: number;
  readonly key: Buffer;
}

export interface ColumnQuery {
  readonly filter: EntryFilter;
  readonly sort: SortField;
  readonly descending: boolean;
  /** The last row of the previous page; null: from the start. */
  readonly after: Position | null;
  /** Rows to skip after it. */
  readonly offset: number;
  readonly limit: number;
  /** Of each chunk; null: the query is not about hits. */
  readonly hits: readonly HitColumn[] | null;
}

/** Chunks examined without a pause: some 3 ms. */
const CHUNKS_AT_ONCE = 32;

/**
 * The rows of a page, and how many rows match. Rows with the same value are in the order of addresses, and in the order of
 * addresses all have the same value; a descending list is the ascending one turned round. Every page costs the same: no
 * row is sorted but those of the page.
 */
export async function queryColumns(
  columns: EntryColumns,
  query: ColumnQuery,
  turns: SliceQueue,
  signal?: AbortSignal | undefined,
): Promise<{ readonly rows: readonly Position[]; readonly total: number }> {
  const matches = new Matches(columns, query);
  for (let chunk = 0; chunk < columns.chunks.length; chunk++) {
    if (chunk > 0 && chunk % CHUNKS_AT_ONCE === 0) await turns.next(signal);
    matches.add(chunk);
  }
  await turns.next(signal);
  return { rows: matches.page(query.offset, query.limit), total: matches.total };
}

class Matches {
  readonly #columns: EntryColumns;
  readonly #query: ColumnQuery;
  readonly #isClaimed: Uint8Array | null;
  readonly #values: Uint32Array;
  /** Numbers of chunks and, within them, of rows. */
  readonly #chunks: Uint32Array;
  readonly #rows: Uint16Array;
  #length = 0;
  total = 0;

  constructor(columns: EntryColumns, query: ColumnQuery) {
    this.#columns = columns;
    this.#query = query;
    const { source } = query.filter;
    this.#isClaimed = source === undefined ? null : columns.claimants.containing(source);
    this.#values = new Uint32Array(columns.length);
    this.#chunks = new Uint32Array(columns.length);
    this.#rows = new Uint16Array(columns.length);
  }

  add(index: number): void {
    const chunk = this.#columns.chunks[index]!;
    const { filter, after } = this.#query;
    const hits = this.#query.hits?.[index] ?? null;
    const ipv4 = ipv4Rows(chunk);
    const { blockedSince = 0, endsAfter = null, widerThan = null, hitSince = null, family } = filter;
    const claimed = this.#isClaimed;
    const sorted = this.#sortedBy(chunk, hits);
    const { descending, sort } = this.#query;
    const ofHits = sort === 'hits' || sort === 'last_hit';
    for (let row = 0; row < chunk.endsAt.length; row++) {
      const isIpv4 = row >= ipv4.from && row < ipv4.to;
      if (family !== undefined && isIpv4 !== (family === 4)) continue;
      if (widerThan !== null && chunk.keys[row * KEY_BYTES + 16]! - (isIpv4 ? 96 : 0) >= widerThan) continue;
      if (chunk.blockedAt[row]! < blockedSince) continue;
      if (claimed !== null && claimed[chunk.claimants[row]!] !== 1) continue;
      const ends = chunk.endsAt[row]!;
      if (endsAfter !== null && (ends === PERMANENT || ends <= endsAfter)) continue;
      // Hits of an earlier block of the same address are not of this one.
      const isHit = hits !== null && hits.lastHit[row]! >= chunk.blockedAt[row]!;
      if (hitSince !== null && !(isHit && hits.lastHit[row]! >= hitSince)) continue;
      this.total += 1;
      const value = sorted === null || (ofHits && !isHit) ? 0 : sorted[row]!;
      if (after !== null) {
        const order = value - after.value || compareKeys(chunk.keys, row * KEY_BYTES, after.key, 0);
        if (descending ? order >= 0 : order <= 0) continue;
      }
      this.#values[this.#length] = value;
      this.#chunks[this.#length] = index;
      this.#rows[this.#length] = row;
      this.#length += 1;
    }
  }

  #sortedBy(chunk: EntryChunk, hits: HitColumn | null): Uint32Array | null {
    const { sort } = this.#query;
    if (sort === 'address') return null;
    if (sort === 'hits') return hits?.lastDay ?? null;
    if (sort === 'last_hit') return hits?.lastHit ?? null;
    return sort === 'blocked_at' ? chunk.blockedAt : chunk.endsAt;
  }

  /** Without the first `offset`, at most `limit`, in the order of the list. */
  page(offset: number, limit: number): Position[] {
    const left = Math.max(0, this.#length - offset);
    const taken = Math.min(left, limit);
    if (!this.#query.descending) return this.#ranked(offset, offset + taken);
    return this.#ranked(left - taken, left).reverse();
  }

  /** By rank in ascending order, from 0; without `end`. */
  #ranked(start: number, end: number): Position[] {
    if (start >= end) return [];
    const first = valueAtRank(this.#values, this.#length, start);
    const last = valueAtRank(this.#values, this.#length, end - 1);
    // Of the rows with these two values, only some are in the page.
    let skipped = start - first.before;
    let taken = end - last.before;
    const found: { readonly value: number; readonly index: number }[] = [];
    for (let index = 0; index < this.#length; index++) {
      const value = this.#values[index]!;
      if (value < first.value || value > last.value) continue;
      if (value === last.value && taken-- <= 0) continue;
      if (value === first.value && skipped-- > 0) continue;
      found.push({ value, index });
    }
    found.sort((a, b) => a.value - b.value || a.index - b.index);
    return found.map(({ value, index }) => {
      const { keys } = this.#columns.chunks[this.#chunks[index]!]!;
      const at = this.#rows[index]! * KEY_BYTES;
      return { value, key: Buffer.from(keys.subarray(at, at + KEY_BYTES)) };
    });
  }
}

/** The value with this rank, from 0, and how many are smaller: by counting the upper halves, then the lower ones. */
function valueAtRank(values: Uint32Array, length: number, rank: number): { value: number; before: number } {
  const counts = new Uint32Array(65_536);
  for (let index = 0; index < length; index++) counts[values[index]! >>> 16]! += 1;
  let before = 0;
  const upper = holding(counts, rank);
  before += upper.before;
  counts.fill(0);
  for (let index = 0; index < length; index++) {
    const value = values[index]!;
    if (value >>> 16 === upper.bucket) counts[value & 0xffff]! += 1;
  }
  const lower = holding(counts, rank - before);
  return { value: ((upper.bucket << 16) | lower.bucket) >>> 0, before: before + lower.before };
}

function holding(counts: Uint32Array, rank: number): { bucket: number; before: number } {
  let before = 0;
  let bucket = 0;
  while (before + counts[bucket]! <= rank) {
    before += counts[bucket]!;
    bucket += 1;
  }
  return { bucket, before };
}

/** Of the sort keys of IPv4. */
export const ipv4Range = rangeOf('0.0.0.0/1', '128.0.0.0/1');

function rangeOf(lower: string, upper: string): { readonly first: Buffer; readonly last: Buffer } {
  const [low, high] = [lower, upper].map((text) => {
    const parsed = parseIp(text);
    if (!parsed.ok) throw new Error(parsed.why);
    return sortKeyRange(parsed.entry);
  });
  return { first: low!.first, last: high!.last };
}

/** The rows of IPv4 lie together, in the middle of the order. */
function ipv4Rows({ keys, endsAt }: EntryChunk): { readonly from: number; readonly to: number } {
  return {
    from: rowsBefore(keys, endsAt.length, ipv4Range.first, 0),
    to: rowsBefore(keys, endsAt.length, ipv4Range.last, 1),
  };
}

/** How many keys are below `key`; `orEqual` 1: or equal to it. */
function rowsBefore(keys: Buffer, rows: number, key: Buffer, orEqual: 0 | 1): number {
  let low = 0;
  let high = rows;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKeys(keys, middle * KEY_BYTES, key, 0) < orEqual) low = middle + 1;
    else high = middle;
  }
  return low;
}
