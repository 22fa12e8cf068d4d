// The list as it is read, page by page, by row number. The API goes from one page to the next only, so a far row is
// reached by walking there; a few pages around the place that is looked at are kept, and where each begins.

export interface ListPage<Row> {
  readonly items: readonly Row[];
  readonly next_cursor: string | null;
  readonly total: number;
}

export type FetchPage<Row> = (cursor: string | null, limit: number, signal: AbortSignal) => Promise<ListPage<Row>>;

export interface BookState {
  /** Null: not known yet. */
  readonly total: number | null;
  readonly error: unknown;
  /** Rows walked past on the way to a far one; null: none is being walked to. */
  readonly walkedTo: number | null;
  /** When what is shown was read; milliseconds since 1970. */
  readonly readAt: number | null;
  /** Counts changes, for those who draw. */
  readonly version: number;
}

/** Pages kept on each side of those that are looked at. */
const kept = 6;

export class PageBook<Row> {
  readonly pageSize: number;
  readonly #fetch: FetchPage<Row>;
  readonly #pages = new Map<number, readonly Row[]>();
  readonly #stale = new Set<number>();
  readonly #listeners = new Set<() => void>();
  /** `#cursors[n]` begins page n. */
  #cursors: (string | null)[] = [null];
  /** The number of pages, once the end was seen. */
  #length: number | null = null;
  #wanted: readonly [number, number] = [0, 0];
  #work: Promise<void> | null = null;
  readonly #given = new AbortController();
  #state: BookState = { total: null, error: null, walkedTo: null, readAt: null, version: 0 };

  constructor(fetch: FetchPage<Row>, pageSize: number) {
    this.#fetch = fetch;
    this.pageSize = pageSize;
  }

  get state(): BookState {
    return this.#state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Undefined: not read yet. */
  row(index: number): Row | undefined {
    return this.#pages.get(Math.floor(index / this.pageSize))?.[index % this.pageSize];
  }

  /** Rows `first` to `last` are looked at. */
  want(first: number, last: number): void {
    this.#wanted = [Math.floor(first / this.pageSize), Math.floor(Math.max(first, last) / this.pageSize)];
    if (this.#state.error === null) void this.#run();
  }

  /** Reads what is looked at anew; the rest when it is looked at again. */
  async refresh(): Promise<void> {
    for (const page of this.#pages.keys()) this.#stale.add(page);
    this.#stale.add(this.#wanted[0]);
    this.#change({ error: null });
    await this.#work;
    await this.#run();
  }

  close(): void {
    this.#given.abort();
    this.#listeners.clear();
  }

  #run(): Promise<void> {
    this.#work ??= this.#readWanted().finally(() => {
      this.#work = null;
    });
    return this.#work;
  }

  async #readWanted(): Promise<void> {
    try {
      for (let page = this.#next(); page !== null; page = this.#next()) {
        const walking = page < this.#wanted[0];
        await this.#read(page);
        this.#change({ walkedTo: walking ? (page + 1) * this.pageSize : null });
      }
      this.#change({ walkedTo: null });
    } catch (error) {
      if (!this.#given.signal.aborted) this.#change({ error, walkedTo: null });
    }
  }

  /** The page to be read now: the first that is looked at and not there, or the last whose beginning is known. */
  #next(): number | null {
    const [first, last] = this.#wanted;
    for (let page = first; page <= last; page += 1) {
      if (this.#length !== null && page >= this.#length && page > 0) return null;
      if (this.#pages.has(page) && !this.#stale.has(page)) continue;
      return Math.min(page, this.#cursors.length - 1);
    }
    return null;
  }

  async #read(page: number): Promise<void> {
    const cursor = this.#cursors[page] ?? null;
    const { items, next_cursor, total } = await this.#fetch(cursor, this.pageSize, this.#given.signal);
    this.#pages.set(page, items);
    this.#stale.delete(page);
    if (next_cursor === null) {
      this.#length = page + 1;
      this.#cursors.length = page + 1;
    } else {
      // What came or went inside this page moves where the next one begins; those behind it are walked to again.
      if (this.#cursors[page + 1] !== next_cursor) this.#cursors.length = page + 1;
      this.#cursors[page + 1] = next_cursor;
      if (this.#length !== null && this.#length <= page + 1) this.#length = null;
    }
    this.#forgetFar();
    this.#change({ total, readAt: Date.now(), error: null });
  }

  #forgetFar(): void {
    const [first, last] = this.#wanted;
    for (const page of this.#pages.keys())
      if (page < first - kept || page > last + kept) {
        this.#pages.delete(page);
        this.#stale.delete(page);
      }
  }

  #change(change: Partial<BookState>): void {
    this.#state = { ...this.#state, ...change, version: this.#state.version + 1 };
    for (const listener of this.#listeners) listener();
  }
}
