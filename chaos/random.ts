// Repeatable random choices (mulberry32: 32 bits of state are enough for a few hundred steps).

export class Random {
  #state: number;

  /** @param seed an integer, of which 32 bits count */
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** Inclusive. */
  integer(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  /** @throws RangeError for an empty list */
  pick<T>(of: readonly T[]): T {
    const one = of[this.integer(0, of.length - 1)];
    if (one === undefined) throw new RangeError('nothing to pick from');
    return one;
  }

  /** A sequence that is independent of this one's later use. */
  fork(): Random {
    return new Random(this.integer(0, 0xffff_ffff));
  }
}
