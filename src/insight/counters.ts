// Differences of HAProxy's cumulative counters. Identity of a counter is its worker (pid and start) and its key.
import { TimeSlice } from '../concurrency/slices.ts';
import { type CounterOptions, KeyedCounters } from './keyed-counters.ts';

/** A peer hands its values over within this time after a worker's start. */
const handOverMs = 60_000;

export interface CounterReading {
  readonly at: Date;
  /** Of the worker; `Workers`. */
  readonly number: number;
  readonly startedAt: Date;
  /** Whether a new worker receives the values of an earlier one (`peers`). */
  readonly handsOver: boolean;
}

/**
 * What a table has counted since the last reading. Sums never fall: a value below the last one is a counter that starts
 * again at 0.
 */
export class Counters {
  readonly #keys: KeyedCounters;

  constructor(options: CounterOptions) {
    this.#keys = new KeyedCounters(options);
  }

  get size(): number {
    return this.#keys.size;
  }

  /**
   * Read draining workers before the current one: what they counted last is then known to have been handed over.
   * @param values cumulative, by key; keys that are absent have not changed
   * @returns increases above 0 by key
   */
  advance(reading: CounterReading, values: ReadonlyMap<string, number>): Map<string, number> {
    const increases = new Map<string, number>();
    for (const [key, value] of values) {
      const increase = this.increaseOf(reading, key, value);
      if (increase > 0) increases.set(key, increase);
    }
    return increases;
  }

  /** As `advance`, of one key. @param startOf from which value it has counted if it is unknown; default: 0 */
  increaseOf(
    { at, number, startedAt, handsOver }: CounterReading,
    key: string,
    value: number,
    startOf: () => number = () => 0,
  ): number {
    const arriving = handsOver && at.getTime() - startedAt.getTime() <= handOverMs;
    return this.#keys.advance(key, number, value, { handsOver, arriving, startOf });
  }

  /** HAProxy's entries of this key have expired: they count from 0 again. */
  expired(key: string): void {
    this.#keys.delete(key);
  }

  /** Forgets exited workers, but for values that may have been handed over since HAProxy was started, by `first`. */
  async keep(living: ReadonlySet<number>, first: number, slice = TimeSlice.ofItems()): Promise<void> {
    await this.#keys.keep(living, first, slice);
  }

  /** The last values of a key, for `restore`: `<worker>:<value> …`. Null: unknown key. */
  stored(key: string): string | null {
    const values = this.#keys.get(key);
    if (values === undefined) return null;
    const pairs: string[] = [];
    for (let at = 0; at < values.length; at += 2) pairs.push(`${values[at]}:${values[at + 1]}`);
    return pairs.join(' ');
  }

  /** @param first values of workers before it are dropped  @throws RangeError for a text that `stored` did not make */
  restore(key: string, stored: string, first: number): void {
    const values: number[] = [];
    for (const text of stored === '' ? [] : stored.split(' ')) {
      // A value alone, as earlier versions stored the highest one, is that of a worker before all others.
      const match = /^(?:(\d{1,9}):)?(\d{1,16})$/.exec(text);
      if (match === null)
        throw new RangeError(`the stored counters of ${key} cannot be read: ${JSON.stringify(stored)}`);
      const worker = Number(match[1] ?? 0);
      if (worker >= first) values.push(worker, Number(match[2]));
    }
    this.#keys.set(key, values);
  }

  /** The keys, those longest without a change first. */
  keys(): Iterable<string> {
    return this.#keys.keys();
  }
}
