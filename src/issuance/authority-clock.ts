// How far the clock of this machine is from the clock of the authority, by the Date header of its replies.

/** A clock that differs by more is wrong. */
export const CLOCK_WRONG_MS = 300_000;

/** By how much the clock of this machine is wrong: ahead, or negative: behind. @param offsetMs null: not known */
export function wrongByMs(offsetMs: number | null): number {
  return offsetMs !== null && Math.abs(offsetMs) > CLOCK_WRONG_MS ? offsetMs : 0;
}

interface Reading {
  /** Of the authority, milliseconds. */
  readonly date: number;
  readonly offsetMs: number;
  /** Of the monotonic clock, milliseconds. */
  readonly at: number;
}

export class AuthorityClock {
  readonly #now: () => Date;
  readonly #monotonic: () => number;
  #last: Reading | null = null;

  constructor(now: () => Date, monotonic: () => number = () => performance.now()) {
    this.#now = now;
    this.#monotonic = monotonic;
  }

  /** The authority has just sent this date, which has no fractions of a second. */
  heard(date: Date): void {
    this.#last = { date: date.getTime(), offsetMs: this.#now().getTime() - date.getTime(), at: this.#monotonic() };
  }

  /**
   * Milliseconds that this machine is ahead; negative: behind; null: not known. A clock that was corrected meanwhile, and
   * a machine that slept, whose monotonic clock stood still, are seen in one of two measurements only: the smaller counts.
   */
  get offsetMs(): number | null {
    if (this.#last === null) return null;
    const { date, offsetMs, at } = this.#last;
    const offsetNow = this.#now().getTime() - (date + this.#monotonic() - at);
    if (Math.sign(offsetNow) !== Math.sign(offsetMs)) return 0;
    return Math.abs(offsetNow) < Math.abs(offsetMs) ? offsetNow : offsetMs;
  }
}
