// How many requests of one kind may be under way at once. When the writer falls behind, more is refused with 503 and `Retry-After` before the
// memory grows; what waits already is answered.
import { busy } from './refusals.ts';

/** A request that waits holds some 20 kB. More than all connections: pipelined ones count too. */
const MOST_REQUESTS = 4096;

export class RequestLimit {
  readonly #most: number;
  readonly #mostOfOne: number;
  readonly #ofKeys = new Map<string, number>();
  #underWay = 0;

  /** @param mostOfOne how many of them one key may have */
  constructor(most: number = MOST_REQUESTS, mostOfOne: number = most) {
    this.#most = most;
    this.#mostOfOne = mostOfOne;
  }

  get underWay(): number {
    return this.#underWay;
  }

  /** One more; the returned function is to be called when it is done, and may be called again. Errors: 503. */
  begin(key: string): () => void {
    const ofKey = this.#ofKeys.get(key) ?? 0;
    if (ofKey >= this.#mostOfOne) throw busy(`${ofKey} such requests of the key ${key} are under way already`);
    if (this.#underWay >= this.#most) {
      throw busy(`${this.#underWay} requests are under way already; try again shortly`);
    }
    this.#underWay += 1;
    this.#ofKeys.set(key, ofKey + 1);
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#underWay -= 1;
      const left = (this.#ofKeys.get(key) ?? 1) - 1;
      if (left === 0) this.#ofKeys.delete(key);
      else this.#ofKeys.set(key, left);
    };
  }
}
