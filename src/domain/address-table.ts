import { AddressShard, addressHash, type ShardWidth } from './address-shard.ts';
import type { IpEntry } from './ip-entry.ts';

const SHARDS = 64;

/**
 * An exact set of canonical entries in typed arrays, to compare a million rows with a million lines of a dump: about 13 MB
 * for 1,000,000 IPv4 entries, with one byte of marks each for the caller.
 *
 * It consists of shards, so that growing blocks the event loop for one small shard at most.
 */
export class AddressTable {
  readonly #ipv4: readonly AddressShard[];
  readonly #ipv6: readonly AddressShard[];
  // Random for each table, so that no list can be prepared whose entries collide.
  readonly #seed = Math.floor(Math.random() * 0x100000000);

  /** @param expectedEntries avoids growth if most of them are IPv4; more may be inserted. */
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

  /** Adds the entry without marks. False if present, with its marks unchanged. */
  insert(entry: IpEntry): boolean {
    const hash = this.#hash(entry);
    return this.#shard(entry, hash).insert(entry, hash);
  }

  has(entry: IpEntry): boolean {
    return this.marksOf(entry) >= 0;
  }

  /** Marks the entry once more; returns its previous count of marks (255: that many or more), -1 when absent. */
  mark(entry: IpEntry): number {
    const hash = this.#hash(entry);
    return this.#shard(entry, hash).mark(entry, hash);
  }

  /** Count of marks (255: that many or more), -1 when absent. */
  marksOf(entry: IpEntry): number {
    const hash = this.#hash(entry);
    return this.#shard(entry, hash).marksOf(entry, hash);
  }

  #hash(entry: IpEntry): number {
    return entry.family === 4
      ? addressHash(this.#seed, 1, entry.words, 3, entry.prefix)
      : addressHash(this.#seed, 4, entry.words, 0, entry.prefix);
  }

  #shard(entry: IpEntry, hash: number): AddressShard {
    return (entry.family === 4 ? this.#ipv4 : this.#ipv6)[hash >>> 26] as AddressShard;
  }
}

function shards(width: ShardWidth, seed: number, expectedEntries: number): readonly AddressShard[] {
  return Array.from({ length: SHARDS }, () => new AddressShard(width, seed, expectedEntries));
}
