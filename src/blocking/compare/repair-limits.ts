// Against a process that adds entries as fast as they are removed, a repair would never end, and syncs, bulk changes
// and other comparisons would wait for it.

/** The next repair continues; finished repairs are kept. */
export class RepairTooLong extends Error {
  override readonly name = 'RepairTooLong';
}

export class RepairTime {
  readonly #ms: number;
  readonly #until: number;

  constructor(ms: number) {
    this.#ms = ms;
    this.#until = performance.now() + ms;
  }

  /** @throws RepairTooLong */
  step(): void {
    if (performance.now() < this.#until) return;
    throw new RepairTooLong(`comparing and repairing its map took more than ${this.#ms / 1000} s`);
  }
}

const mostLookups = 100;
const leastLookups = 5;

/**
 * A slice that misses its deadline has added nothing, and small slices cost many turns: the size adapts to the machine.
 */
export class LookupSize {
  #size = mostLookups;

  get size(): number {
    return this.#size;
  }

  /** A full slice of this size completed. */
  enough(): void {
    this.#size = Math.min(mostLookups, this.#size * 2);
  }

  tooMany(): void {
    this.#size = Math.max(leastLookups, Math.floor(this.#size / 4));
  }
}
