// How long a repair goes on, and how much one slice of it does. Each step has a deadline, but how many steps there are is
// decided by what is found: against a process that adds entries as fast as they are removed a repair would never end, and
// a sync, a bulk change and every other comparison wait for it.

/** It may go on next time; nothing that was repaired is lost. */
export class RepairTooLong extends Error {
  override readonly name = 'RepairTooLong';
}

export class RepairTime {
  readonly #ms: number;
  readonly #until: number;

  /** @param ms from now on */
  constructor(ms: number) {
    this.#ms = ms;
    this.#until = performance.now() + ms;
  }

  /** To be called before each step. Errors: RepairTooLong when none may begin any more. */
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
 * with a fixed size an overloaded machine would never get any further, and a small one pays for many turns of the queue.
 * Learns from one slice to the next, over all repairs.
 */
export class LookupSize {
  #size = mostLookups;

  get size(): number {
    return this.#size;
  }

  /** A full slice of this size came to its end. */
  enough(): void {
    this.#size = Math.min(mostLookups, this.#size * 2);
  }

  /** A slice missed its deadline. */
  tooMany(): void {
    this.#size = Math.max(leastLookups, Math.floor(this.#size / 4));
  }
}
