// Attributed hits against HAProxy's own count of denied requests, the denominator. Table and count are read one after
// the other, so that each reading finds a few more in one of them: only a difference that is still there at the next
// reading is one.

export interface Balanced {
  /** Denied requests: the attributed ones and those that are not. */
  readonly denied: number;
  readonly notAttributed: number;
}

export class Balance {
  /** Denied requests by HAProxy's count, less what was returned so far. Negative: more were attributed. */
  #open: number;

  constructor(open = 0) {
    this.#open = open;
  }

  /** For the constructor, after a restart. */
  get open(): number {
    return this.#open;
  }

  /** @param counted by HAProxy since the last reading  @param attributed of the tables' increases, since then */
  add(counted: number, attributed: number): Balanced {
    const before = this.#open;
    const now = before + counted - attributed;
    const settled = before > 0 ? Math.max(0, Math.min(before, now)) : Math.min(0, Math.max(before, now));
    this.#open = now - settled;
    // A deficit that stays: HAProxy's count was lost, with a worker that exited. What the tables say is then the count.
    return { denied: attributed + Math.max(0, settled), notAttributed: Math.max(0, settled) };
  }
}
