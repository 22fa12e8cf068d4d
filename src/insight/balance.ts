// Attributed hits against HAProxy's own count of denied requests, the denominator. Count and tables are read one after
// the other, on a busy machine some tenths of a second apart: each reading finds more in one of them. Only a difference
// that is there at each reading of a minute is one.

export interface Balanced {
  /** Denied requests: the attributed ones and those that are not. */
  readonly denied: number;
  readonly notAttributed: number;
}

/** Readings of a minute. */
const settledBy = 6;

export class Balance {
  /** Denied requests by HAProxy's count, less what was returned so far. Negative: more were attributed. */
  #open: number;
  /** `open` after the last readings. */
  #last: number[] = [];

  constructor(open = 0) {
    this.#open = open;
  }

  /** For the constructor, after a restart. */
  get open(): number {
    return this.#open;
  }

  /** @param counted by HAProxy since the last reading  @param attributed of the tables' increases, since then */
  add(counted: number, attributed: number): Balanced {
    this.#open += counted - attributed;
    this.#last = [...this.#last, this.#open].slice(-settledBy);
    const settled = this.#last.length < settledBy ? 0 : common(this.#last);
    this.#open -= settled;
    this.#last = this.#last.map((open) => open - settled);
    // A deficit that stays: HAProxy's count was lost, with a worker that exited. What the tables say is then the count.
    return { denied: attributed + Math.max(0, settled), notAttributed: Math.max(0, settled) };
  }
}

/** What all have; 0 unless they are of one sign. */
function common(values: readonly number[]): number {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return Math.max(0, least) + Math.min(0, most);
}
