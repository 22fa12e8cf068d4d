// Keys of rows, of one kind each.

import { addressHash, mix } from '../domain/address-shard.ts';
import { type IpWords, isMapped } from '../domain/ip.ts';
import { enlarged } from './enlarged.ts';

export interface KeyColumn<Key> {
  hash(key: Key, seed: number): number;
  /** Whether it is the key of the row. */
  has(row: number, key: Key): boolean;
  get(row: number): Key;
  set(row: number, key: Key): void;
  /** The row has no key any more. */
  clear(row: number): void;
  enlarge(rows: number): void;
}

export class TextColumn implements KeyColumn<string> {
  readonly #texts = [''];

  hash(key: string, seed: number): number {
    let hash = seed;
    for (let at = 0; at < key.length; at += 1) hash = mix(hash ^ key.charCodeAt(at));
    return hash;
  }

  has(row: number, key: string): boolean {
    return this.#texts[row] === key;
  }

  get(row: number): string {
    return this.#texts[row]!;
  }

  set(row: number, key: string): void {
    this.#texts[row] = key;
  }

  clear(row: number): void {
    this.#texts[row] = '';
  }

  enlarge(): void {
    // An array grows by itself.
  }
}

const wordsEach = 4;

/** Single addresses, in 16 bytes each outside of V8's heap. */
export class AddressColumn implements KeyColumn<IpWords> {
  #words = new Uint32Array(0);

  /** Signed, as `mix` is. */
  hash(words: IpWords, seed: number): number {
    return addressHash(seed, wordsEach, words, 0, 128) | 0;
  }

  has(row: number, [first, second, third, fourth]: IpWords): boolean {
    const at = row * wordsEach;
    const words = this.#words;
    // The last word first: most IPv4 addresses differ in no other.
    return words[at + 3] === fourth && words[at + 2] === third && words[at + 1] === second && words[at] === first;
  }

  get(row: number): IpWords {
    const at = row * wordsEach;
    const words = this.#words;
    return [words[at]!, words[at + 1]!, words[at + 2]!, words[at + 3]!];
  }

  set(row: number, words: IpWords): void {
    this.#words.set(words, row * wordsEach);
  }

  clear(): void {
    // Nothing reads the words of a row until it has another key.
  }

  enlarge(rows: number): void {
    this.#words = new Uint32Array(enlarged(this.#words, rows * wordsEach));
  }

  /** In the order of their short keys, the primary key of a table. */
  compare(one: number, other: number): number {
    return compareShort(this.get(one), this.get(other));
  }
}

/** As memcmp of `shortKey`: 4 bytes of an IPv4 address, 16 of an IPv6 address. */
function compareShort(a: IpWords, b: IpWords): number {
  const [ofA, ofB] = [isMapped(a), isMapped(b)];
  const first = (ofA ? a[3] : a[0]) - (ofB ? b[3] : b[0]);
  if (first !== 0 || (ofA && ofB)) return first;
  if (ofA !== ofB) return ofA ? -1 : 1;
  return a[1] - b[1] || a[2] - b[2] || a[3] - b[3];
}
