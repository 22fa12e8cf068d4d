// Denied addresses, with their hits of the last 24 hours; and what of that is not stored yet.

import type { HourTable } from './hour-table.ts';

/** Times in seconds since 1970. */
export interface KnockingAddress {
  /** Canonical. */
  address: string;
  /** The entry that denied it last; null: not attributed. */
  entry: string | null;
  /** Number of the source whose claim that entry carried. */
  source: number | null;
  total: number;
  readonly firstHit: number;
  lastHit: number;
  /** In the table of hours. */
  readonly row: number;
  /** Whether the database has it. */
  stored: boolean;
}

/** Hits of an entry that are not stored yet. */
export interface Unstored {
  hits: number;
  firstHit: number;
  lastHit: number;
}

export interface UnstoredAddress {
  readonly address: KnockingAddress;
  /** Few, and mostly one: its entry may have changed since the last time they were stored. */
  readonly entries: (Unstored & { readonly entry: string })[];
}

/** What is not stored yet. */
export interface UnstoredHits {
  readonly changed: readonly UnstoredAddress[];
  /** By entry: of addresses that are not remembered. */
  readonly entries: ReadonlyMap<string, Unstored>;
  /** Stored addresses that are forgotten. */
  readonly gone: readonly string[];
}

const hourSeconds = 3_600;
/** Entries of forgotten addresses that wait for the database. */
const mostEntries = 100_000;

export class Knocking {
  readonly hours: HourTable;
  readonly #addresses = new Map<string, KnockingAddress>();
  #unstored = new Map<string, UnstoredAddress>();
  #entries = new Map<string, Unstored>();
  #gone = new Set<string>();
  #lostSince: number | null = null;

  constructor(hours: HourTable) {
    this.hours = hours;
  }

  get size(): number {
    return this.#addresses.size;
  }

  /** How many addresses and entries wait to be stored. */
  get unstored(): number {
    return this.#unstored.size + this.#entries.size + this.#gone.size;
  }

  /** Hits that are not stored yet, of these entries. */
  unstoredOf(entries: ReadonlySet<string>): Map<string, number> {
    const found = new Map<string, number>();
    const add = (entry: string, hits: number): void => {
      if (entries.has(entry)) found.set(entry, (found.get(entry) ?? 0) + hits);
    };
    if (entries.size === 0) return found;
    for (const address of this.#unstored.values()) for (const { entry, hits } of address.entries) add(entry, hits);
    for (const [entry, { hits }] of this.#entries) add(entry, hits);
    return found;
  }

  /** Since when hits of entries were dropped, since too many waited, in seconds; null: none. Reading it clears it. */
  takeLost(): number | null {
    const since = this.#lostSince;
    this.#lostSince = null;
    return since;
  }

  /** Those with the oldest last request first. */
  all(): Iterable<KnockingAddress> {
    return this.#addresses.values();
  }

  get(address: string): KnockingAddress | undefined {
    return this.#addresses.get(address);
  }

  /** As stored; call in the order of the last requests. */
  restore(stored: Omit<KnockingAddress, 'row' | 'stored'>): void {
    this.#addresses.set(stored.address, { ...stored, row: this.hours.add(), stored: true });
  }

  /** Of an earlier hour, as stored; the highest counts. */
  restoreHour(address: string, hour: number, hits: number): void {
    const known = this.#addresses.get(address);
    if (known === undefined) return;
    const more = hits - this.hours.of(known.row, hour);
    if (more > 0) this.hours.count(known.row, hour, more);
  }

  /** @param around the entry that denied it  @param at in seconds  @returns when it was denied before; null: never */
  count(address: string, hits: number, around: { entry: string; source: number } | null, at: number): number | null {
    const known = this.#addresses.get(address);
    const row = known?.row ?? this.hours.add();
    const counted: KnockingAddress = known ?? {
      ...{ address, entry: null, source: null, total: 0, firstHit: at, lastHit: at, row, stored: false },
    };
    const before = known?.lastHit ?? null;
    // The text of the counters of this address, and one for address and entry: there may be 100,000.
    counted.address = address;
    counted.entry = around?.entry === counted.address ? counted.address : (around?.entry ?? null);
    counted.source = around?.source ?? null;
    counted.total += hits;
    counted.lastHit = Math.max(counted.lastHit, at);
    this.#addresses.delete(address);
    this.#addresses.set(address, counted);
    this.#gone.delete(address);
    this.hours.count(row, Math.floor(at / hourSeconds), hits);
    this.#noteUnstored(counted, hits, at);
    return before;
  }

  /** The entry denied a connection. @param at in seconds */
  touch(entry: string, at: number): void {
    this.#addEntry(entry, { hits: 0, firstHit: at, lastHit: at });
  }

  /** The address is forgotten: there are too many. What its entry counted stays. */
  forget(address: string): void {
    const known = this.#addresses.get(address);
    if (known === undefined) return;
    this.hours.remove(known.row);
    this.#addresses.delete(address);
    if (known.stored) this.#gone.add(address);
    for (const { entry, ...more } of this.#unstored.get(address)?.entries ?? []) this.#addEntry(entry, more);
    this.#unstored.delete(address);
  }

  /** What is not stored yet. It counts as stored, unless it is given back. */
  take(): UnstoredHits {
    const taken = { changed: [...this.#unstored.values()], entries: this.#entries, gone: [...this.#gone] };
    this.#unstored = new Map();
    this.#entries = new Map();
    this.#gone = new Set();
    return taken;
  }

  /** Could not be stored; nothing was counted since it was taken. */
  giveBack({ changed, entries, gone }: UnstoredHits): void {
    this.#unstored = new Map(changed.map((one) => [one.address.address, one]));
    this.#entries = new Map(entries);
    this.#gone = new Set(gone);
  }

  #addEntry(entry: string, more: Unstored): void {
    if (this.#entries.has(entry) || this.#entries.size < mostEntries) addTo(this.#entries, entry, more);
    else this.#lostSince = Math.min(this.#lostSince ?? more.firstHit, more.firstHit);
  }

  #noteUnstored(address: KnockingAddress, hits: number, at: number): void {
    let unstored = this.#unstored.get(address.address);
    if (unstored === undefined) {
      unstored = { address, entries: [] };
      this.#unstored.set(address.address, unstored);
    }
    const { entry } = address;
    if (entry === null) return;
    const more = { hits, firstHit: at, lastHit: at };
    const known = unstored.entries.find((one) => one.entry === entry);
    if (known === undefined) unstored.entries.push({ entry, ...more });
    else increase(known, more);
  }
}

/** Adds to what is known of an entry. */
export function addTo(entries: Map<string, Unstored>, entry: string, { hits, firstHit, lastHit }: Unstored): void {
  const known = entries.get(entry);
  if (known === undefined) entries.set(entry, { hits, firstHit, lastHit });
  else increase(known, { hits, firstHit, lastHit });
}

function increase(known: Unstored, more: Unstored): void {
  known.hits += more.hits;
  known.firstHit = Math.min(known.firstHit, more.firstHit);
  known.lastHit = Math.max(known.lastHit, more.lastHit);
}
