// The service's clock, as its answers tell it: a browser's own may be hours away, and a block of an hour would end then.

export interface ServiceClockOptions {
  /** Milliseconds since 1970, by the browser; it may jump. */
  readonly now?: () => number;
  /** Milliseconds since any moment; it never jumps. */
  readonly elapsed?: () => number;
}

/** The Date header counts whole seconds: on average half of one has gone by. */
const halfSecondMs = 500;

export class ServiceClock {
  readonly #now: () => number;
  readonly #elapsed: () => number;
  #seen: { readonly time: number; readonly at: number } | null = null;

  constructor({ now = Date.now, elapsed = () => performance.now() }: ServiceClockOptions = {}) {
    this.#now = now;
    this.#elapsed = elapsed;
  }

  /** @param date an answer's Date header; null or what is no date changes nothing */
  hear(date: string | null): void {
    const time = date === null ? Number.NaN : Date.parse(date);
    if (!Number.isNaN(time)) this.#seen = { time: time + halfSecondMs, at: this.#elapsed() };
  }

  /** Milliseconds since 1970, right to about a second; by the browser's clock until an answer has told the service's. */
  now(): number {
    return this.#seen === null ? this.#now() : this.#seen.time + this.#elapsed() - this.#seen.at;
  }
}
