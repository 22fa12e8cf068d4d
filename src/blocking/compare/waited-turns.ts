// How long the turns of one piece of work waited for their beginning: what the work itself cost is the rest.
import type { Lane, TurnQueue } from '../write/turn-queue.ts';

export class WaitedTurns implements Pick<TurnQueue, 'take'> {
  readonly #turns: Pick<TurnQueue, 'take'>;
  #waitedMs = 0;

  constructor(turns: Pick<TurnQueue, 'take'>) {
    this.#turns = turns;
  }

  /** Milliseconds, of all turns that have begun. */
  get waitedMs(): number {
    return this.#waitedMs;
  }

  take<T>(lane: Lane, work: () => Promise<T>, owner: object | null = null): Promise<T> {
    const asked = performance.now();
    const counted = (): Promise<T> => {
      this.#waitedMs += performance.now() - asked;
      return work();
    };
    return this.#turns.take(lane, counted, owner);
  }
}
