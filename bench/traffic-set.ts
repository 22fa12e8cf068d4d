// Both sides get the same addresses in the same order, made before the load runs.
import { address } from '../testkit/load/lists.ts';

export interface TrafficSet {
  /** Ascending: the fastest order for HAProxy's tree. */
  readonly all: readonly string[];
  /** Every second one. */
  readonly kept: readonly string[];
  readonly removed: readonly string[];
}

export function trafficSet(entries: number): TrafficSet {
  const numbers = Uint32Array.from({ length: entries }, (_, index) => numberOf(address(index))).sort();
  const all = Array.from(numbers, textOf);
  return {
    all,
    kept: all.filter((_, index) => index % 2 === 0),
    removed: all.filter((_, index) => index % 2 === 1),
  };
}

function numberOf(text: string): number {
  return text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

function textOf(value: number): string {
  return `${value >>> 24}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}`;
}
