// The keys that the database holds of one map, and how often a listing has each.
import { AddressTable } from '../../domain/address-table.ts';
import { parseIp } from '../../domain/ip.ts';
import type { RuntimeMap } from '../../haproxy/maps/runtime-map.ts';

export interface KeyTable {
  readonly size: number;
  insert(key: string): void;
  /** Counts it, and returns how often it was listed before; -1: the database does not hold this spelling. */
  mark(key: string): number;
  /** How often it was listed; -1: it was not inserted. */
  marksOf(key: string): number;
}

/** @param expected about how many keys there are */
export function keyTable({ keys }: Pick<RuntimeMap, 'keys'>, expected: number): KeyTable {
  return keys === 'addresses' ? new AddressKeys(expected) : new TextTable();
}

/** 10 bytes per entry, for millions. */
class AddressKeys implements KeyTable {
  readonly #table: AddressTable;

  constructor(expected: number) {
    this.#table = new AddressTable(expected);
  }

  get size(): number {
    return this.#table.size;
  }

  insert(key: string): void {
    const parsed = parseIp(key);
    if (parsed.ok) this.#table.insert(parsed.entry);
  }

  mark(key: string): number {
    const parsed = parseIp(key);
    // Another spelling of a blocked address is unexpected: `del` and `set` use the stored text.
    return parsed.ok && parsed.entry.text === key ? this.#table.mark(parsed.entry) : -1;
  }

  marksOf(key: string): number {
    const parsed = parseIp(key);
    return parsed.ok ? this.#table.marksOf(parsed.entry) : -1;
  }
}

/** Names are few. */
class TextTable implements KeyTable {
  readonly #marks = new Map<string, number>();

  get size(): number {
    return this.#marks.size;
  }

  insert(key: string): void {
    this.#marks.set(key, 0);
  }

  mark(key: string): number {
    const before = this.#marks.get(key) ?? -1;
    if (before >= 0) this.#marks.set(key, before + 1);
    return before;
  }

  marksOf(key: string): number {
    return this.#marks.get(key) ?? -1;
  }
}
