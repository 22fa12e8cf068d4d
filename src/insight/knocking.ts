// Denied addresses, with their hits of the last 24 hours; and what of that is not stored yet.

import { HourTable } from './hour-table.ts';
import { enlarged, KeyRows, noRow } from './key-rows.ts';

/** Times in seconds since 1970. */
export interface KnockingAddress {
  /** Canonical. */
  readonly address: string;
  /** The entry that denied it last; null: not attributed. */
  readonly entry: string | null;
  readonly total: number;
  readonly firstHit: number;
  readonly lastHit: number;
  /** In the table of hours. */
  readonly row: number;
}

/** Hits of an entry that are not stored yet. */
export interface Unstored {
  readonly hits: number;
  readonly firstHit: number;
  readonly lastHit: number;
}

/** What is not stored yet. */
export interface UnstoredHits {
  /** Those that have changed. */
  readonly addresses: readonly string[];
  /** Of addresses that are not remembered. */
  readonly entries: readonly (readonly [entry: string, Unstored])[];
  /** Stored addresses that are forgotten. */
  readonly gone: readonly string[];
}

/** Addresses that are remembered: a tenth more than HAProxy's table holds, which forgets in almost the same order. */
export const mostAddresses = 112_640;
const hourSeconds = 3_600;
/** Entries of forgotten addresses that wait for the database. */
const mostEntries = 100_000;
/** Texts of entries that are shared by their addresses. */
const sharedTexts = 1_000;

/** In columns, since there may be 100,000 addresses. */
export class Knocking {
  /** Those with the oldest last request first. */
  readonly #rows: KeyRows;
  readonly hours: HourTable;
  readonly #entryOf: (string | null)[] = [];
  #totals: Float64Array;
  #firstHits: Uint32Array;
  #lastHits: Uint32Array;
  /** Whether the database has the address. */
  #stored: Uint8Array;
  /** Whether it has changed since. */
  #changed: Uint8Array;
  /** What the entry of the address denied since. */
  #newHits: Float64Array;
  #newFirstHits: Uint32Array;
  #newLastHits: Uint32Array;
  /** By row: what other entries denied since. Few: the entry of an address seldom changes within a minute. */
  readonly #otherEntries = new Map<number, Map<string, Unstored>>();
  #changes = 0;
  readonly #texts = new Map<string, string>();
  readonly #entries = new Map<string, Unstored>();
  readonly #gone = new Set<string>();
  #lostSince: number | null = null;

  /** @param expected addresses for which there is room from the start */
  constructor(expected: number = mostAddresses) {
    this.#rows = new KeyRows(expected);
    const { capacity } = this.#rows;
    this.hours = new HourTable(capacity);
    this.#totals = new Float64Array(capacity);
    this.#firstHits = new Uint32Array(capacity);
    this.#lastHits = new Uint32Array(capacity);
    this.#stored = new Uint8Array(capacity);
    this.#changed = new Uint8Array(capacity);
    this.#newHits = new Float64Array(capacity);
    this.#newFirstHits = new Uint32Array(capacity);
    this.#newLastHits = new Uint32Array(capacity);
  }

  get size(): number {
    return this.#rows.size;
  }

  /** How many addresses and entries wait to be stored. */
  get unstored(): number {
    return this.#changes + this.#entries.size + this.#gone.size;
  }

  /** Hits that are not stored yet, of these entries. */
  unstoredOf(entries: ReadonlySet<string>): Map<string, number> {
    const found = new Map<string, number>();
    if (entries.size === 0) return found;
    const add = (entry: string, { hits }: Unstored): void => {
      if (entries.has(entry)) found.set(entry, (found.get(entry) ?? 0) + hits);
    };
    for (const row of this.#changedRows()) for (const [entry, unstored] of this.#unstoredIn(row)) add(entry, unstored);
    for (const [entry, unstored] of this.#entries) add(entry, unstored);
    return found;
  }

  /** Since when hits of entries were dropped, since too many waited, in seconds; null: none. Reading it clears it. */
  takeLost(): number | null {
    const since = this.#lostSince;
    this.#lostSince = null;
    return since;
  }

  /** Those with the oldest last request first. Nothing may be counted or forgotten meanwhile. */
  *all(): Iterable<KnockingAddress> {
    for (const row of this.#rows) yield this.#at(row);
  }

  get(address: string): KnockingAddress | undefined {
    const row = this.#rows.find(address);
    return row === noRow ? undefined : this.#at(row);
  }

  /** As `get`, but for the object, of which there would be hundreds of thousands. */
  lastHitOf(address: string): number | undefined {
    const row = this.#rows.find(address);
    return row === noRow ? undefined : this.#lastHits[row];
  }

  /** As stored; call in the order of the last requests. */
  restore({ address, entry, total, firstHit, lastHit }: Omit<KnockingAddress, 'row'>): void {
    const known = this.#rows.find(address);
    const row = known === noRow ? this.#add(address, firstHit) : known;
    this.#setEntry(row, entry);
    this.#totals[row] = total;
    this.#lastHits[row] = lastHit;
    this.#stored[row] = 1;
  }

  /** Of an earlier hour, as stored; the highest counts. */
  restoreHour(address: string, hour: number, hits: number): void {
    const row = this.#rows.find(address);
    if (row === noRow) return;
    const more = hits - this.hours.of(row, hour);
    if (more > 0) this.hours.count(row, hour, more);
  }

  /** @param around the entry that denied it  @param at in seconds  @returns when it was denied before; null: never */
  count(address: string, hits: number, around: { readonly entry: string } | null, at: number): number | null {
    const known = this.#rows.find(address);
    const row = known === noRow ? this.#add(address, at) : known;
    const before = known === noRow ? null : this.#lastHits[row]!;
    this.#rows.moveToEnd(row);
    this.#totals[row]! += hits;
    this.#lastHits[row] = Math.max(this.#lastHits[row]!, at);
    this.hours.count(row, Math.floor(at / hourSeconds), hits);
    const entry = around?.entry ?? null;
    if (entry !== this.#entryOf[row]) this.#changeEntry(row, entry);
    this.#noteUnstored(row, hits, at);
    return before;
  }

  /** The entry denied a connection. @param at in seconds */
  touch(entry: string, at: number): void {
    this.#addEntry(entry, { hits: 0, firstHit: at, lastHit: at });
  }

  /** The address is forgotten: there are too many. What its entry counted stays. */
  forget(address: string): void {
    const row = this.#rows.find(address);
    if (row === noRow) return;
    if (this.#stored[row] === 1) this.#gone.add(address);
    for (const [entry, unstored] of this.#unstoredIn(row)) this.#addEntry(entry, unstored);
    this.#unchange(row);
    this.#entryOf[row] = null;
    this.#rows.remove(row);
  }

  /** What is not stored yet. Nothing may be counted until `noteStored` has been called for all of it, or it failed. */
  waiting(): UnstoredHits {
    const addresses: string[] = [];
    for (const row of this.#changedRows()) addresses.push(this.#rows.keyOf(row));
    return { addresses, entries: [...this.#entries], gone: [...this.#gone] };
  }

  /** By entry: what the address has of hits that are not stored yet. */
  unstoredIn(address: string): ReadonlyMap<string, Unstored> {
    return this.#unstoredIn(this.#rows.find(address));
  }

  /** A part of what waited. */
  noteStored({ addresses = [], entries = [], gone = [] }: Partial<UnstoredHits>): void {
    for (const address of addresses) {
      const row = this.#rows.find(address);
      this.#stored[row] = 1;
      this.#unchange(row);
    }
    for (const [entry] of entries) this.#entries.delete(entry);
    for (const address of gone) this.#gone.delete(address);
  }

  #at(row: number): KnockingAddress {
    return {
      ...{ address: this.#rows.keyOf(row), entry: this.#entryOf[row]!, row, total: this.#totals[row]! },
      ...{ firstHit: this.#firstHits[row]!, lastHit: this.#lastHits[row]! },
    };
  }

  #add(address: string, firstHit: number): number {
    const row = this.#rows.add(address);
    if (row >= this.#totals.length) this.#grow(this.#rows.capacity);
    this.hours.clear(row);
    this.#entryOf[row] = null;
    this.#totals[row] = 0;
    this.#firstHits[row] = firstHit;
    this.#lastHits[row] = firstHit;
    // The database still has a row of it.
    this.#stored[row] = this.#gone.delete(address) ? 1 : 0;
    return row;
  }

  /** With one text for all addresses with the same entry: most of those in an attack are in a few networks. */
  #setEntry(row: number, entry: string | null): void {
    const address = this.#rows.keyOf(row);
    this.#entryOf[row] = entry === null ? null : entry === address ? address : this.#sharedText(entry);
  }

  #sharedText(entry: string): string {
    const known = this.#texts.get(entry);
    if (known !== undefined) return known;
    if (this.#texts.size >= sharedTexts) this.#texts.clear();
    this.#texts.set(entry, entry);
    return entry;
  }

  #noteUnstored(row: number, hits: number, at: number): void {
    this.#changes += 1 - this.#changed[row]!;
    this.#changed[row] = 1;
    if (this.#entryOf[row] === null) return;
    const isFirst = this.#newHits[row] === 0;
    this.#newHits[row]! += hits;
    this.#newFirstHits[row] = isFirst ? at : Math.min(this.#newFirstHits[row]!, at);
    this.#newLastHits[row] = isFirst ? at : Math.max(this.#newLastHits[row]!, at);
  }

  /** What the earlier entry denied since the address was stored stays with that entry. */
  #changeEntry(row: number, entry: string | null): void {
    if (this.#newHits[row]! > 0) this.#otherEntries.set(row, this.#unstoredIn(row));
    this.#newHits[row] = 0;
    this.#setEntry(row, entry);
  }

  #unstoredIn(row: number): Map<string, Unstored> {
    const found = new Map(this.#otherEntries.get(row));
    const [entry, hits] = [this.#entryOf[row]!, this.#newHits[row]!];
    const [firstHit, lastHit] = [this.#newFirstHits[row]!, this.#newLastHits[row]!];
    if (hits > 0) addTo(found, entry, { hits, firstHit, lastHit });
    return found;
  }

  #unchange(row: number): void {
    this.#changes -= this.#changed[row]!;
    this.#changed[row] = 0;
    this.#newHits[row] = 0;
    this.#otherEntries.delete(row);
  }

  *#changedRows(): Iterable<number> {
    for (const row of this.#rows) if (this.#changed[row] === 1) yield row;
  }

  #addEntry(entry: string, more: Unstored): void {
    if (this.#entries.has(entry) || this.#entries.size < mostEntries) addTo(this.#entries, entry, more);
    else this.#lostSince = Math.min(this.#lostSince ?? more.firstHit, more.firstHit);
  }

  #grow(rows: number): void {
    this.#totals = new Float64Array(enlarged(this.#totals, rows));
    this.#firstHits = new Uint32Array(enlarged(this.#firstHits, rows));
    this.#lastHits = new Uint32Array(enlarged(this.#lastHits, rows));
    this.#stored = new Uint8Array(enlarged(this.#stored, rows));
    this.#changed = new Uint8Array(enlarged(this.#changed, rows));
    this.#newHits = new Float64Array(enlarged(this.#newHits, rows));
    this.#newFirstHits = new Uint32Array(enlarged(this.#newFirstHits, rows));
    this.#newLastHits = new Uint32Array(enlarged(this.#newLastHits, rows));
  }
}

/** Adds to what is known of an entry. */
export function addTo(entries: Map<string, Unstored>, entry: string, { hits, firstHit, lastHit }: Unstored): void {
  const known = entries.get(entry);
  entries.set(entry, {
    hits: hits + (known?.hits ?? 0),
    firstHit: Math.min(firstHit, known?.firstHit ?? firstHit),
    lastHit: Math.max(lastHit, known?.lastHit ?? lastHit),
  });
}
