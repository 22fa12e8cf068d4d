// When the writer falls behind, further requests get 503 with `Retry-After` before memory grows.
import { busy } from './refusals.ts';

/** A waiting request needs about 20 kB. More than connections, because of pipelining. */
const MOST_REQUESTS = 4096;

export class RequestLimit {
  readonly #most: number;
  readonly #mostOfOne: number;
  readonly #ofKeys = new Map<string, number>();
  #underWay = 0;

  /** @param mostOfOne for one key */
  constructor(most: number = MOST_REQUESTS, mostOfOne: number = most) {
    this.#most = most;
    this.#mostOfOne = mostOfOne;
  }

  get underWay(): number {
    return this.#underWay;
  }

  /** Call the returned function when the request ends; again, it has no effect. Errors: 503. */
  begin(key: string): () => void {
    const ofKey = this.#ofKeys.get(key) ?? 0;
    if (ofKey >= this.#mostOfOne)
      throw busy(`the key ${key} already has ${ofKey} such requests in progress; retry shortly`);
    if (this.#underWay >= this.#most) {
      throw busy(`${this.#underWay} requests are already in progress; retry shortly`);
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
