export interface CounterOptions {
  /** Keys that are remembered; those longest without a change are forgotten first. */
  readonly most: number;
  /** Called with a key that is forgotten, and the value from which the workers count on. */
  readonly forgotten?: (key: string, value: number) => void;
}

interface AdvanceOptions {
  readonly handsOver: boolean;
  readonly arriving: boolean;
  readonly startOf: (key: string, value: number) => number;
}

export interface KeyCounters {
  /** Of all workers, exited ones included: what a new worker may start from. */
  highest: number;
  /** Pairs of a worker's number and its last value. */
  values: number[];
}

/** The last values of each key in each worker; bounded. */
export class KeyedCounters {
  /** In the order of their last change. Packed, since there may be 100,000. */
  readonly #keys = new Map<string, KeyCounters | number>();
  readonly #options: CounterOptions;

  constructor(options: CounterOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#keys.size;
  }

  keys(): Iterable<string> {
    return this.#keys.keys();
  }

  get(key: string): KeyCounters | undefined {
    const packed = this.#keys.get(key);
    return packed === undefined ? undefined : unpacked(packed);
  }

  set(key: string, counters: KeyCounters): void {
    this.#keys.delete(key);
    this.#keys.set(key, packed(counters));
    this.#forgetOldest();
  }

  /** Its values in all workers: it counts from 0 again. */
  delete(key: string): void {
    this.#keys.delete(key);
  }

  /**
   * @param handsOver the worker may have started from the highest known value
   * @param arriving it may receive that value only now
   * @param startOf from which value an unknown key has counted
   * @returns by how much it counted on
   */
  advance(key: string, worker: number, value: number, { handsOver, arriving, startOf }: AdvanceOptions): number {
    const known = this.get(key);
    if (known === undefined) {
      const start = startOf(key, value);
      this.set(key, { highest: value, values: [worker, value] });
      return value - start;
    }
    const { values } = known;
    const at = indexOf(values, worker);
    const last = at < 0 ? undefined : values[at + 1]!;
    if (last === value) return 0;
    const from =
      last === undefined ? startInNew(value, known, handsOver) : startIn(last, value, known.highest, arriving);
    if (at < 0) values.push(worker, value);
    else values[at + 1] = value;
    // The entry expired, and a new one counts from 0. What the other workers hold may still be handed over.
    if (last !== undefined && value < last) known.highest = highestOf(values);
    else known.highest = Math.max(known.highest, value);
    this.set(key, known);
    return value - from;
  }

  /** Forgets the values of all other workers. */
  keep(workers: ReadonlySet<number>): void {
    for (const [key, counters] of this.#keys) {
      const { highest, values } = unpacked(counters);
      for (let at = values.length - 2; at >= 0; at -= 2) if (!workers.has(values[at]!)) values.splice(at, 2);
      this.#keys.set(key, packed({ highest, values }));
    }
  }

  #forgetOldest(): void {
    for (const [oldest, counters] of this.#keys) {
      if (this.#keys.size <= this.#options.most) return;
      this.#keys.delete(oldest);
      const { highest, values } = unpacked(counters);
      // If no worker that had it lives: what a new one may start from.
      this.#options.forgotten?.(oldest, values.length === 0 ? highest : highestOf(values));
    }
  }
}

const valuesOfWorker = 2 ** 32;
const mostWorkers = 2 ** 20;

/** The usual case, one worker that has counted to the highest value: one number instead of two objects. */
function packed(counters: KeyCounters): KeyCounters | number {
  const { highest, values } = counters;
  const [worker = mostWorkers, value = 0] = values;
  const fits = values.length === 2 && value === highest && value < valuesOfWorker && worker < mostWorkers;
  return fits ? worker * valuesOfWorker + value : counters;
}

function unpacked(counters: KeyCounters | number): KeyCounters {
  if (typeof counters !== 'number') return counters;
  const highest = counters % valuesOfWorker;
  return { highest, values: [(counters - highest) / valuesOfWorker, highest] };
}

function indexOf(values: readonly number[], worker: number): number {
  for (let at = 0; at < values.length; at += 2) if (values[at] === worker) return at;
  return -1;
}

function highestOf(values: readonly number[]): number {
  let highest = 0;
  for (let at = 1; at < values.length; at += 2) highest = Math.max(highest, values[at]!);
  return highest;
}

/**
 * The value from which a worker has counted that is read for the first time. If HAProxy was killed, its tables hold less than
 * the highest value, and what is handed over is the value of the last worker.
 */
function startInNew(value: number, { highest, values }: KeyCounters, handsOver: boolean): number {
  if (!handsOver) return 0;
  return Math.max(0, ...[highest, values.at(-1) ?? 0].filter((handedOver) => handedOver <= value));
}

/** The value from which the worker has counted since the last reading. */
function startIn(last: number, value: number, highest: number, arriving: boolean): number {
  if (value < last) return 0;
  return arriving && last < highest && value > highest ? highest : last;
}
