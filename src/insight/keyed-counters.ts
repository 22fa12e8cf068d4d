import type { TimeSlice } from '../concurrency/slices.ts';

export interface CounterOptions {
  /** Keys that are remembered; those longest without a change are forgotten first. */
  readonly most: number;
  /** Called with a key that is forgotten, and the value from which the workers count on. */
  readonly forgotten?: (key: string, value: number) => void;
  /** Values of the workers with numbers near it take the least memory; default: 0. */
  readonly nearWorker?: number;
}

interface AdvanceOptions {
  readonly handsOver: boolean;
  readonly arriving: boolean;
  readonly startOf: (key: string, value: number) => number;
}

/**
 * Pairs of a worker's number and its last value, the earliest first. Of exited workers only values above all later ones:
 * a new worker may start from them.
 */
export type KeyCounters = number[];

/** The last values of each key in each worker; bounded. */
export class KeyedCounters {
  /** In the order of their last change. Packed, since there may be 100,000. */
  readonly #keys = new Map<string, KeyCounters | number>();
  readonly #options: CounterOptions;
  readonly #packing: Packing;
  /**
   * Returns the oldest key next. Kept, since a new iterator passes the places of all keys that were deleted or moved; but
   * not for long, since it retains every table that the map has outgrown meanwhile.
   */
  #oldest: MapIterator<[string, KeyCounters | number]> | null = null;
  /** Since the iterator began. */
  #moves = 0;

  constructor(options: CounterOptions) {
    this.#options = options;
    this.#packing = new Packing(options.nearWorker ?? 0);
  }

  get size(): number {
    return this.#keys.size;
  }

  keys(): Iterable<string> {
    return this.#keys.keys();
  }

  get(key: string): KeyCounters | undefined {
    const packed = this.#keys.get(key);
    return packed === undefined ? undefined : this.#packing.unpacked(packed);
  }

  set(key: string, counters: KeyCounters): void {
    this.#keys.delete(key);
    this.#keys.set(key, this.#packing.packed(counters));
    this.#forgetOldest();
  }

  /** Its values in all workers: it counts from 0 again. */
  delete(key: string): void {
    this.#keys.delete(key);
  }

  /**
   * @param handsOver the worker may have started from the value of another
   * @param arriving it may receive that value only now
   * @param startOf from which value an unknown key has counted
   * @returns by how much it counted on
   */
  advance(key: string, worker: number, value: number, { handsOver, arriving, startOf }: AdvanceOptions): number {
    const values = this.get(key);
    if (values === undefined) {
      const start = startOf(key, value);
      this.set(key, [worker, value]);
      return value - start;
    }
    const at = indexOf(values, worker);
    const last = at < 0 ? undefined : values[at + 1]!;
    if (last === value) return 0;
    // A value below the last one: the entry expired, and a new one counts from 0.
    const own = last === undefined || value < last ? 0 : last;
    const received = handsOver && (last === undefined || arriving) ? highestUpTo(value, values) : 0;
    if (at < 0) values.push(worker, value);
    else values[at + 1] = value;
    this.set(key, values);
    return value - Math.max(own, received);
  }

  /**
   * Forgets what no new worker can start from. In slices: nothing else may change a key meanwhile.
   * @param living numbers of workers
   * @param first number of the first worker since HAProxy was started
   */
  async keep(living: ReadonlySet<number>, first: number, slice: TimeSlice): Promise<void> {
    for (const [key, counters] of this.#keys) {
      if (slice.due()) await slice.rest();
      const values = this.#packing.unpacked(counters);
      if (values.length === 0) continue;
      const left = kept(values, living, first);
      if (left.length < values.length) this.#keys.set(key, this.#packing.packed(left));
    }
  }

  #forgetOldest(): void {
    this.#moves += 1;
    if (this.#moves >= movesOfIterator) this.#oldest = null;
    while (this.#keys.size > this.#options.most) {
      if (this.#oldest === null) [this.#oldest, this.#moves] = [this.#keys.entries(), 0];
      const next = this.#oldest.next();
      // An iterator that has ended never goes on.
      if (next.done === true) this.#oldest = null;
      else {
        const [oldest, counters] = next.value;
        this.#keys.delete(oldest);
        this.#options.forgotten?.(oldest, highestUpTo(Number.POSITIVE_INFINITY, this.#packing.unpacked(counters)));
      }
    }
  }
}

/** Many, so that new iterators are rare; few, so that what one retains is small. */
const movesOfIterator = 1_000;

const wide = { values: 2 ** 32, workers: 2 ** 20 } as const;
/** A number below 2 ** 31 takes no memory of its own. */
const narrow = { values: 2 ** 20, workers: 2 ** 11 } as const;

/** The usual case, one worker: one number instead of an array. */
class Packing {
  /** The first worker of those that are packed best. Numbers are never used again: those near the current one are in use. */
  readonly #from: number;

  constructor(nearWorker: number) {
    this.#from = Math.max(0, nearWorker - narrow.workers / 2);
  }

  packed(values: KeyCounters): KeyCounters | number {
    const [worker, value] = values;
    if (worker === undefined || value === undefined || values.length > 2) return values;
    const near = worker - this.#from;
    if (near >= 0 && near < narrow.workers && value < narrow.values) return value * narrow.workers + near;
    // Never below 2 ** 32.
    return worker < wide.workers && value < wide.values ? (worker + 1) * wide.values + value : values;
  }

  unpacked(counters: KeyCounters | number): KeyCounters {
    if (typeof counters !== 'number') return counters;
    if (counters < wide.values) {
      const near = counters % narrow.workers;
      return [this.#from + near, (counters - near) / narrow.workers];
    }
    const value = counters % wide.values;
    return [(counters - value) / wide.values - 1, value];
  }
}

function kept(values: KeyCounters, living: ReadonlySet<number>, first: number): KeyCounters {
  const left: KeyCounters = [];
  let above = -1;
  for (let at = values.length - 2; at >= 0; at -= 2) {
    const [worker, value] = [values[at]!, values[at + 1]!];
    if (living.has(worker) || (worker >= first && value > above)) left.unshift(worker, value);
    above = Math.max(above, value);
  }
  return left;
}

function indexOf(values: KeyCounters, worker: number): number {
  for (let at = 0; at < values.length; at += 2) if (values[at] === worker) return at;
  return -1;
}

/** What the worker that counts `value` may have received: never less, so that no request counts twice. */
function highestUpTo(value: number, values: KeyCounters): number {
  let highest = 0;
  for (let at = 1; at < values.length; at += 2)
    if (values[at]! <= value && values[at]! > highest) highest = values[at]!;
  return highest;
}
