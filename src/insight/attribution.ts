import type { EntryAround } from '../store/entry-lookup.ts';
import { enlarged } from './enlarged.ts';

/** The part of the store that attribution needs. */
export interface EntrySource {
  /** Changes with each change of the blocked set. */
  generation(): Promise<number>;
  /** The narrowest entry that covers each address; absent: none. @param addresses canonical */
  around(addresses: readonly string[]): Promise<ReadonlyMap<string, EntryAround>>;
}

/** Addresses that are no rows: their cache. */
const cachedTexts = 20_000;
/** Different entries that are remembered for rows. */
const cachedEntries = 20_000;
/** After so many readings, ten minutes, all of them are forgotten if there are so many. */
const fullReadings = 60;
const [unknown, none] = [0, 1];

/** Which entry denied an address: the longest that covers it when the tables are read (ADR 0093). */
export class Attribution {
  readonly #entries: EntrySource;
  /** By row: `unknown`, or the place of its entry among those that were found. */
  #byRow = new Uint32Array(1_024);
  /** Most addresses in an attack are in a few networks. */
  #found: (EntryAround | null)[] = [null, null];
  readonly #places = new Map<string, number>();
  /** By text. */
  #texts = new Map<string, EntryAround | null>();
  /** Those of the reading before. */
  #textsBefore = new Map<string, EntryAround | null>();
  /** Since rows were forgotten. */
  #readings = 0;
  #generation: number | null = null;

  constructor(entries: EntrySource) {
    this.#entries = entries;
  }

  /** Texts for which the reading before did not ask are forgotten. */
  startReading(): void {
    this.#textsBefore = this.#texts;
    this.#texts = new Map();
    this.#readings += 1;
    // Else entries that deny no more would take the places of those that do.
    if (this.#places.size >= cachedEntries && this.#readings >= fullReadings) this.#forgetRows();
  }

  /**
   * In the order of the rows. Null: no entry covers its address any more. @throws StoreError
   * @param textOf its address; the same one until `forget`
   */
  async ofRows(rows: readonly number[], textOf: (row: number) => string): Promise<(EntryAround | null)[]> {
    await this.#followSet();
    const missing = new Map(rows.filter((row) => !this.#isKnown(row)).map((row) => [row, textOf(row)] as const));
    const around = await this.#around([...missing.values()]);
    const uncached = new Map<number, EntryAround>();
    for (const [row, text] of missing) {
      const entry = around.get(text) ?? null;
      const place = entry === null ? none : this.#placeOf(entry);
      this.#set(row, place);
      if (place === unknown) uncached.set(row, entry!);
    }
    return rows.map((row) => uncached.get(row) ?? this.#found[this.#byRow[row]!]!);
  }

  /** The row will have another address. */
  forget(row: number): void {
    if (row < this.#byRow.length) this.#byRow[row] = unknown;
  }

  /** By text. Null: no entry covers it. @throws StoreError */
  async of(addresses: readonly string[]): Promise<ReadonlyMap<string, EntryAround | null>> {
    await this.#followSet();
    const found = new Map<string, EntryAround | null>();
    const missing: string[] = [];
    const note = (address: string, entry: EntryAround | null) => {
      found.set(address, entry);
      if (this.#texts.size < cachedTexts) this.#texts.set(address, entry);
    };
    for (const address of addresses) {
      const known = this.#texts.get(address);
      // Null is known as well.
      const entry = known === undefined ? this.#textsBefore.get(address) : known;
      if (entry === undefined) missing.push(address);
      else note(address, entry);
    }
    const around = await this.#around(missing);
    for (const address of missing) note(address, around.get(address) ?? null);
    return found;
  }

  /** Call before entries are read: then a change meanwhile empties the caches at the next call. */
  async #followSet(): Promise<void> {
    const generation = await this.#entries.generation();
    if (generation === this.#generation) return;
    this.#generation = generation;
    this.#forgetRows();
    for (const cache of [this.#texts, this.#textsBefore]) cache.clear();
  }

  #forgetRows(): void {
    this.#byRow.fill(unknown);
    this.#found = [null, null];
    this.#places.clear();
    this.#readings = 0;
  }

  async #around(addresses: readonly string[]): Promise<ReadonlyMap<string, EntryAround>> {
    return addresses.length === 0 ? new Map() : await this.#entries.around(addresses);
  }

  #isKnown(row: number): boolean {
    return row < this.#byRow.length && this.#byRow[row] !== unknown;
  }

  #set(row: number, place: number): void {
    while (row >= this.#byRow.length) this.#byRow = new Uint32Array(enlarged(this.#byRow, 2 * this.#byRow.length));
    this.#byRow[row] = place;
  }

  /** `unknown` if there are too many. */
  #placeOf(entry: EntryAround): number {
    const known = this.#places.get(entry.entry);
    if (known !== undefined) return known;
    if (this.#places.size >= cachedEntries) return unknown;
    const place = this.#found.push(entry) - 1;
    this.#places.set(entry.entry, place);
    return place;
  }
}
