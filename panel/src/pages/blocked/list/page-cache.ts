// A list loaded page by page. A page after a loaded one is requested by cursor, so that no visible row is missing or
// duplicate; any other by offset.

export interface ListPage<Row> {
  readonly items: readonly Row[];
  readonly next_cursor: string | null;
  readonly total: number;
}

/** `offset` rows after the cursor, or from the start. */
export interface PageRequest {
  readonly cursor: string | null;
  readonly offset: number;
  readonly limit: number;
}

export type FetchPage<Row> = (request: PageRequest, signal: AbortSignal) => Promise<ListPage<Row>>;

export interface PageCacheState {
  readonly total: number | null;
  readonly error: unknown;
  readonly loadedAt: number | null;
  readonly version: number;
}

interface LoadedPage<Row> {
  readonly rows: readonly Row[];
  /** The cursor of its request; null: requested by offset. */
  readonly after: string | null;
  /** Null: the last page. */
  readonly next: string | null;
  readonly stale: boolean;
}

interface NextPage {
  readonly page: number;
  readonly after: string | null;
}

interface Loading {
  readonly page: number;
  readonly since: number;
  readonly stop: AbortController;
}

const keptPages = 12;
/** Time in milliseconds after which the request of a page that is no longer visible is aborted. */
const patienceMs = 150;

export class PageCache<Row> {
  readonly pageSize: number;
  readonly #fetch: FetchPage<Row>;
  readonly #pages = new Map<number, LoadedPage<Row>>();
  readonly #listeners = new Set<() => void>();
  readonly #ahead: number;
  #visible: readonly [number, number] = [0, 0];
  #near: readonly [number, number] = [0, 0];
  #work: Promise<void> | null = null;
  #loading: Loading | null = null;
  #closed = false;
  #state: PageCacheState = { total: null, error: null, loadedAt: null, version: 0 };

  /** @param ahead rows to load in advance on each side, after the visible ones */
  constructor(fetch: FetchPage<Row>, pageSize: number, ahead = 0) {
    this.#fetch = fetch;
    this.pageSize = pageSize;
    this.#ahead = ahead;
  }

  get state(): PageCacheState {
    return this.#state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  row(index: number): Row | undefined {
    if (index >= (this.#state.total ?? 0)) return undefined;
    return this.#pages.get(Math.floor(index / this.pageSize))?.rows[index % this.pageSize];
  }

  /** Rows `first` to `last` are visible. Pages are loaded one at a time; those scrolled past are skipped. */
  show(first: number, last: number): void {
    const pageOf = (row: number): number => Math.floor(Math.max(0, row) / this.pageSize);
    this.#visible = [pageOf(first), pageOf(Math.max(first, last))];
    this.#near = [pageOf(first - this.#ahead), pageOf(Math.max(first, last) + this.#ahead)];
    const loading = this.#loading;
    if (loading !== null && !this.#isVisible(loading.page) && performance.now() - loading.since > patienceMs) {
      loading.stop.abort();
    }
    if (this.#state.error === null) void this.#run();
  }

  async refresh(): Promise<void> {
    // A running request may have been answered before the change that caused this refresh.
    await this.#work;
    for (const [number, page] of this.#pages) this.#pages.set(number, { ...page, stale: true });
    this.#change({ error: null });
    await this.#run();
  }

  close(): void {
    this.#closed = true;
    this.#loading?.stop.abort();
    this.#listeners.clear();
  }

  #run(): Promise<void> {
    this.#work ??= this.#loadVisible().finally(() => {
      this.#work = null;
    });
    return this.#work;
  }

  async #loadVisible(): Promise<void> {
    try {
      for (let next = this.#next(); next !== null && !this.#closed; next = this.#next()) {
        await this.#load(next.page, next.after);
      }
    } catch (error) {
      if (!this.#closed) this.#change({ error });
    }
  }

  #next(): NextPage | null {
    return this.#missing(...this.#visible) ?? this.#missing(...this.#near);
  }

  /** The first of these pages that is not loaded, or does not continue the one before it. */
  #missing(first: number, last: number): NextPage | null {
    for (let page = first; page <= last; page += 1) {
      const loaded = this.#pages.get(page);
      const before = this.#pages.get(page - 1);
      const follows = before !== undefined && !before.stale;
      if (follows && before.next === null) return null;
      const after = follows ? before.next : null;
      const fits = page === first || after === null || loaded?.after === after;
      if (loaded === undefined || loaded.stale || !fits) return { page, after };
    }
    return null;
  }

  async #load(page: number, after: string | null): Promise<void> {
    const loading = { page, since: performance.now(), stop: new AbortController() };
    this.#loading = loading;
    const offset = after === null ? page * this.pageSize : 0;
    try {
      const request = { cursor: after, offset, limit: this.pageSize };
      const { items, next_cursor, total } = await this.#fetch(request, loading.stop.signal);
      this.#pages.set(page, { rows: items, after, next: next_cursor, stale: false });
      this.#dropFarPages(next_cursor === null ? page : Number.POSITIVE_INFINITY);
      this.#change({ total, loadedAt: Date.now(), error: null });
    } catch (error) {
      // Aborted in favour of another page.
      if (!loading.stop.signal.aborted) throw error;
    } finally {
      this.#loading = null;
    }
  }

  #isVisible(page: number): boolean {
    return page >= this.#visible[0] && page <= this.#visible[1];
  }

  #dropFarPages(lastPage: number): void {
    const [first, last] = this.#visible;
    for (const page of this.#pages.keys()) {
      if (page < first - keptPages || page > Math.min(last + keptPages, lastPage)) this.#pages.delete(page);
    }
  }

  #change(change: Partial<PageCacheState>): void {
    this.#state = { ...this.#state, ...change, version: this.#state.version + 1 };
    for (const listener of this.#listeners) listener();
  }
}
