import { type Step, steps } from '../store/series-store.ts';

/** How many addresses were denied since the start of each step, without counting them again. */
export class ActiveAddresses {
  readonly #counts = new Map<Step, { start: number; count: number }>();

  constructor() {
    for (const { seconds } of steps) this.#counts.set(seconds, { start: 0, count: 0 });
  }

  /** @param before when it was denied before, in seconds; null: never */
  saw(at: number, before: number | null): void {
    for (const [step, counted] of this.#counts) {
      this.#advance(step, at);
      if (before === null || before < counted.start) counted.count += 1;
    }
  }

  /** An address of an earlier run. @param lastHit in seconds */
  restore(at: number, lastHit: number): void {
    for (const [step, counted] of this.#counts) {
      this.#advance(step, at);
      if (lastHit >= counted.start) counted.count += 1;
    }
  }

  /** Changes nothing: addresses of an earlier moment may still be counted. */
  of(step: Step, at: number): number {
    const { start, count } = this.#counts.get(step)!;
    return startOf(step, at) > start ? 0 : count;
  }

  #advance(step: Step, at: number): void {
    const counted = this.#counts.get(step)!;
    const start = startOf(step, at);
    if (start <= counted.start) return;
    counted.start = start;
    counted.count = 0;
  }
}

function startOf(step: Step, at: number): number {
  return at - (at % step);
}
