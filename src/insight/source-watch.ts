// Which sources have matched, and which lists are of no use.
import type { SourceKind } from '../domain/source-name.ts';
import type { Emit } from '../events/facts.ts';
import type { EntryLookup } from '../store/entry-lookup.ts';
import type { SeriesStore } from '../store/series-store.ts';
import type { Counted } from './collector.ts';
import { gapCauses } from './gaps.ts';
import type { WatchedTime } from './watched-time.ts';

const uselessSeconds = 30 * 86_400;
/** Entries of several sources that wait for the database. */
const mostWaiting = 100_000;

export interface WatchedSource {
  readonly id: number;
  readonly name: string;
  readonly kind: SourceKind;
  /** In seconds. */
  readonly createdAt: number;
  readonly claims: number;
}

interface Stored {
  /** When a claim of it last denied a request, in seconds, by number. */
  readonly matched: Readonly<Record<string, number>>;
  /** Reported as useless. */
  readonly useless: readonly number[];
}

interface SourceWatchDeps {
  readonly series: Pick<SeriesStore, 'state'>;
  readonly lookup: Pick<EntryLookup, 'sourcesOf'>;
  readonly sources: () => Promise<readonly WatchedSource[]>;
  readonly watched: Pick<WatchedTime, 'shortfall' | 'note'>;
  readonly emit: Emit;
}

export class SourceWatch {
  readonly #deps: SourceWatchDeps;
  readonly #matched: Map<number, number>;
  readonly #useless: Set<number>;
  /** Entries that denied a request, and of which other sources have claims that could not be looked up yet. */
  #waiting = new Set<string>();
  #waitingSince: number | null = null;

  /** @throws StoreError */
  static async load(deps: SourceWatchDeps): Promise<SourceWatch> {
    return new SourceWatch(deps, (await deps.series.state('sources')) as Stored | undefined);
  }

  private constructor(deps: SourceWatchDeps, stored: Stored = { matched: {}, useless: [] }) {
    this.#deps = deps;
    this.#matched = new Map(Object.entries(stored.matched).map(([id, at]) => [Number(id), at]));
    this.#useless = new Set(stored.useless);
  }

  /** For the database. */
  get states(): { readonly sources: Stored } {
    return { sources: { matched: Object.fromEntries(this.#matched), useless: [...this.#useless] } };
  }

  /** In seconds; null: never, as far as is known. */
  lastMatch(source: number): number | null {
    return this.#matched.get(source) ?? null;
  }

  /** What cannot be looked up waits for the next call. @throws StoreError */
  async matched({ at, sources, further }: Pick<Counted, 'at' | 'sources' | 'further'>): Promise<void> {
    this.#note(sources, at);
    for (const entry of further) this.#waiting.add(entry);
    if (this.#waiting.size === 0) return;
    this.#waitingSince ??= at;
    try {
      this.#note(await this.#deps.lookup.sourcesOf([...this.#waiting]), at);
    } catch (error) {
      if (this.#waiting.size > mostWaiting) this.#giveUp(at);
      throw error;
    }
    this.#waiting = new Set();
    this.#waitingSince = null;
  }

  /** At a stop: what waits for the database is lost. @param at in seconds */
  giveUpWaiting(at: number): void {
    if (this.#waiting.size > 0) this.#giveUp(at);
  }

  #note(sources: Iterable<number>, at: number): void {
    for (const source of sources) {
      this.#matched.set(source, at);
      this.#useless.delete(source);
    }
  }

  /** Which sources matched in this time is not known. */
  #giveUp(at: number): void {
    this.#deps.watched.note({ from: this.#waitingSince ?? at, to: at, cause: gapCauses.unattributed });
    this.#waiting = new Set();
    this.#waitingSince = null;
  }

  /** Reports a list that matched nothing for 30 days, once. @param at in seconds @throws StoreError */
  async judge(at: number): Promise<void> {
    if (this.#waiting.size > 0) return;
    const from = at - uselessSeconds;
    if ((await this.#deps.watched.shortfall({ from, to: at })) !== null) return;
    for (const { id, name, kind, createdAt, claims } of await this.#deps.sources()) {
      const matched = this.#matched.get(id);
      if (kind !== 'list' || claims === 0 || createdAt > from || this.#useless.has(id)) continue;
      if (matched !== undefined && matched > from) continue;
      this.#useless.add(id);
      this.#deps.emit('source.useless', { source: name, entries: claims, days: 30 });
    }
  }
}
