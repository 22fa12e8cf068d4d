import { yieldToLoop } from './pause.ts';

/** Milliseconds; well under the 20 ms that the service allows itself. */
const defaultSliceMs = 5;

/** Cuts long computations into slices: `if (slice.due()) await slice.rest()`. */
export class TimeSlice {
  readonly #ms: number;
  #began = performance.now();

  constructor(ms = defaultSliceMs) {
    this.#ms = ms;
  }

  due(): boolean {
    return performance.now() - this.#began > this.#ms;
  }

  async rest(): Promise<void> {
    await yieldToLoop();
    this.#began = performance.now();
  }
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
