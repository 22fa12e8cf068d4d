import type { MapName } from '../mirrored-map.ts';
import type { Comparison } from './worker-comparison.ts';
import type { Repairs } from './worker-repair.ts';

/** Collects what one repair of a worker's map found and repaired, by kind. */
export class DriftTally {
  readonly #observer: DriftObserver;
  readonly #map: MapName;
  #wrongValues = 0;

  constructor(observer: DriftObserver, map: MapName) {
    this.#observer = observer;
    this.#map = map;
  }

  /** Missing entries are counted as they are read. */
  found(comparison: Comparison): Comparison {
    const { unexpectedTotal, wrongValue, duplicate } = comparison.differences;
    this.#wrongValues = new Set(wrongValue).size;
    this.#seen('unexpected', unexpectedTotal);
    this.#seen('wrong_value', this.#wrongValues);
    this.#seen('duplicate', new Set(duplicate).size);
    return { ...comparison, missing: () => this.#countedMissing(comparison) };
  }

  repaired({ added, removed, corrected }: Repairs): void {
    // Wrong values are corrected before duplicates are removed.
    const wrongValues = Math.min(corrected, this.#wrongValues);
    this.#repaired('missing', added);
    this.#repaired('unexpected', removed);
    this.#repaired('wrong_value', wrongValues);
    this.#repaired('duplicate', corrected - wrongValues);
  }

  async *#countedMissing(comparison: Comparison): AsyncIterable<readonly string[]> {
    for await (const page of comparison.missing()) {
      this.#seen('missing', page.length);
      yield page;
    }
  }

  #seen(kind: DriftKind, entries: number): void {
    if (entries > 0) this.#observer.seen(this.#map, kind, entries);
  }

  #repaired(kind: DriftKind, entries: number): void {
    if (entries > 0) this.#observer.repaired(this.#map, kind, entries);
  }
}

export type DriftKind = 'missing' | 'unexpected' | 'wrong_value' | 'duplicate';

/** `differs`: still out of sync when the repairs were given up. `unreadable`: the worker did not answer. */
export type ComparisonResult = 'whole' | 'differs' | 'unreadable';

export interface DriftObserver {
  compared(map: MapName, result: ComparisonResult): void;
  seen(map: MapName, kind: DriftKind, entries: number): void;
  repaired(map: MapName, kind: DriftKind, entries: number): void;
  /** A map file was changed by another process, and was rewritten. */
  fileRepaired(map: MapName): void;
}

export const unobservedDrift: DriftObserver = {
  compared: () => undefined,
  seen: () => undefined,
  repaired: () => undefined,
  fileRepaired: () => undefined,
};
