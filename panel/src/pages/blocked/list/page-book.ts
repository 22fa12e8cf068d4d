// The list as it is read, page by page, by row number. A page that follows one that is there is asked for by its cursor,
// so that on the screen no row is missing or double; any other by how many rows are before it. A few pages around the
// place that is looked at are kept, and those that it nears are read before they are looked at.

export interface ListPage<Row> {
  readonly items: readonly Row[];
  readonly next_cursor: string | null;
  readonly total: number;
}

/** `offset` rows behind the cursor, or from the beginning. */
export interface PageAsked {
  readonly cursor: string | null;
  readonly offset: number;
  readonly limit: number;
}

export type FetchPage<Row> = (asked: PageAsked, signal: AbortSignal) => Promise<ListPage<Row>>;

export interface BookState {
  /** Null: not known yet. */
  readonly total: number | null;
  readonly error: unknown;
  /** When what is shown was read; milliseconds since 1970. */
  readonly readAt: number | null;
  /** Counts changes, for those who draw. */
  readonly version: number;
}

interface HeldPage<Row> {
  readonly rows: readonly Row[];
  /** The cursor it was read behind; null: it was read by its number. */
  readonly after: string | null;
  /** Null: it is the last. */
  readonly next: string | null;
  /** To be read anew when it is looked at. */
  readonly stale: boolean;
}

interface NextPage {
  readonly page: number;
  /** Null: by its number. */
  readonly after: string | null;
}

interface Reading {
  readonly page: number;
  readonly since: number;
  readonly stop: AbortController;
}

/** Pages kept on each side of those that are looked at. */
const kept = 12;
/** A page that nobody looks at any more is waited for so long, in milliseconds; most have come by then. */
const patienceMs = 150;

export class PageBook<Row> {
  readonly pageSize: number;
  readonly #fetch: FetchPage<Row>;
  readonly #pages = new Map<number, HeldPage<Row>>();
  readonly #listeners = new Set<() => void>();
  readonly #ahead: number;
  #wanted: readonly [number, number] = [0, 0];
  #near: readonly [number, number] = [0, 0];
  #work: Promise<void> | null = null;
  #reading: Reading | null = null;
  #closed = false;
  #state: BookState = { total: null, error: null, readAt: null, version: 0 };

  /** @param ahead rows on each side of those looked at that are read too, when those are there */
  constructor(fetch: FetchPage<Row>, pageSize: number, ahead = 0) {
    this.#fetch = fetch;
    this.pageSize = pageSize;
    this.#ahead = ahead;
  }

  get state(): BookState {
    return this.#state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Undefined: not read yet, or behind the end. */
  row(index: number): Row | undefined {
    if (index >= (this.#state.total ?? 0)) return undefined;
    return this.#pages.get(Math.floor(index / this.pageSize))?.rows[index % this.pageSize];
  }

  /** Rows `first` to `last` are looked at. One page is read at a time, and of those passed by on the way only a few. */
  want(first: number, last: number): void {
    const pageOf = (row: number): number => Math.floor(Math.max(0, row) / this.pageSize);
    this.#wanted = [pageOf(first), pageOf(Math.max(first, last))];
    this.#near = [pageOf(first - this.#ahead), pageOf(Math.max(first, last) + this.#ahead)];
    const reading = this.#reading;
    if (reading !== null && !this.#isWanted(reading.page) && performance.now() - reading.since > patienceMs) {
      reading.stop.abort();
    }
    if (this.#state.error === null) void this.#run();
  }

  /** Reads what is looked at anew; the rest when it is looked at again. */
  async refresh(): Promise<void> {
    // What is being read may be from before that for which somebody wants it new.
    await this.#work;
    for (const [number, page] of this.#pages) this.#pages.set(number, { ...page, stale: true });
    this.#change({ error: null });
    await this.#run();
  }

  close(): void {
    this.#closed = true;
    this.#reading?.stop.abort();
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
      for (let next = this.#next(); next !== null && !this.#closed; next = this.#next()) {
        await this.#read(next.page, next.after);
      }
    } catch (error) {
      if (!this.#closed) this.#change({ error });
    }
  }

  #next(): NextPage | null {
    return this.#missing(...this.#wanted) ?? this.#missing(...this.#near);
  }

  /** The first of these pages that is not there, or no longer what follows the one before it. */
  #missing(first: number, last: number): NextPage | null {
    for (let page = first; page <= last; page += 1) {
      const held = this.#pages.get(page);
      const before = this.#pages.get(page - 1);
      const follows = before !== undefined && !before.stale;
      if (follows && before.next === null) return null;
      const after = follows ? before.next : null;
      const fits = page === first || after === null || held?.after === after;
      if (held === undefined || held.stale || !fits) return { page, after };
    }
    return null;
  }

  async #read(page: number, after: string | null): Promise<void> {
    const reading = { page, since: performance.now(), stop: new AbortController() };
    this.#reading = reading;
    const offset = after === null ? page * this.pageSize : 0;
    try {
      const asked = { cursor: after, offset, limit: this.pageSize };
      const { items, next_cursor, total } = await this.#fetch(asked, reading.stop.signal);
      this.#pages.set(page, { rows: items, after, next: next_cursor, stale: false });
      this.#forgetFar(next_cursor === null ? page : Number.POSITIVE_INFINITY);
      this.#change({ total, readAt: Date.now(), error: null });
    } catch (error) {
      // Given up, for another page.
      if (!reading.stop.signal.aborted) throw error;
    } finally {
      this.#reading = null;
    }
  }

  #isWanted(page: number): boolean {
    return page >= this.#wanted[0] && page <= this.#wanted[1];
  }

  #forgetFar(lastOfAll: number): void {
    const [first, last] = this.#wanted;
    for (const page of this.#pages.keys()) {
      if (page < first - kept || page > Math.min(last + kept, lastOfAll)) this.#pages.delete(page);
    }
  }

  #change(change: Partial<BookState>): void {
    this.#state = { ...this.#state, ...change, version: this.#state.version + 1 };
    for (const listener of this.#listeners) listener();
  }
}
