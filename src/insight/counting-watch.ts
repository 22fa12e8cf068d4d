// Whether the configuration that HAProxy runs counts what the service shows: a template of one's own, or a configuration
// that others write, needs lines for it.
import type { Emit } from '../events/facts.ts';
import { clientsTable, deniedTable } from '../haproxy/process/counting-tables.ts';
import type { SeriesStore } from '../store/series-store.ts';
import type { InsightReading } from './readings.ts';

interface Stored {
  /** Tables that the last fact named; empty: none is missing. */
  readonly missing: readonly string[];
  /** Whether that fact was certainly emitted: the service may have crashed. */
  readonly emitted: boolean;
}

interface CountingWatchDeps {
  readonly series: Pick<SeriesStore, 'state' | 'write'>;
  readonly emit: Emit;
}

const stateName = 'counting';
const nothingMissing: Stored = { missing: [], emitted: true };

export class CountingWatch {
  readonly #deps: CountingWatchDeps;
  #stored: Stored;
  #missing: readonly string[] | null = null;

  /** @throws StoreError */
  static async load(deps: CountingWatchDeps): Promise<CountingWatch> {
    return new CountingWatch(deps, ((await deps.series.state(stateName)) as Stored | undefined) ?? nothingMissing);
  }

  private constructor(deps: CountingWatchDeps, stored: Stored) {
    this.#deps = deps;
    this.#stored = stored;
  }

  /** Tables that the current worker does not have; null: it was not read in this run. */
  get missing(): readonly string[] | null {
    return this.#missing;
  }

  /** @param tables that the configuration should have @throws StoreError; then the fact is emitted at the next call */
  async judge({ workers }: Pick<InsightReading, 'workers'>, tables: readonly string[]): Promise<void> {
    const current = workers.find((worker) => worker.current);
    if (current === undefined) return;
    await this.#change(tables.filter((table) => !current.used.has(table)));
  }

  /** Nothing is to be counted any more. @throws StoreError */
  async end(): Promise<void> {
    await this.#change([]);
  }

  async #change(missing: readonly string[]): Promise<void> {
    this.#missing = missing;
    if (this.#stored.emitted && this.#stored.missing.join() === missing.join()) return;
    // Stored before and after, so that a crash in between repeats the fact instead of losing it.
    await this.#store({ missing, emitted: false });
    if (missing.length > 0) this.#deps.emit('counting.incomplete', { missing });
    else this.#deps.emit('counting.complete', {});
    await this.#store({ missing, emitted: true });
  }

  async #store(stored: Stored): Promise<void> {
    await this.#deps.series.write({ points: [], states: { [stateName]: stored } });
    this.#stored = stored;
  }
}

/** What is not known without these tables, for an operator. */
export function notCountedText(missing: readonly string[]): string | null {
  if (missing.length === 0) return null;
  const lost = missing.includes(deniedTable.name)
    ? 'denied requests are known only as a sum'
    : 'there are no candidates';
  const also =
    missing.includes(deniedTable.name) && missing.includes(clientsTable.name) ? ', and there are no candidates' : '';
  return `insight: the configuration that HAProxy runs lacks ${missing.join(' and ')}, so ${lost}${also} (docs/insight.md, “In a configuration of your own”)`;
}
