// Differences of HAProxy's cumulative counters. Identity of a counter is its worker (pid and start) and its name.
import { TimeSlice } from '../concurrency/slices.ts';
import { CounterColumn, type CounterReading, readCounters, storedCounters } from './counter-column.ts';
import { TextColumn } from './key-columns.ts';
import { KeyRows, noRow } from './key-rows.ts';

/** What a table has counted since the last reading. */
export class Counters {
  /** Those longest without a change first. */
  readonly #rows = new KeyRows(new TextColumn());
  readonly #column = new CounterColumn(this.#rows.capacity);
  readonly #most: number;

  /** @param most names that are remembered; those longest without a change are forgotten first */
  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#rows.size;
  }

  /**
   * Read draining workers before the current one: what they counted last is then known to have been handed over.
   * @param values cumulative, by name; names that are absent have not changed
   * @returns increases above 0 by name
   */
  advance(reading: CounterReading, values: ReadonlyMap<string, number>): Map<string, number> {
    const increases = new Map<string, number>();
    for (const [name, value] of values) {
      const increase = this.increaseOf(reading, name, value);
      if (increase > 0) increases.set(name, increase);
    }
    return increases;
  }

  /** As `advance`, of one name. */
  increaseOf(reading: CounterReading, name: string, value: number): number {
    const known = this.#rows.find(name);
    const row = known === noRow ? this.#rows.add(name) : known;
    const increase = this.#column.advance(row, reading, value, () => 0);
    if (increase !== null) this.#changed(row);
    return increase ?? 0;
  }

  /** Forgets exited workers, but for values that may have been handed over since HAProxy was started, by `first`. */
  async keep(living: ReadonlySet<number>, first: number, slice = TimeSlice.ofItems()): Promise<void> {
    for (const row of this.#rows) {
      if (slice.due()) await slice.rest();
      this.#column.keep(row, living, first);
    }
  }

  /** The last values of a name, for `restore`. Null: unknown. */
  stored(name: string): string | null {
    const values = this.#column.get(this.#rows.find(name));
    return values === undefined ? null : storedCounters(values);
  }

  /** @param first values of workers before it are dropped  @throws RangeError for a text that `stored` did not make */
  restore(name: string, stored: string, first: number): void {
    const values = readCounters(name, stored, first);
    const known = this.#rows.find(name);
    const row = known === noRow ? this.#rows.add(name) : known;
    this.#column.set(row, values);
    this.#changed(row);
  }

  /** Those longest without a change first. */
  *names(): Iterable<string> {
    for (const row of this.#rows) yield this.#rows.keyOf(row);
  }

  #changed(row: number): void {
    this.#rows.moveToEnd(row);
    while (this.#rows.size > this.#most) {
      const oldest = this.#rows.first;
      this.#rows.remove(oldest);
      this.#column.clear(oldest);
    }
  }
}
