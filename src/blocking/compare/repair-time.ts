// How long one comparison of a running map with its repairs may go on. Each of its steps has a deadline of its own, but
// how many there are is said by what is found: with a stranger who adds as fast as we remove there is no last one, and
// whoever waits (a sync, a big change, every other comparison) would wait for ever.

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
