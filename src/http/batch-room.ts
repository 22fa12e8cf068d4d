// A batch is in memory from its first byte to its response.
import { busy } from './rejections.ts';

/** Three batches of the maximum size: 100,000 elements, or 16 MiB. */
const ROOM_BYTES = 150 * 1024 * 1024;
/** Of one element without its text (measured: 380 bytes for a plain address). */
const ELEMENT_BYTES = 400;

/** One batch of the maximum size fits into the share of one key. */
const SHARE_PER_KEY = 1 / 2;

export class BatchRoom {
  readonly #bytes: number;
  readonly #ofKeys = new Map<string, number>();
  #taken = 0;

  constructor(bytes: number = ROOM_BYTES) {
    this.#bytes = bytes;
  }

  get taken(): number {
    return this.#taken;
  }

  share(key: string): BatchShare {
    let own = 0;
    return {
      take: (elements, bytes) => {
        // A text is in memory twice while it is read: as bytes and as characters.
        const more = elements * ELEMENT_BYTES + bytes * 2;
        if ((this.#ofKeys.get(key) ?? 0) + more > this.#bytes * SHARE_PER_KEY)
          throw busy(`the key ${key} already has too many large batches in progress; retry shortly`);
        if (this.#taken + more > this.#bytes)
          throw busy('too many large batches are already in progress; retry shortly');
        own += more;
        this.#count(key, more);
      },
      release: () => {
        this.#count(key, -own);
        own = 0;
      },
    };
  }

  #count(key: string, more: number): void {
    this.#taken += more;
    const ofKey = (this.#ofKeys.get(key) ?? 0) + more;
    if (ofKey === 0) this.#ofKeys.delete(key);
    else this.#ofKeys.set(key, ofKey);
  }
}

export interface BatchShare {
  /** Errors: 503 if the other batches, or those of the same key, leave too little. */
  take(elements: number, bytes: number): void;
  release(): void;
}
