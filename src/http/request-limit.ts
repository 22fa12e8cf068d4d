// How much may wait for the writer at once. When it falls behind, more is refused with 503 and `Retry-After` before the
// memory grows; what waits already is answered.
import { busy } from './refusals.ts';

/** A request that waits holds some 20 kB. More than all connections: pipelined ones count too. */
const MOST_REQUESTS = 4096;

export class RequestLimit {
  readonly #most: number;
  #underWay = 0;

  constructor(most: number = MOST_REQUESTS) {
    this.#most = most;
  }

  get underWay(): number {
    return this.#underWay;
  }

  /** One more; the returned function is to be called when it is done, and may be called again. Errors: 503. */
  begin(): () => void {
    if (this.#underWay >= this.#most) {
      throw busy(`${this.#underWay} requests are under way already; try again shortly`);
    }
    this.#underWay += 1;
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#underWay -= 1;
    };
  }
}
