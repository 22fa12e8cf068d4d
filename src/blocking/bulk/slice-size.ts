// The size of a slice: as much as fits into a certain time on this machine, measured at the last slice. A fixed number of
// rows would be too much for one disk and too little for another.

/** At most: the rows of the next slice may cost more than those of the last one. */
const GROWTH = 1.5;

export class SliceSize {
  readonly #targetMs: number;
  readonly #least: number;
  readonly #most: number;
  #size: number;

  /** @param targetMs target duration of a slice, well below what a request may wait for it */
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

  /** Duration of the last slice, with its commit and the rest of its turn. */
  took(ms: number): void {
    const wanted = this.#size * Math.min(GROWTH, this.#targetMs / Math.max(ms, 0.001));
    this.#size = Math.round(Math.min(this.#most, Math.max(this.#least, wanted)));
  }
}

/** A slice changes rows and looks at others that stay as they are: each has its own limit, for they cost differently. */
export class SliceLimits {
  readonly #targetMs: number;
  readonly #changes: SliceSize;
  readonly #looks: SliceSize;

  constructor(options: {
    readonly targetMs: number;
    readonly changes: { readonly first: number; readonly least: number; readonly most: number };
    readonly looks: { readonly first: number; readonly least: number; readonly most: number };
  }) {
    this.#targetMs = options.targetMs;
    this.#changes = new SliceSize({ targetMs: options.targetMs, ...options.changes });
    this.#looks = new SliceSize({ targetMs: options.targetMs, ...options.looks });
  }

  /** Rows that the next slice may change. */
  get changes(): number {
    return this.#changes.rows;
  }

  /** Rows that it may look at. */
  get looks(): number {
    return this.#looks.rows;
  }

  /** What the last slice did; of what it did little it says nothing. `worked`: rows changed or looked up one by one. */
  took(ms: number, did: { readonly worked: number; readonly looked: number }): void {
    if (did.worked >= this.#changes.rows / 2) this.#changes.took(ms);
    else if (did.looked >= this.#looks.rows / 2 || ms > this.#targetMs) this.#looks.took(ms);
  }
}
