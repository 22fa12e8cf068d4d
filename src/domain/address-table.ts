import { AddressShard, addressHash, type ShardWidth } from './address-shard.ts';
import type { IpEntry } from './ip-entry.ts';

const SHARDS = 64;

/**
 * An exact set of canonical entries in typed arrays, to compare a million rows with a million lines of a dump: about
 * 13 MB for 1,000,000 IPv4 entries, with one byte of marks each for the caller's use.
 *
 * It is cut into shards so that growing never holds the event loop for longer than one small shard takes.
 */
export class AddressTable {
  readonly #ipv4: readonly AddressShard[];
  readonly #ipv6: readonly AddressShard[];
  // Drawn anew for each table, so that nobody can choose a list whose entries collide.
  readonly #seed = Math.floor(Math.random() * 0x100000000);

  /** @param expectedEntries spares growing when most of them are IPv4; more may be inserted all the same. */
  constructor(expectedEntries = 0) {
    this.#ipv4 = shards(1, this.#seed, expectedEntries / SHARDS);
    this.#ipv6 = shards(4, this.#seed, 0);
  }

  get size(): number {
    let size = 0;
    for (const shard of this.#ipv4) size += shard.size;
    for (const shard of this.#ipv6) size += shard.size;
    return size;
  }

  /** Adds the entry without marks. False when it was there, and then its marks stay. */
  insert(entry: IpEntry): boolean {
    const hash = this.#hash(entry);
    return this.#shard(entry, hash).insert(entry, hash);
  }

  has(entry: IpEntry): boolean {
    return this.marksOf(entry) >= 0;
  }

  /** Marks the entry once more; how often it had been marked before (255: that often or oftener), -1 when absent. */
  mark(entry: IpEntry): number {
    const hash = this.#hash(entry);
    return this.#shard(entry, hash).mark(entry, hash);
  }

  /** How often the entry was marked (255: that often or oftener), -1 when absent. */
  marksOf(entry: IpEntry): number {
    const hash = this.#hash(entry);
    return this.#shard(entry, hash).marksOf(entry, hash);
  }

  #hash(entry: IpEntry): number {
    return entry.family === 4
      ? addressHash(this.#seed, 1, entry.words, 3, entry.prefix)
      : addressHash(this.#seed, 4, entry.words, 0, entry.prefix);
  }

  /** The shard by the hash's top bits; the slot within it is found by the low ones. */
  #shard(entry: IpEntry, hash: number): AddressShard {
    return (entry.family === 4 ? this.#ipv4 : this.#ipv6)[hash >>> 26] as AddressShard;
  }
}

function shards(width: ShardWidth, seed: number, expectedEntries: number): readonly AddressShard[] {
  return Array.from({ length: SHARDS }, () => new AddressShard(width, seed, expectedEntries));
}
