import { yieldToLoop } from './pause.ts';

/** Milliseconds; well under the 20 ms that the service allows itself. */
const defaultSliceMs = 5;
const itemsPerCheck = 32;

/** Cuts long computations into slices: `if (slice.due()) await slice.rest()`. */
export class TimeSlice {
  readonly #ms: number;
  readonly #callsPerCheck: number;
  #began = performance.now();
  #calls = 0;

  constructor(ms = defaultSliceMs, callsPerCheck = 1) {
    this.#ms = ms;
    this.#callsPerCheck = callsPerCheck;
  }

  /** For a call per item that takes a few microseconds at most: the clock would cost more. */
  static ofItems(): TimeSlice {
    return new TimeSlice(defaultSliceMs, itemsPerCheck);
  }

  due(): boolean {
    this.#calls += 1;
    if (this.#calls % this.#callsPerCheck !== 0) return false;
    return performance.now() - this.#began > this.#ms;
  }

  async rest(): Promise<void> {
    await yieldToLoop();
    this.#began = performance.now();
  }
}

/** In parts of `most` items; the last one may be shorter. */
export function* partsOf<T>(all: Iterable<T>, most: number): Generator<T[]> {
  let part: T[] = [];
  for (const one of all) {
    if (part.push(one) < most) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

const sortedAtOnce = 1_000;

/** The items in order, those that are equal in the order of before. At once, 100,000 keys would take 0.2 s. */
export async function sortedInSlices<T>(items: readonly T[], compare: (a: T, b: T) => number): Promise<T[]> {
  const slice = new TimeSlice();
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += sortedAtOnce) {
    runs.push(items.slice(at, at + sortedAtOnce).sort(compare));
    if (slice.due()) await slice.rest();
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(await mergedRuns(runs[at]!, runs[at + 1] ?? [], compare, slice));
    runs = merged;
  }
  return runs[0] ?? [];
}

async function mergedRuns<T>(a: T[], b: T[], compare: (a: T, b: T) => number, slice: TimeSlice): Promise<T[]> {
  const merged: T[] = [];
  let [fromA, fromB] = [0, 0];
  while (fromA < a.length && fromB < b.length) {
    merged.push(compare(a[fromA]!, b[fromB]!) <= 0 ? a[fromA++]! : b[fromB++]!);
    if (merged.length % sortedAtOnce === 0 && slice.due()) await slice.rest();
  }
  return merged.concat(a.slice(fromA), b.slice(fromB));
}

/**
 * One slice per turn of the event loop, shared by concurrent computations: ten at once must not block it for ten
 * slices.
 */
export class SliceQueue {
  #last: Promise<void> = Promise.resolve();

  /** Await between two slices. Throws the signal's reason once it has aborted. */
  async next(signal?: AbortSignal | undefined): Promise<void> {
    const mine = this.#last.then(yieldToLoop);
    this.#last = mine;
    await mine;
    signal?.throwIfAborted();
  }
}
