import { enlarged } from './enlarged.ts';

/** Counters of the last 24 hours for many rows, in one array: 48 bytes a row. */
export class HourTable {
  #hits: Uint16Array;
  /** By place in the array: what the few large ones have above `most`. */
  readonly #above = new Map<number, number>();
  #used = 0;
  #hour: number | null = null;

  /** @param rows for which there is room from the start */
  constructor(rows = 1_024) {
    this.#hits = new Uint16Array(hours * rows);
  }

  /** A row of zeros. */
  clear(row: number): void {
    this.#used = Math.max(this.#used, row + 1);
    while ((row + 1) * hours > this.#hits.length)
      this.#hits = new Uint16Array(enlarged(this.#hits, 2 * this.#hits.length));
    for (let at = row * hours; at < (row + 1) * hours; at += 1) this.#set(at, 0);
  }

  /** @param hour number of the hour since 1970; hours before the last 24 are ignored */
  count(row: number, hour: number, hits: number): void {
    this.advance(hour);
    if (this.#hour === null || hour <= this.#hour - hours) return;
    const at = row * hours + (hour % hours);
    this.#set(at, this.#get(at) + hits);
  }

  /** The hour that is counted in now; those that are no longer among the last 24 become 0. */
  advance(hour: number): void {
    const last = this.#hour ?? hour;
    if (hour < last) return;
    for (let next = Math.max(last + 1, hour - hours + 1); next <= hour; next += 1) {
      for (let at = next % hours; at < this.#used * hours; at += hours) this.#set(at, 0);
    }
    this.#hour = hour;
  }

  /** Hits in the last `count` hours, the current one included. */
  sum(row: number, count: number = hours): number {
    let sum = 0;
    if (count === hours) {
      for (let at = row * hours; at < (row + 1) * hours; at += 1) sum += this.#get(at);
      return sum;
    }
    for (let back = 0; back < count; back += 1) sum += this.of(row, (this.#hour ?? 0) - back);
    return sum;
  }

  of(row: number, hour: number): number {
    if (this.#hour === null || hour > this.#hour || hour <= this.#hour - hours) return 0;
    return this.#get(row * hours + (hour % hours));
  }

  /** Oldest first; the last one is the current hour. */
  values(row: number): number[] {
    const first = (this.#hour ?? 0) - hours + 1;
    return Array.from({ length: hours }, (_, index) => this.of(row, first + index));
  }

  #get(at: number): number {
    const hits = this.#hits[at]!;
    return hits < most ? hits : hits + (this.#above.get(at) ?? 0);
  }

  #set(at: number, hits: number): void {
    if (this.#hits[at] === most) this.#above.delete(at);
    if (hits > most) this.#above.set(at, hits - most);
    this.#hits[at] = Math.min(hits, most);
  }
}

const hours = 24;
const most = 0xffff;
