import type { TimeSlice } from '../concurrency/slices.ts';
import { enlarged, KeyRows, noRow } from './key-rows.ts';

export interface CounterOptions {
  /** Keys that are remembered; those longest without a change are forgotten first. */
  readonly most: number;
  /** Keys for which there is room from the start; default: few. */
  readonly expected?: number;
  /** Called with a key that is forgotten, and the value from which the workers count on. */
  readonly forgotten?: (key: string, value: number) => void;
}

interface AdvanceOptions {
  readonly handsOver: boolean;
  readonly arriving: boolean;
  readonly startOf: () => number;
}

/**
 * Pairs of a worker's number and its last value, the earliest first. Of exited workers only values above all later ones:
 * a new worker may start from them.
 */
export type KeyCounters = number[];

/** The last values of each key in each worker; bounded. */
export class KeyedCounters {
  /** In the order of their last change. */
  readonly #rows: KeyRows;
  /** By row. Packed, since there may be 100,000. */
  #packed: Float64Array;
  /** By row: those that do not fit. */
  readonly #others = new Map<number, KeyCounters>();
  readonly #options: CounterOptions;

  constructor(options: CounterOptions) {
    this.#options = options;
    this.#rows = new KeyRows(options.expected);
    this.#packed = new Float64Array(this.#rows.capacity);
  }

  get size(): number {
    return this.#rows.size;
  }

  *keys(): Iterable<string> {
    for (const row of this.#rows) yield this.#rows.keyOf(row);
  }

  get(key: string): KeyCounters | undefined {
    const row = this.#rows.find(key);
    return row === noRow ? undefined : this.#get(row);
  }

  set(key: string, counters: KeyCounters): void {
    const known = this.#rows.find(key);
    if (known !== noRow) this.#rows.moveToEnd(known);
    this.#set(known === noRow ? this.#rows.add(key) : known, counters);
    this.#forgetOldest();
  }

  /** Its values in all workers: it counts from 0 again. */
  delete(key: string): void {
    const row = this.#rows.find(key);
    if (row !== noRow) this.#remove(row);
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
      const start = startOf();
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
    for (const row of this.#rows) {
      if (slice.due()) await slice.rest();
      const values = this.#get(row);
      const left = kept(values, living, first);
      if (left.length < values.length) this.#set(row, left);
    }
  }

  #get(row: number): KeyCounters {
    return this.#others.get(row) ?? unpacked(this.#packed[row]!);
  }

  #set(row: number, counters: KeyCounters): void {
    if (row >= this.#packed.length) this.#packed = new Float64Array(enlarged(this.#packed, this.#rows.capacity));
    const packed = packedOf(counters);
    if (packed === null) this.#others.set(row, counters);
    else {
      this.#packed[row] = packed;
      this.#others.delete(row);
    }
  }

  #remove(row: number): void {
    this.#rows.remove(row);
    this.#others.delete(row);
  }

  #forgetOldest(): void {
    while (this.#rows.size > this.#options.most) {
      const oldest = this.#rows.first;
      const [key, counters] = [this.#rows.keyOf(oldest), this.#get(oldest)];
      this.#remove(oldest);
      this.#options.forgotten?.(key, highestUpTo(Number.POSITIVE_INFINITY, counters));
    }
  }
}

const packable = { values: 2 ** 32, workers: 2 ** 20 } as const;

/** The usual cases, one worker or none, in one number. */
function packedOf(counters: KeyCounters): number | null {
  const [worker, value] = counters;
  if (worker === undefined || value === undefined) return 0;
  if (counters.length > 2 || worker >= packable.workers || value >= packable.values) return null;
  return (worker + 1) * packable.values + value;
}

function unpacked(packed: number): KeyCounters {
  if (packed === 0) return [];
  const value = packed % packable.values;
  return [(packed - value) / packable.values - 1, value];
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
