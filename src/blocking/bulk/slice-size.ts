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

  /** @param ms includes the commit and the rest of the turn */
  took(ms: number): void {
    const wanted = this.#size * Math.min(GROWTH, this.#targetMs / Math.max(ms, 0.001));
    this.#size = Math.round(Math.min(this.#most, Math.max(this.#least, wanted)));
  }
}

/** Changed rows and unchanged ones differ in cost, so each has its own limit. */
export class SliceLimits {
  readonly #targetMs: number;
  readonly #changes: SliceSize;
  readonly #reads: SliceSize;

  constructor(options: {
    readonly targetMs: number;
    readonly changes: { readonly first: number; readonly least: number; readonly most: number };
    readonly reads: { readonly first: number; readonly least: number; readonly most: number };
  }) {
    this.#targetMs = options.targetMs;
    this.#changes = new SliceSize({ targetMs: options.targetMs, ...options.changes });
    this.#reads = new SliceSize({ targetMs: options.targetMs, ...options.reads });
  }

  get changes(): number {
    return this.#changes.rows;
  }

  get reads(): number {
    return this.#reads.rows;
  }

  /** A kind with few rows is not measured. `worked`: rows changed or read one by one. */
  took(ms: number, did: { readonly worked: number; readonly read: number }): void {
    if (did.worked >= this.#changes.rows / 2) this.#changes.took(ms);
    else if (did.read >= this.#reads.rows / 2 || ms > this.#targetMs) this.#reads.took(ms);
  }
}
