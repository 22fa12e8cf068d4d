// How much a slice may do: as much as takes a certain time on this machine, by what the last one took. A guess in rows
// would be too much for one disk and too little for another.

/** Never faster than this: what the next slice finds may cost more than what the last one did. */
const GROWTH = 1.5;

export class SliceSize {
  readonly #targetMs: number;
  readonly #least: number;
  readonly #most: number;
  #size: number;

  /** @param targetMs what a slice is to take, well below what somebody may have to wait for it */
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

  /** Rows. */
  get rows(): number {
    return this.#size;
  }

  /** What the last slice took, with its commit and whatever followed in its turn. */
  took(ms: number): void {
    const wanted = this.#size * Math.min(GROWTH, this.#targetMs / Math.max(ms, 0.001));
    this.#size = Math.round(Math.min(this.#most, Math.max(this.#least, wanted)));
  }
}
