// Sizes slices by the time that the last one took: a fixed number of rows suits no two disks.

/** The rows of the next slice may cost more than those of the last one. */
const GROWTH = 1.5;

export class SliceSize {
  readonly #targetMs: number;
  readonly #least: number;
  readonly #most: number;
  #size: number;

  /** @param targetMs well below what a request may wait for a slice */
  constructor(options: {
    readonly targetMs: number;
    readonly first: number;
    readonly least: number;
    readonly most: number;
  }) {
    this.#targetMs = options.targetMs;
    this.#least = options.least;
    this.#most = options.most;
    this.#size = options.first;
  }

  get rows(): number {
    return this.#size;
  }

  /**
   * @param ms includes the commit and the rest of the turn
   * @param rows changed, or looked up to be compared; of few the time says nothing about their cost
   */
  took(ms: number, rows: number): void {
    const fit = (rows * this.#targetMs) / Math.max(ms, 0.001);
    if (fit > this.#size) this.#size = Math.round(Math.min(this.#most, this.#size * GROWTH, fit));
    else if (ms > this.#targetMs && rows >= this.#least) this.#size = Math.round(Math.max(this.#least, fit));
  }
}
