// How long this process itself could not look: a measured answer may be late by so much without the service's doing.

const everyMs = 20;

export class Lag {
  #worst: { at: number; ms: number }[] = [];
  #last = performance.now();
  readonly #timer: NodeJS.Timeout;

  constructor() {
    this.#timer = setInterval(() => this.#tick(), everyMs);
  }

  /** Milliseconds in which this process stood still since `from` (of `performance.now()`). */
  since(from: number): number {
    this.#tick();
    return this.#worst.filter(({ at }) => at >= from).reduce((sum, { ms }) => sum + ms, 0);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const now = performance.now();
    const late = now - this.#last - everyMs;
    this.#last = now;
    if (late > everyMs) this.#worst.push({ at: now, ms: late });
    if (this.#worst.length > 500) this.#worst = this.#worst.slice(-250);
  }
}
