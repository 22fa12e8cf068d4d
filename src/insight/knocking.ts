// Denied addresses, with their hits of the last 24 hours; and what of that is not stored yet.

import type { TimeSlice } from '../concurrency/slices.ts';
import { addressEntry, type IpWords, isAddress } from '../domain/ip.ts';
import { canonicalEntry, inOnePiece } from './canonical.ts';
import { CounterColumn } from './counter-column.ts';
import { enlarged } from './enlarged.ts';
import { HourTable } from './hour-table.ts';
import { AddressColumn } from './key-columns.ts';
import { KeyRows, noRow } from './key-rows.ts';

/** As stored. Times in seconds since 1970. */
export interface KnockingAddress {
  readonly address: IpWords;
  /** The entry that denied it last; null: not attributed. */
  readonly entry: string | null;
  readonly total: number;
  readonly firstHit: number;
  readonly lastHit: number;
}

/** Hits of an entry that are not stored yet. */
export interface Unstored {
  readonly hits: number;
  readonly firstHit: number;
  readonly lastHit: number;
}

/** What is not stored yet. */
export interface UnstoredHits {
  /** Of addresses that have changed. */
  readonly rows: readonly number[];
  /** Of addresses that are not remembered. */
  readonly entries: readonly (readonly [entry: string, Unstored])[];
  /** Stored addresses that are forgotten. */
  readonly gone: readonly string[];
}

/** Addresses that are remembered: a tenth more than HAProxy's table holds, which forgets in almost the same order. */
export const mostAddresses = 112_640;
/** New addresses of a reading for which a full table has room: 3,000 a second. More enlarge it permanently. */
export const mostNew = 32_768;
const hourSeconds = 3_600;
/** Entries of forgotten addresses that wait for the database. */
const mostEntries = 100_000;
/** Texts of entries that are shared by their addresses. */
const sharedTexts = 1_000;
/** In place of the text of an entry that is the address itself. */
const itself = '';

/**
 * In columns, since there may be 100,000 addresses. A row is of one address until it is forgotten. One that is only read,
 * and has not been denied, is not shown.
 */
export class Knocking {
  /** Those with the oldest last request first. */
  readonly #rows: KeyRows<IpWords>;
  readonly #keys = new AddressColumn();
  readonly #most: number;
  readonly hours: HourTable;
  /** HAProxy's. */
  readonly counters: CounterColumn;
  readonly #entryOf: (string | null)[] = [];
  #totals: Float64Array;
  #firstHits: Uint32Array;
  /** 0: it was not denied. */
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

  /** @param most addresses that `trim` leaves; there is room for them and `mostNew` from the start */
  constructor(most: number = mostAddresses) {
    this.#most = most;
    this.#rows = new KeyRows(this.#keys, most + mostNew);
    const { capacity } = this.#rows;
    this.hours = new HourTable(capacity);
    this.counters = new CounterColumn(capacity);
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

  /** Whether so many are remembered that older ones are forgotten. */
  get isFull(): boolean {
    return this.size >= this.#most;
  }

  /** How many addresses and entries wait to be stored. */
  get unstored(): number {
    return this.#changes + this.#entries.size + this.#gone.size;
  }

  /** Hits that are not stored yet, of these entries. */
  unstoredOf(entries: ReadonlySet<string>): Map<string, number> {
    const found = new Map<string, number>();
    if (entries.size === 0) return found;
    const add = (entry: string, hits: number): void => {
      if (hits > 0 && entries.has(entry)) found.set(entry, (found.get(entry) ?? 0) + hits);
    };
    for (const entry of entries) {
      const address = canonicalEntry(entry);
      const own = isAddress(address) ? this.find(address.words) : noRow;
      if (own !== noRow && this.#entryOf[own] === itself) add(entry, this.#newHits[own]!);
      add(entry, this.#entries.get(entry)?.hits ?? 0);
    }
    for (const row of this.#changedRows()) {
      const network = this.networkOf(row);
      if (network !== null) add(network, this.#newHits[row]!);
    }
    for (const others of this.#otherEntries.values()) for (const [entry, { hits }] of others) add(entry, hits);
    return found;
  }

  /** Since when hits of entries were dropped, since too many waited, in seconds; null: none. Reading it clears it. */
  takeLost(): number | null {
    const since = this.#lostSince;
    this.#lostSince = null;
    return since;
  }

  /** Rows of denied addresses, those with the oldest last request first. Nothing may be counted or forgotten meanwhile. */
  *all(): Generator<number> {
    for (const row of this.#rows) if (this.#lastHits[row] !== 0) yield row;
  }

  /** Row of an address; 0: unknown. */
  find(address: IpWords): number {
    return this.#rows.find(address);
  }

  /** As `find`, of an unknown address a new one. */
  rowOf(address: IpWords): number {
    const known = this.#rows.find(address);
    return known === noRow ? this.#add(address) : known;
  }

  wordsOf(row: number): IpWords {
    return this.#keys.get(row);
  }

  /** Canonical. */
  textOf(row: number): string {
    return inOnePiece(addressEntry(this.#keys.get(row)).text);
  }

  /** The entry that denied it last; null: not attributed. */
  entryOf(row: number): string | null {
    const entry = this.#entryOf[row]!;
    return entry === itself ? this.textOf(row) : entry;
  }

  /** Whether the entry denied the address of a row last, without texts of addresses: for many rows. */
  deniedBy(entry: string): (row: number) => boolean {
    const parsed = canonicalEntry(entry);
    const own = isAddress(parsed) ? this.find(parsed.words) : noRow;
    return (row) => this.#entryOf[row] === (row === own ? itself : entry);
  }

  /** The entry that denied it last, if it is not the address itself. */
  networkOf(row: number): string | null {
    return this.#entryOf[row] || null;
  }

  totalOf(row: number): number {
    return this.#totals[row]!;
  }

  /** In seconds. */
  firstHitOf(row: number): number {
    return this.#firstHits[row]!;
  }

  /** In seconds. Undefined: no such row, or it was not denied. */
  lastHitOf(row: number): number | undefined {
    return this.#lastHits[row] || undefined;
  }

  /** For sorting rows: the order of the table in the database. */
  compare(row: number, other: number): number {
    return this.#keys.compare(row, other);
  }

  /** As stored; call in the order of the last requests. @returns its row */
  restore({ address, entry, total, firstHit, lastHit }: KnockingAddress): number {
    const row = this.rowOf(address);
    this.#setEntry(row, entry);
    this.#totals[row] = total;
    this.#firstHits[row] = firstHit;
    this.#lastHits[row] = lastHit;
    this.#stored[row] = 1;
    return row;
  }

  /** Of an earlier hour, as stored; the highest counts. */
  restoreHour(row: number, hour: number, hits: number): void {
    const more = hits - this.hours.of(row, hour);
    if (more > 0) this.hours.count(row, hour, more);
  }

  /** @param around the entry that denied it  @param at in seconds  @returns when it was denied before; null: never */
  count(row: number, hits: number, around: { readonly entry: string } | null, at: number): number | null {
    const before = this.lastHitOf(row) ?? null;
    if (before === null) {
      this.#firstHits[row] = at;
      // The database still has a row of it.
      this.#stored[row] = this.#gone.size > 0 && this.#gone.delete(this.textOf(row)) ? 1 : 0;
    }
    this.#rows.moveToEnd(row);
    this.#totals[row]! += hits;
    this.#lastHits[row] = Math.max(this.#lastHits[row]!, at);
    this.hours.count(row, Math.floor(at / hourSeconds), hits);
    const entry = around?.entry ?? null;
    if (entry !== this.entryOf(row)) this.#changeEntry(row, entry);
    this.#noteUnstored(row, hits, at);
    return before;
  }

  /** The entry denied a connection. @param at in seconds */
  touch(entry: string, at: number): void {
    this.#addEntry(entry, { hits: 0, firstHit: at, lastHit: at });
  }

  /** Forgets those with the oldest last requests, if there are too many. @param forgets called before each */
  async trim(slice: TimeSlice, forgets: (row: number) => void): Promise<void> {
    while (this.#rows.size > this.#most) {
      if (slice.due()) await slice.rest();
      const row = this.#rows.first;
      forgets(row);
      this.forget(row);
    }
  }

  /** What its entry counted stays. @param row of an address */
  forget(row: number): void {
    if (this.#stored[row] === 1) this.#gone.add(this.textOf(row));
    for (const [entry, unstored] of this.unstoredIn(row)) this.#addEntry(entry, unstored);
    this.#unchange(row);
    this.#entryOf[row] = null;
    this.#lastHits[row] = 0;
    this.#rows.remove(row);
  }

  /** Forgets of each counter what no new worker can start from. As `CounterColumn.keep`. */
  async keepCounters(living: ReadonlySet<number>, first: number, slice: TimeSlice): Promise<void> {
    for (const row of this.#rows) {
      if (slice.due()) await slice.rest();
      this.counters.keep(row, living, first);
    }
  }

  /** What is not stored yet. Nothing may be counted until `noteStored` has been called for all of it, or it failed. */
  waiting(): UnstoredHits {
    return { rows: [...this.#changedRows()], entries: [...this.#entries], gone: [...this.#gone] };
  }

  /** By entry: what the address has of hits that are not stored yet. */
  unstoredIn(row: number): Map<string, Unstored> {
    const found = new Map(this.#otherEntries.get(row));
    const hits = this.#newHits[row]!;
    const [firstHit, lastHit] = [this.#newFirstHits[row]!, this.#newLastHits[row]!];
    if (hits > 0) addTo(found, this.entryOf(row)!, { hits, firstHit, lastHit });
    return found;
  }

  /** A part of what waited. */
  noteStored({ rows = [], entries = [], gone = [] }: Partial<UnstoredHits>): void {
    for (const row of rows) {
      this.#stored[row] = 1;
      this.#unchange(row);
    }
    for (const [entry] of entries) this.#entries.delete(entry);
    for (const address of gone) this.#gone.delete(address);
  }

  #add(address: IpWords): number {
    const row = this.#rows.add(address);
    if (row >= this.#totals.length) this.#grow(this.#rows.capacity);
    this.hours.clear(row);
    this.counters.clear(row);
    this.#entryOf[row] = null;
    this.#totals[row] = 0;
    this.#firstHits[row] = 0;
    this.#lastHits[row] = 0;
    this.#stored[row] = 0;
    return row;
  }

  /** With one text for all addresses with the same entry: most of those in an attack are in a few networks. */
  #setEntry(row: number, entry: string | null): void {
    if (entry === null) this.#entryOf[row] = null;
    else this.#entryOf[row] = entry === this.textOf(row) ? itself : this.#sharedText(entry);
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
    if (this.#newHits[row]! > 0) this.#otherEntries.set(row, this.unstoredIn(row));
    this.#newHits[row] = 0;
    this.#setEntry(row, entry);
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
