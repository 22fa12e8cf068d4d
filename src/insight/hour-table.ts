/** Counters of the last 24 hours for many rows, in one array: 96 bytes a row. */
export class HourTable {
  #hits = new Uint32Array(hours * 1_024);
  readonly #free: number[] = [];
  #used = 0;
  #hour: number | null = null;
  readonly #expected: number;

  /** @param expected rows, at which it stops doubling */
  constructor(expected = Number.POSITIVE_INFINITY) {
    this.#expected = expected;
  }

  /** A row of zeros. */
  add(): number {
    const row = this.#free.pop() ?? this.#used++;
    if ((row + 1) * hours > this.#hits.length) {
      const rows = this.#hits.length / hours;
      const more = rows < this.#expected ? Math.min(rows * 2, this.#expected) : Math.ceil(rows * slowGrowth);
      const larger = new Uint32Array(more * hours);
      larger.set(this.#hits);
      this.#hits = larger;
    }
    this.#hits.fill(0, row * hours, (row + 1) * hours);
    return row;
  }

  remove(row: number): void {
    this.#free.push(row);
  }

  /** @param hour number of the hour since 1970; hours before the last 24 are ignored */
  count(row: number, hour: number, hits: number): void {
    this.advance(hour);
    if (this.#hour === null || hour <= this.#hour - hours) return;
    const at = row * hours + (hour % hours);
    this.#hits[at] = Math.min(this.#hits[at]! + hits, 0xffff_ffff);
  }

  /** The hour that is counted in now; those that are no longer among the last 24 become 0. */
  advance(hour: number): void {
    const last = this.#hour ?? hour;
    if (hour < last) return;
    for (let next = Math.max(last + 1, hour - hours + 1); next <= hour; next += 1) {
      for (let at = next % hours; at < this.#used * hours; at += hours) this.#hits[at] = 0;
    }
    this.#hour = hour;
  }

  /** Hits in the last `count` hours, the current one included. */
  sum(row: number, count: number = hours): number {
    let sum = 0;
    if (count === hours) {
      for (let at = row * hours; at < (row + 1) * hours; at += 1) sum += this.#hits[at]!;
      return sum;
    }
    for (let back = 0; back < count; back += 1) sum += this.of(row, (this.#hour ?? 0) - back);
    return sum;
  }

  of(row: number, hour: number): number {
    if (this.#hour === null || hour > this.#hour || hour <= this.#hour - hours) return 0;
    return this.#hits[row * hours + (hour % hours)]!;
  }

  /** Oldest first; the last one is the current hour. */
  values(row: number): number[] {
    const first = (this.#hour ?? 0) - hours + 1;
    return Array.from({ length: hours }, (_, index) => this.of(row, first + index));
  }
}

const hours = 24;
const slowGrowth = 1.125;
