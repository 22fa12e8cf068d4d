import { randomInt } from 'node:crypto';
import { enlarged } from './enlarged.ts';
import type { KeyColumn } from './key-columns.ts';

/** No row. */
export const noRow = 0;
const leastCapacity = 1_024;

/**
 * Rows of columns by key, in an order of their own. Typed arrays, since there may be 100,000: a `Map` takes twice the memory
 * once keys were moved or deleted, and leaves tables of megabytes to the collection of garbage. A table that may become large
 * has room for all its keys from the start: the system gives memory only to pages that are written, but an enlargement writes
 * the whole new array, and leaves a hole where the old one was.
 */
export class KeyRows<Key> {
  #size = 0;
  /** Rows that were ever used. */
  #used = 1;
  /** By row. */
  readonly #keys: KeyColumn<Key>;
  /** By row: of its key. */
  #hashes: Int32Array;
  /** By row: the neighbours in the order. `noRow` is before the first one and after the last one. */
  #before: Int32Array;
  #after: Int32Array;
  /** The last removed row; linked by `#after`. */
  #removed = noRow;
  /** Rows by hash. */
  #slots: Int32Array;
  // Random for each table, so that no keys can be prepared whose hashes collide.
  readonly #seed = randomInt(-(2 ** 31), 2 ** 31);

  /** @param expected keys for which there is room; more enlarge the table */
  constructor(keys: KeyColumn<Key>, expected = 0) {
    // Besides row 0.
    const capacity = Math.max(leastCapacity, expected + 1);
    this.#keys = keys;
    keys.enlarge(capacity);
    this.#hashes = new Int32Array(capacity);
    this.#before = new Int32Array(capacity);
    this.#after = new Int32Array(capacity);
    this.#slots = slotsFor(capacity);
  }

  get size(): number {
    return this.#size;
  }

  /** Above all rows; grows. */
  get capacity(): number {
    return this.#hashes.length;
  }

  get first(): number {
    return this.#after[noRow]!;
  }

  /** Row or `noRow`. */
  find(key: Key): number {
    return this.#slots[this.#slotOf(key, this.#keys.hash(key, this.#seed))]!;
  }

  keyOf(row: number): Key {
    return this.#keys.get(row);
  }

  /** At the end of the order. The columns have what a removed row left there. @param key unknown until now */
  add(key: Key): number {
    const row = this.#removed === noRow ? this.#used : this.#removed;
    if (row === this.#removed) this.#removed = this.#after[row]!;
    else {
      if (row >= this.capacity) this.#grow();
      this.#used += 1;
    }
    const hash = this.#keys.hash(key, this.#seed);
    this.#slots[this.#slotOf(key, hash)] = row;
    this.#keys.set(row, key);
    this.#hashes[row] = hash;
    this.#append(row);
    this.#size += 1;
    return row;
  }

  moveToEnd(row: number): void {
    this.#detach(row);
    this.#append(row);
  }

  remove(row: number): void {
    const last = this.#slots.length - 1;
    let free = this.#slotOf(this.#keys.get(row), this.#hashes[row]!);
    // What was stored behind it, since its slot was in use, moves up.
    for (let slot = (free + 1) & last; this.#slots[slot] !== noRow; slot = (slot + 1) & last) {
      const best = this.#hashes[this.#slots[slot]!]! & last;
      if (((slot - best) & last) < ((slot - free) & last)) continue;
      this.#slots[free] = this.#slots[slot]!;
      free = slot;
    }
    this.#slots[free] = noRow;
    this.#detach(row);
    this.#keys.clear(row);
    this.#after[row] = this.#removed;
    this.#removed = row;
    this.#size -= 1;
  }

  /** In order. Nothing may be moved or removed meanwhile. */
  *[Symbol.iterator](): Generator<number> {
    for (let row = this.first; row !== noRow; row = this.#after[row]!) yield row;
  }

  #append(row: number): void {
    const last = this.#before[noRow]!;
    this.#before[row] = last;
    this.#after[row] = noRow;
    this.#after[last] = row;
    this.#before[noRow] = row;
  }

  #detach(row: number): void {
    const [before, after] = [this.#before[row]!, this.#after[row]!];
    this.#after[before] = after;
    this.#before[after] = before;
  }

  /** That of the key, or the free one for it. */
  #slotOf(key: Key, hash: number): number {
    const last = this.#slots.length - 1;
    let slot = hash & last;
    for (; ; slot = (slot + 1) & last) {
      const row = this.#slots[slot]!;
      if (row === noRow || (this.#hashes[row] === hash && this.#keys.has(row, key))) return slot;
    }
  }

  #grow(): void {
    const rows = 2 * this.capacity;
    this.#keys.enlarge(rows);
    this.#hashes = new Int32Array(enlarged(this.#hashes, rows));
    this.#before = new Int32Array(enlarged(this.#before, rows));
    this.#after = new Int32Array(enlarged(this.#after, rows));
    this.#slots = slotsFor(rows);
    const last = this.#slots.length - 1;
    for (const row of this) {
      let slot = this.#hashes[row]! & last;
      while (this.#slots[slot] !== noRow) slot = (slot + 1) & last;
      this.#slots[slot] = row;
    }
  }
}

/** A power of two, of which a sixth is free when all rows are used. */
function slotsFor(rows: number): Int32Array {
  return new Int32Array(2 ** Math.ceil(Math.log2(1.2 * rows)));
}
