import type { IpEntry } from './ip-entry.ts';

/** Words of the address stored per entry: the last one for IPv4, all four for IPv6. */
export type ShardWidth = 1 | 4;

const SMALLEST = 16;
const FULLEST = 0.75;
const MOST_MARKS = 255;

/** One open-addressed part of an `AddressTable`, for one family. The table passes entries with their hash. */
export class AddressShard {
  readonly #width: ShardWidth;
  readonly #seed: number;
  #words: Uint32Array<ArrayBuffer>;
  /** 0 is a free slot: no entry has the prefix 0. */
  #prefixes: Uint8Array<ArrayBuffer>;
  #marks: Uint8Array<ArrayBuffer>;
  #size = 0;

  constructor(width: ShardWidth, seed: number, expectedEntries: number) {
    this.#width = width;
    this.#seed = seed;
    let capacity = SMALLEST;
    while (capacity * FULLEST <= expectedEntries) capacity *= 2;
    this.#words = new Uint32Array(capacity * width);
    this.#prefixes = new Uint8Array(capacity);
    this.#marks = new Uint8Array(capacity);
  }

  get size(): number {
    return this.#size;
  }

  insert(entry: IpEntry, hash: number): boolean {
    const slot = this.#slotOf(entry, hash);
    if (this.#prefixes[slot] !== 0) return false;
    this.#store(slot, entry);
    this.#size++;
    if (this.#size > this.#prefixes.length * FULLEST) this.#grow();
    return true;
  }

  mark(entry: IpEntry, hash: number): number {
    const slot = this.#slotOf(entry, hash);
    if (this.#prefixes[slot] === 0) return -1;
    const before = this.#marks[slot] as number;
    if (before < MOST_MARKS) this.#marks[slot] = before + 1;
    return before;
  }

  marksOf(entry: IpEntry, hash: number): number {
    const slot = this.#slotOf(entry, hash);
    return this.#prefixes[slot] === 0 ? -1 : (this.#marks[slot] as number);
  }

  /** The slot of the entry, or the free slot for it. */
  #slotOf(entry: IpEntry, hash: number): number {
    const last = this.#prefixes.length - 1;
    let slot = hash & last;
    while (this.#prefixes[slot] !== 0 && !this.#holds(slot, entry)) slot = (slot + 1) & last;
    return slot;
  }

  #holds(slot: number, entry: IpEntry): boolean {
    if (this.#prefixes[slot] !== entry.prefix) return false;
    const words = this.#words;
    if (this.#width === 1) return words[slot] === entry.words[3];
    const at = slot * 4;
    return (
      words[at + 3] === entry.words[3] &&
      words[at + 2] === entry.words[2] &&
      words[at + 1] === entry.words[1] &&
      words[at] === entry.words[0]
    );
  }

  #store(slot: number, entry: IpEntry): void {
    this.#prefixes[slot] = entry.prefix;
    if (this.#width === 1) this.#words[slot] = entry.words[3];
    else this.#words.set(entry.words, slot * 4);
  }

  #grow(): void {
    const { length: before } = this.#prefixes;
    const width = this.#width;
    const [words, prefixes, marks] = [this.#words, this.#prefixes, this.#marks];
    this.#words = new Uint32Array(before * 2 * width);
    this.#prefixes = new Uint8Array(before * 2);
    this.#marks = new Uint8Array(before * 2);
    const last = before * 2 - 1;
    for (let from = 0; from < before; from++) {
      const prefix = prefixes[from] as number;
      if (prefix === 0) continue;
      let to = addressHash(this.#seed, width, words, from * width, prefix) & last;
      // There are no duplicates, so the first free slot is the right one.
      while (this.#prefixes[to] !== 0) to = (to + 1) & last;
      this.#words.set(words.subarray(from * width, from * width + width), to * width);
      this.#prefixes[to] = prefix;
      this.#marks[to] = marks[from] as number;
    }
  }
}

/** An unsigned 32-bit hash of the `width` words at `at` and the prefix. */
export function addressHash(
  seed: number,
  width: ShardWidth,
  words: ArrayLike<number>,
  at: number,
  prefix: number,
): number {
  let hash = seed ^ prefix;
  for (let index = 0; index < width; index++) hash = mix(hash ^ (words[at + index] as number));
  return hash >>> 0;
}

/** MurmurHash3's finalizer: every bit of the input moves every bit of the output. */
export function mix(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
