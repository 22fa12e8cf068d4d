import { TimeSlice } from '../concurrency/slices.ts';
import type { EntryAround } from '../store/entry-lookup.ts';

/** The part of the store that attribution needs. */
export interface EntrySource {
  /** Changes with each change of the blocked set. */
  generation(): Promise<number>;
  /** The narrowest entry that covers each address; absent: none. @param addresses canonical */
  around(addresses: readonly string[]): Promise<ReadonlyMap<string, EntryAround>>;
}

/** Which entry denied an address: the longest that covers it when the tables are read (ADR 0093). */
export class Attribution {
  readonly #entries: EntrySource;
  readonly #most: number;
  readonly #cached = new Map<string, EntryAround | null>();
  #generation: number | null = null;

  /** @param most addresses that are cached */
  constructor(entries: EntrySource, most: number) {
    this.#entries = entries;
    this.#most = most;
  }

  /** Null: no entry covers it any more. @throws StoreError */
  async of(addresses: readonly string[]): Promise<ReadonlyMap<string, EntryAround | null>> {
    // Read before the entries: a change meanwhile empties the cache at the next call.
    const generation = await this.#entries.generation();
    if (generation !== this.#generation) this.#cached.clear();
    this.#generation = generation;
    const found = new Map<string, EntryAround | null>();
    const unknown: string[] = [];
    const slice = TimeSlice.ofItems();
    for (const address of addresses) {
      if (slice.due()) await slice.rest();
      const known = this.#cached.get(address);
      if (known === undefined) unknown.push(address);
      else found.set(address, known);
    }
    if (unknown.length > 0) await this.#lookUp(unknown, found);
    return found;
  }

  async #lookUp(addresses: readonly string[], found: Map<string, EntryAround | null>): Promise<void> {
    const around = await this.#entries.around(addresses);
    const slice = TimeSlice.ofItems();
    if (this.#cached.size + addresses.length > this.#most) {
      // Those that are still active stay.
      this.#cached.clear();
      for (const [address, entry] of found) {
        if (slice.due()) await slice.rest();
        if (this.#cached.size < this.#most) this.#cached.set(address, entry);
      }
    }
    for (const address of addresses) {
      if (slice.due()) await slice.rest();
      const entry = around.get(address) ?? null;
      found.set(address, entry);
      if (this.#cached.size < this.#most) this.#cached.set(address, entry);
    }
  }
}
