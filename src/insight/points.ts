// Figures over time that are not stored yet, in every step that is kept.
import { type Metric, type Point, type Step, steps } from '../store/series-store.ts';

/** How long failed writes are kept; what is older is a gap. */
const keepSeconds = 600;
/** A difference over a longer time is spread over the end of it. */
const spreadSeconds = 86_400;

export class Points {
  readonly #values = new Map<string, { -readonly [Name in keyof Point]: Point[Name] }>();

  get size(): number {
    return this.#values.size;
  }

  /** Adds to a sum. @param label its number; 0: all  @param at in seconds */
  add(metric: Metric, label: number, at: number, value: number): void {
    this.#put(metric, label, at, value, (old) => old + value);
  }

  /** Adds a sum that was counted from `from` to `to`, as an average of each minute in between. */
  spread(
    metric: Metric,
    label: number,
    { from, to }: { readonly from: number; readonly to: number },
    value: number,
  ): void {
    const begin = Math.max(from, to - spreadSeconds);
    if (to - begin <= steps[0].seconds) {
      this.add(metric, label, to, value);
      return;
    }
    for (let at = begin; at < to; ) {
      const end = Math.min(to, at - (at % 60) + 60);
      this.add(metric, label, at, (value * (end - at)) / (to - begin));
      at = end;
    }
  }

  /** Each step keeps the highest. @param value by step */
  most(metric: Metric, at: number, value: (step: Step) => number): void {
    for (const { seconds } of steps) {
      const highest = value(seconds);
      this.#putStep(metric, 0, seconds, at, highest, (old) => Math.max(old, highest));
    }
  }

  /** Each step keeps the last. */
  last(metric: Metric, at: number, value: number): void {
    this.#put(metric, 0, at, value, () => value);
  }

  /** Everything; it counts as stored, unless it is given back. */
  take(): readonly Point[] {
    const points = [...this.#values.values()];
    this.#values.clear();
    return points;
  }

  /** Could not be stored. @returns the time of those that are too old to be kept, in seconds; null: none */
  giveBack(points: readonly Point[], now: number): { readonly from: number; readonly to: number } | null {
    const dropped = { from: Number.POSITIVE_INFINITY, to: 0 };
    for (const { metric, label, step, at, value } of points) {
      const tooOld = at + step < now - keepSeconds;
      if (tooOld) {
        dropped.from = Math.min(dropped.from, at);
        dropped.to = Math.max(dropped.to, at + step);
      }
      const merge = { addresses: Math.max, entries: (_: number, newer: number) => newer } as const;
      const join = metric === 'addresses' || metric === 'entries' ? merge[metric] : (a: number, b: number) => a + b;
      if (!tooOld) this.#putStep(metric, label, step, at, value, (newer) => join(value, newer));
    }
    return dropped.to > 0 ? dropped : null;
  }

  #put(metric: Metric, label: number, at: number, value: number, change: (old: number) => number): void {
    for (const { seconds } of steps) this.#putStep(metric, label, seconds, at, value, change);
  }

  #putStep(
    metric: Metric,
    label: number,
    step: Step,
    at: number,
    value: number,
    change: (old: number) => number,
  ): void {
    const start = Math.floor(at) - (Math.floor(at) % step);
    const key = `${metric} ${label} ${step} ${start}`;
    const known = this.#values.get(key);
    if (known === undefined) this.#values.set(key, { metric, label, step, at: start, value });
    else known.value = change(known.value);
  }
}
