// How long to wait before the proxy is started again. What cannot be started is tried ever more rarely; what could, and
// was killed again, is away for a few seconds at most: every start of it served, and until it does nobody is served.

const firstMs = 1_000;
const longestMs = 30_000;
const longestAfterServingMs = 4_000;
/** A proxy that lived this long is started at once again when it dies. */
const provenAfterMs = 60_000;

export class RestartPace {
  #waitMs: number;

  /** @param failed the first start, made before anybody watched, did not succeed */
  constructor(failed: boolean) {
    this.#waitMs = failed ? firstMs : 0;
  }

  /** Milliseconds; 0: at once. */
  get waitMs(): number {
    return this.#waitMs;
  }

  /** A start was tried, whatever came of it. */
  tried(): void {
    this.#waitMs = this.#waitMs === 0 ? firstMs : Math.min(this.#waitMs * 2, longestMs);
  }

  /** It served for so long, and is gone. */
  died(livedMs: number): void {
    this.#waitMs = livedMs > provenAfterMs ? 0 : Math.min(this.#waitMs, longestAfterServingMs);
  }
}
