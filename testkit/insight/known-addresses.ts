// What the insight part remembers of denied addresses, by their texts.
import { canonicalEntry } from '../../src/insight/canonical.ts';
import type { Knocking } from '../../src/insight/knocking.ts';

export interface KnownAddress {
  readonly address: string;
  readonly entry: string | null;
  readonly total: number;
  readonly firstHit: number;
  readonly lastHit: number;
  readonly row: number;
}

/** Those with the oldest last request first. */
export function knownAddresses(knocking: Knocking): KnownAddress[] {
  return Array.from(knocking.all(), (row) => ({
    ...{ address: knocking.textOf(row), entry: knocking.entryOf(row), total: knocking.totalOf(row) },
    ...{ firstHit: knocking.firstHitOf(row), lastHit: knocking.lastHitOf(row)!, row },
  }));
}

export function knownAddress(knocking: Knocking, text: string): KnownAddress | undefined {
  return knownAddresses(knocking).find(({ address }) => address === text);
}

/** Of one that was denied. */
export function knownRow(knocking: Knocking, text: string): number {
  const known = knownAddress(knocking, text);
  if (known === undefined) throw new Error(`${text} is unknown`);
  return known.row;
}

/** Of an unknown address a new one. */
export function rowOf(knocking: Knocking, text: string): number {
  return knocking.rowOf(canonicalEntry(text).words);
}
