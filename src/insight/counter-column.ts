import { enlarged } from './enlarged.ts';

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
 * Pairs of a worker's number and its last value, the earliest first. Of exited workers only values above all later ones:
 * a new worker may start from them.
 */
type KeyCounters = number[];

/** The last values of each row in each worker. */
export class CounterColumn {
  /** By row. Packed, since there may be 100,000. */
  #packed: Float64Array;
  /** By row: those that do not fit. */
  readonly #others = new Map<number, KeyCounters>();

  constructor(rows: number) {
    this.#packed = new Float64Array(rows);
  }

  /** Undefined: it was never read, or counts from 0 again. */
  get(row: number): KeyCounters | undefined {
    return this.#others.get(row) ?? unpacked(this.#packed[row] ?? unknown);
  }

  set(row: number, counters: KeyCounters): void {
    while (row >= this.#packed.length) this.#packed = new Float64Array(enlarged(this.#packed, 2 * this.#packed.length));
    const packed = packedOf(counters);
    if (packed === null) this.#others.set(row, counters);
    else {
      this.#packed[row] = packed;
      this.#others.delete(row);
    }
  }

  /** Its values in all workers: it counts from 0 again. */
  clear(row: number): void {
    if (row < this.#packed.length) this.#packed[row] = unknown;
    this.#others.delete(row);
  }

  /** The value from which the workers count on. */
  highest(row: number): number {
    return highestUpTo(Number.POSITIVE_INFINITY, this.get(row) ?? []);
  }

  /**
   * Sums never fall: a value below the last one is a counter that starts again at 0.
   * @param value cumulative
   * @param startOf from which value an unknown row has counted
   * @returns by how much it counted on; null: its value is the one of before
   */
  advance(
    row: number,
    { at, number: worker, startedAt, handsOver }: CounterReading,
    value: number,
    startOf: () => number,
  ): number | null {
    const values = this.get(row);
    if (values === undefined) {
      const start = startOf();
      this.set(row, [worker, value]);
      return value - start;
    }
    const place = indexOf(values, worker);
    const last = place < 0 ? undefined : values[place + 1]!;
    if (last === value) return null;
    // It may receive a value of another worker only now.
    const arriving = at.getTime() - startedAt.getTime() <= handOverMs;
    // A value below the last one: the entry expired, and a new one counts from 0.
    const own = last === undefined || value < last ? 0 : last;
    const received = handsOver && (last === undefined || arriving) ? highestUpTo(value, values) : 0;
    if (place < 0) values.push(worker, value);
    else values[place + 1] = value;
    this.set(row, values);
    return value - Math.max(own, received);
  }

  /**
   * Forgets what no new worker can start from.
   * @param living numbers of workers
   * @param first number of the first worker since HAProxy was started
   */
  keep(row: number, living: ReadonlySet<number>, first: number): void {
    const values = this.get(row);
    if (values === undefined) return;
    const left = kept(values, living, first);
    if (left.length < values.length) this.set(row, left);
  }
}

/** For `readCounters`: `<worker>:<value> …`. */
export function storedCounters(values: KeyCounters): string {
  const pairs: string[] = [];
  for (let at = 0; at < values.length; at += 2) pairs.push(`${values[at]}:${values[at + 1]}`);
  return pairs.join(' ');
}

/**
 * @param of what they count, for the error
 * @param first values of workers before it are dropped
 * @throws RangeError for a text that `storedCounters` did not make
 */
export function readCounters(of: string, stored: string, first: number): KeyCounters {
  const values: KeyCounters = [];
  for (const text of stored === '' ? [] : stored.split(' ')) {
    // A value alone, as earlier versions stored the highest one, is that of a worker before all others.
    const match = /^(?:(\d{1,9}):)?(\d{1,16})$/.exec(text);
    if (match === null) throw new RangeError(`the stored counters of ${of} cannot be read: ${JSON.stringify(stored)}`);
    const worker = Number(match[1] ?? 0);
    if (worker >= first) values.push(worker, Number(match[2]));
  }
  return values;
}

const packable = { values: 2 ** 32, workers: 2 ** 20 } as const;
/** As in a new column; below what is packed of a worker. */
const unknown = 0;
const none = 1;

/** The usual cases, one worker or none, in one number. */
function packedOf(counters: KeyCounters): number | null {
  const [worker, value] = counters;
  if (worker === undefined || value === undefined) return none;
  if (counters.length > 2 || worker >= packable.workers || value >= packable.values) return null;
  return (worker + 1) * packable.values + value;
}

function unpacked(packed: number): KeyCounters | undefined {
  if (packed === unknown) return undefined;
  if (packed === none) return [];
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
