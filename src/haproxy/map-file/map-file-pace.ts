import { setImmediate } from 'node:timers/promises';

/** Milliseconds of work after which other work gets its turn: well under the 20 ms that the service allows itself. */
const SLICE_MS = 5;

/** Cuts long CPU work into slices: `if (pace.due()) await pace.rest()`. */
export class Pace {
  #began = performance.now();

  due(): boolean {
    return performance.now() - this.#began > SLICE_MS;
  }

  async rest(): Promise<void> {
    await setImmediate();
    this.#began = performance.now();
  }
}
