// When the writer falls behind, further requests get 503 with `Retry-After` before memory grows.
import { busy } from './rejections.ts';

/** A waiting request needs about 20 kB. More than connections, because of pipelining. */
const MAX_REQUESTS = 4096;

export class RequestLimit {
  readonly #limit: number;
  readonly #limitPerKey: number;
  readonly #ofKeys = new Map<string, number>();
  #inProgress = 0;

  constructor(limit: number = MAX_REQUESTS, limitPerKey: number = limit) {
    this.#limit = limit;
    this.#limitPerKey = limitPerKey;
  }

  get inProgress(): number {
    return this.#inProgress;
  }

  /** Call the returned function when the request ends; again, it has no effect. Errors: 503. */
  begin(key: string): () => void {
    const ofKey = this.#ofKeys.get(key) ?? 0;
    if (ofKey >= this.#limitPerKey)
      throw busy(`the key ${key} already has ${ofKey} such requests in progress; retry shortly`);
    if (this.#inProgress >= this.#limit) {
      throw busy(`${this.#inProgress} requests are already in progress; retry shortly`);
    }
    this.#inProgress += 1;
    this.#ofKeys.set(key, ofKey + 1);
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#inProgress -= 1;
      const left = (this.#ofKeys.get(key) ?? 1) - 1;
      if (left === 0) this.#ofKeys.delete(key);
      else this.#ofKeys.set(key, left);
    };
  }
}
