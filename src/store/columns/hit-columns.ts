// When entries last denied a request, and how many in the last day, beside the columns (ADR 0100).
import { type Kysely, sql } from 'kysely';
import { Mutex } from '../../concurrency/mutex.ts';
import type { SliceQueue } from '../../concurrency/slices.ts';
import { keyOfText, keyText } from '../key-text.ts';
import type { Schema } from '../schema.ts';
import { compareKeys, KEY_BYTES } from '../staged-rows.ts';
import type { EntryChunk, EntryColumns } from './entry-columns.ts';

/** What was counted lately, of one entry at each index. Never changed once made. */
export interface HitSnapshot {
  /** Sort keys, one behind the other, in any order; each once. */
  readonly keys: Uint8Array;
  /** In seconds since 1970. */
  readonly lastHit: Uint32Array;
  /** In the last 24 hours. */
  readonly lastDay: Uint32Array;
}

/** Of the rows of a chunk; 0: never, as far as is known. */
export interface HitColumn {
  readonly lastHit: Uint32Array;
  readonly lastDay: Uint32Array;
}

/** Hits are stored once a minute, and are in the snapshot before. */
const refreshSeconds = 60;
/** How long a failing database may delay them. */
const lateSeconds = 900;
const readAtOnce = 10_000;
const chunksAtOnce = 16;
const keysAtOnce = 5_000;

interface StoredHit {
  readonly key: string;
  readonly last_hit: number;
}

export class HitColumns {
  readonly #read: Kysely<Schema>;
  readonly #turns: SliceQueue;
  readonly #mutex = new Mutex();
  /** `entry_hits.last_hit` of each row; goes with its chunk. */
  #stored = new WeakMap<EntryChunk, Uint32Array>();
  #refreshedAt: number | null = null;
  /** What was asked for last, since a list is read page by page; goes with its columns, which are forgotten. */
  readonly #last = new WeakMap<EntryColumns, { readonly snapshot: HitSnapshot; readonly all: HitColumn[] }>();

  constructor(read: Kysely<Schema>, turns: SliceQueue) {
    this.#read = read;
    this.#turns = turns;
  }

  /** One for each chunk. @param now in seconds since 1970 @throws StoreError */
  async of(columns: EntryColumns, snapshot: HitSnapshot, now: number): Promise<readonly HitColumn[]> {
    return await this.#mutex.run(async () => {
      const known = this.#last.get(columns);
      if (known?.snapshot === snapshot) return known.all;
      await this.#refresh(columns, now);
      const all: HitColumn[] = [];
      for (const chunk of columns.chunks) {
        if (!this.#stored.has(chunk)) this.#stored.set(chunk, await this.#readChunk(chunk));
        all.push({ lastHit: this.#stored.get(chunk)!, lastDay: new Uint32Array(chunk.endsAt.length) });
        if (all.length % chunksAtOnce === 0) await this.#turns.next();
      }
      await this.#addRecent(columns, snapshot, all);
      this.#last.set(columns, { snapshot, all });
      return all;
    });
  }

  /** What was stored since the last time. */
  async #refresh(columns: EntryColumns, now: number): Promise<void> {
    const last = this.#refreshedAt;
    if (last !== null && now >= last && now - last < refreshSeconds) return;
    this.#refreshedAt = now;
    if (last === null) return;
    // A clock that was set back: everything is read again.
    if (now < last) {
      this.#stored = new WeakMap();
      return;
    }
    const changed = new Map<EntryChunk, Uint32Array>();
    try {
      for (let after: Buffer = Buffer.alloc(0); ; await this.#turns.next()) {
        const { rows } = await sql<StoredHit>`
          select ${keyText('sort_key')} as key, last_hit from entry_hits where sort_key > ${after}
          order by sort_key limit ${readAtOnce}`.execute(this.#read);
        for (const { key, last_hit: at } of rows) {
          if (at < last - lateSeconds) continue;
          const place = placeOf(columns, keyOfText(key), 0);
          const chunk = place === null ? undefined : columns.chunks[place.chunk];
          const stored = chunk === undefined ? undefined : this.#stored.get(chunk);
          if (place === null || chunk === undefined || stored === undefined || stored[place.row]! >= at) continue;
          // Copied: a list that is being made reads the earlier one.
          if (!changed.has(chunk)) changed.set(chunk, stored.slice());
          changed.get(chunk)![place.row] = at;
        }
        if (rows.length < readAtOnce) break;
        after = keyOfText(rows.at(-1)!.key);
      }
    } catch (error) {
      this.#refreshedAt = last;
      throw error;
    }
    for (const [chunk, stored] of changed) this.#stored.set(chunk, stored);
  }

  async #readChunk({ keys, endsAt }: EntryChunk): Promise<Uint32Array> {
    const found = new Uint32Array(endsAt.length);
    if (found.length === 0) return found;
    const { rows } = await sql<StoredHit>`
      select ${keyText('sort_key')} as key, last_hit from entry_hits
      where sort_key >= ${keys.subarray(0, KEY_BYTES)} and sort_key <= ${keys.subarray(-KEY_BYTES)}
      order by sort_key`.execute(this.#read);
    let row = 0;
    for (const { key: text, last_hit: at } of rows) {
      const key = keyOfText(text);
      while (row < found.length && compareKeys(keys, row * KEY_BYTES, key, 0) < 0) row += 1;
      if (row < found.length && compareKeys(keys, row * KEY_BYTES, key, 0) === 0) found[row] = at;
    }
    return found;
  }

  async #addRecent(columns: EntryColumns, recent: HitSnapshot, all: HitColumn[]): Promise<void> {
    const copied = new Set<number>();
    for (let index = 0; index < recent.lastHit.length; index += 1) {
      if (index % keysAtOnce === keysAtOnce - 1) await this.#turns.next();
      const place = placeOf(columns, recent.keys, index * KEY_BYTES);
      if (place === null) continue;
      if (!copied.has(place.chunk)) {
        copied.add(place.chunk);
        const { lastHit: stored, lastDay: days } = all[place.chunk]!;
        all[place.chunk] = { lastHit: stored.slice(), lastDay: days };
      }
      const column = all[place.chunk]!;
      column.lastHit[place.row] = Math.max(column.lastHit[place.row]!, recent.lastHit[index]!);
      column.lastDay[place.row] = recent.lastDay[index]!;
    }
  }
}

/** Null: not blocked. */
function placeOf(
  { chunks }: EntryColumns,
  wanted: Uint8Array,
  at: number,
): { readonly chunk: number; readonly row: number } | null {
  let [low, high] = [0, chunks.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKeys(chunks[middle]!.keys, 0, wanted, at) <= 0) low = middle + 1;
    else high = middle;
  }
  const chunk = low - 1;
  if (chunk < 0) return null;
  const { keys, endsAt } = chunks[chunk]!;
  [low, high] = [0, endsAt.length];
  // Keys of IPv4 begin with many equal bytes: those that all keys of the chunk share are compared once.
  const shared = sharedBytes(keys);
  for (let index = 0; index < shared; index += 1) if (wanted[at + index] !== keys[index]) return null;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = compareKeys(keys, middle * KEY_BYTES, wanted, at, shared);
    if (order === 0) return { chunk, row: middle };
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return null;
}

/** With how many equal bytes the sorted keys of a chunk begin. */
function sharedBytes(keys: Uint8Array): number {
  const last = keys.length - KEY_BYTES;
  let shared = 0;
  while (shared < KEY_BYTES && keys[shared] === keys[last + shared]) shared += 1;
  return shared;
}
