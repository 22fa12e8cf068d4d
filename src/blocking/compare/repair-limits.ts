// Limits how long a repair goes on, and how much one slice does. Each step has a deadline, but the number of steps
// depends on the findings: against a process that adds entries as fast as they are removed, a repair would never end,
// and a sync, a bulk change and all other comparisons wait for it.

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

  /**
   * Call before each step.
   * @throws RepairTooLong when the time is used up
   */
  step(): void {
    if (performance.now() < this.#until) return;
    throw new RepairTooLong(`comparing and repairing its map took more than ${this.#ms / 1000} s`);
  }
}

/** Each is looked up twice, at 0.06 to 0.09 ms. */
const mostLookups = 100;
const leastLookups = 5;

/**
 * How many missing entries one slice looks up, adds and reads back. A slice that misses its deadline has added nothing:
 * with a fixed size an overloaded machine would make no progress, and a small one costs many turns. Adapts from slice
 * to slice, over all repairs.
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
