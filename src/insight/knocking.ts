// Denied addresses, with their hits of the last 24 hours; and what of that is not stored yet.

import type { HourTable } from './hour-table.ts';

/** Times in seconds since 1970. */
export interface KnockingAddress {
  /** Canonical. */
  readonly address: string;
  /** The entry that denied it last; null: not attributed. */
  entry: string | null;
  /** Number of the source whose claim that entry carried. */
  source: number | null;
  total: number;
  readonly firstHit: number;
  lastHit: number;
  /** In the table of hours. */
  readonly row: number;
}

/** Hits of an entry that are not stored yet. */
export interface Unstored {
  hits: number;
  firstHit: number;
  lastHit: number;
}

export interface UnstoredAddress {
  readonly address: KnockingAddress;
  /** By entry: it may have changed since the last time they were stored. */
  readonly entries: Map<string, Unstored>;
}

const hourSeconds = 3_600;

export class Knocking {
  readonly hours: HourTable;
  readonly #addresses = new Map<string, KnockingAddress>();
  #unstored = new Map<string, UnstoredAddress>();
  #gone = new Set<string>();

  constructor(hours: HourTable) {
    this.hours = hours;
  }

  get size(): number {
    return this.#addresses.size;
  }

  /** How many addresses or hits wait to be stored. */
  get unstored(): number {
    return this.#unstored.size + this.#gone.size;
  }

  /** Those with the oldest last request first. */
  all(): Iterable<KnockingAddress> {
    return this.#addresses.values();
  }

  get(address: string): KnockingAddress | undefined {
    return this.#addresses.get(address);
  }

  /** As stored; call in the order of the last requests. */
  restore(stored: Omit<KnockingAddress, 'row'>): void {
    this.#addresses.set(stored.address, { ...stored, row: this.hours.add() });
  }

  /** Of an earlier hour, as stored. */
  restoreHour(address: string, hour: number, hits: number): void {
    const known = this.#addresses.get(address);
    if (known !== undefined) this.hours.count(known.row, hour, hits);
  }

  /** @param around the entry that denied it  @param at in seconds  @returns when it was denied before; null: never */
  count(address: string, hits: number, around: { entry: string; source: number } | null, at: number): number | null {
    const known = this.#addresses.get(address);
    const row = known?.row ?? this.hours.add();
    const counted: KnockingAddress = known ?? {
      ...{ address, entry: null, source: null, total: 0, firstHit: at, lastHit: at, row },
    };
    const before = known?.lastHit ?? null;
    counted.entry = around?.entry ?? null;
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

  /** The address is forgotten: there are too many. What its entry counted stays. */
  forget(address: string): void {
    const known = this.#addresses.get(address);
    if (known === undefined) return;
    this.hours.remove(known.row);
    this.#addresses.delete(address);
    this.#gone.add(address);
  }

  /** What is not stored yet. It counts as stored, unless it is given back. */
  take(): { readonly changed: ReadonlyMap<string, UnstoredAddress>; readonly gone: ReadonlySet<string> } {
    const taken = { changed: this.#unstored, gone: this.#gone };
    this.#unstored = new Map();
    this.#gone = new Set();
    return taken;
  }

  /** Could not be stored. */
  giveBack(changed: Iterable<UnstoredAddress>, gone: Iterable<string>): void {
    for (const { address, entries } of changed) {
      const now = this.#unstored.get(address.address) ?? { address, entries: new Map() };
      for (const [entry, one] of entries) add(now.entries, entry, one);
      this.#unstored.set(address.address, now);
    }
    for (const address of gone) if (!this.#addresses.has(address)) this.#gone.add(address);
  }

  #noteUnstored(address: KnockingAddress, hits: number, at: number): void {
    let unstored = this.#unstored.get(address.address);
    if (unstored === undefined) {
      unstored = { address, entries: new Map() };
      this.#unstored.set(address.address, unstored);
    }
    if (address.entry !== null) add(unstored.entries, address.entry, { hits, firstHit: at, lastHit: at });
  }
}

function add(entries: Map<string, Unstored>, entry: string, more: Unstored): void {
  const known = entries.get(entry);
  if (known === undefined) {
    entries.set(entry, { ...more });
    return;
  }
  known.hits += more.hits;
  known.firstHit = Math.min(known.firstHit, more.firstHit);
  known.lastHit = Math.max(known.lastHit, more.lastHit);
}
