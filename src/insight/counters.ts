// Differences of HAProxy's cumulative counters. Identity of a counter is its worker (pid and start) and its key.
import { type CounterOptions, KeyedCounters } from './keyed-counters.ts';

/** A worker of HAProxy; its pid alone may be used again. */
export interface WorkerId {
  readonly pid: number;
  readonly startedAt: Date;
}

/** A start that is computed from an uptime varies by its rounding. */
const sameStartMs = 5_000;
/** A peer hands its values over within this time after a worker's start. */
const handOverMs = 60_000;

interface Known extends WorkerId {
  readonly number: number;
}

/**
 * What a table has counted since the last reading. Sums never fall: a value below the last one is a counter that starts
 * again at 0.
 */
export class Counters {
  readonly #keys: KeyedCounters;
  readonly #workers: Known[] = [];
  #numbers = 0;

  constructor(options: CounterOptions) {
    this.#keys = new KeyedCounters(options);
  }

  get size(): number {
    return this.#keys.size;
  }

  /**
   * Read draining workers before the current one: what they counted last is then known to have been handed over.
   * @param values cumulative, by key; keys that are absent have not changed
   * @param handsOver whether a new worker receives the values of an earlier one (`peers`)
   * @returns increases above 0 by key
   */
  advance(
    worker: WorkerId,
    values: ReadonlyMap<string, number>,
    { at, handsOver }: { readonly at: Date; readonly handsOver: boolean },
  ): Map<string, number> {
    const { number, startedAt } = this.#known(worker);
    const arriving = handsOver && at.getTime() - startedAt.getTime() <= handOverMs;
    const increases = new Map<string, number>();
    for (const [key, value] of values) {
      const increase = this.#keys.advance(key, number, value, { handsOver, arriving });
      if (increase > 0) increases.set(key, increase);
    }
    return increases;
  }

  /** Forgets all other workers: they have exited. Their highest values stay known, since they may have been handed over. */
  retire(living: readonly WorkerId[]): void {
    const kept = this.#workers.filter((known) => living.some((worker) => same(known, worker)));
    if (kept.length === this.#workers.length) return;
    this.#keys.keep(new Set(kept.map(({ number }) => number)));
    this.#workers.splice(0, this.#workers.length, ...kept);
  }

  /** The last values of a key, for `restore`: `<highest> <pid>@<ms>=<value> …`. Null: unknown key. */
  stored(key: string): string | null {
    const counters = this.#keys.get(key);
    if (counters === undefined) return null;
    const values = this.#workers.flatMap(({ number, pid, startedAt }) => {
      const value = counters.values.get(number);
      return value === undefined ? [] : [`${pid}@${startedAt.getTime()}=${value}`];
    });
    return [String(counters.highest), ...values].join(' ');
  }

  /** @throws RangeError for a text that `stored` did not make */
  restore(key: string, stored: string): void {
    const [highest = '', ...values] = stored.split(' ');
    const read = values.map((text) => /^(\d{1,10})@(\d{1,16})=(\d{1,16})$/.exec(text));
    if (!/^\d{1,16}$/.test(highest) || read.includes(null)) {
      throw new RangeError(`the stored counters of ${key} cannot be read: ${JSON.stringify(stored)}`);
    }
    const numbered = read.map((match) => {
      const worker = { pid: Number(match![1]), startedAt: new Date(Number(match![2])) };
      return [this.#known(worker).number, Number(match![3])] as const;
    });
    this.#keys.set(key, { highest: Number(highest), values: new Map(numbered) });
  }

  /** The keys, those longest without a change first. */
  keys(): Iterable<string> {
    return this.#keys.keys();
  }

  #known(worker: WorkerId): Known {
    const known = this.#workers.find((one) => same(one, worker));
    if (known !== undefined) return known;
    const added = { pid: worker.pid, startedAt: worker.startedAt, number: this.#numbers++ };
    this.#workers.push(added);
    return added;
  }
}

function same(a: WorkerId, b: WorkerId): boolean {
  return a.pid === b.pid && Math.abs(a.startedAt.getTime() - b.startedAt.getTime()) <= sameStartMs;
}
