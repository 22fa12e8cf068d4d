// The service's clock, known from its responses. The browser's clock may be hours off.

interface ServiceClockOptions {
  /** The browser's clock, milliseconds since 1970; it may jump. */
  readonly now?: () => number;
  readonly elapsed?: () => number;
}

/** The Date header has whole seconds: on average half a second is missing. */
const halfSecondMs = 500;

export class ServiceClock {
  readonly #now: () => number;
  readonly #elapsed: () => number;
  #seen: { readonly time: number; readonly at: number } | null = null;

  constructor({ now = Date.now, elapsed = () => performance.now() }: ServiceClockOptions = {}) {
    this.#now = now;
    this.#elapsed = elapsed;
  }

  /** @param date a response's Date header; null and invalid dates change nothing */
  update(date: string | null): void {
    const time = date === null ? Number.NaN : Date.parse(date);
    if (!Number.isNaN(time)) this.#seen = { time: time + halfSecondMs, at: this.#elapsed() };
  }

  /** Milliseconds since 1970, accurate to about a second; the browser's clock until the first response. */
  now(): number {
    return this.#seen === null ? this.#now() : this.#seen.time + this.#elapsed() - this.#seen.at;
  }
}
