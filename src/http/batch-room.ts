// Batches are in memory as a whole from their first byte until they are answered. Together they may hold this much.
import { busy } from './refusals.ts';

/** Three of the largest: 100,000 elements, or 16 MiB. */
const ROOM_BYTES = 150 * 1024 * 1024;
/** What an element costs beside its text (measured: 380 bytes for a plain address). */
const ELEMENT_BYTES = 400;

/** Of the room, how much one key may hold: one of the largest finds room in it, and as much is left for the others. */
const SHARE_OF_ONE_KEY = 1 / 2;

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

  /** @param key whose batch it is */
  share(key: string): BatchShare {
    let own = 0;
    return {
      take: (elements, bytes) => {
        // A text is held twice while it is read: as bytes and as characters.
        const more = elements * ELEMENT_BYTES + bytes * 2;
        if ((this.#ofKeys.get(key) ?? 0) + more > this.#bytes * SHARE_OF_ONE_KEY)
          throw busy(`too many large batches of the key ${key} are under way already; try again shortly`);
        if (this.#taken + more > this.#bytes)
          throw busy('too many large batches are under way already; try again shortly');
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

/** One batch's part of the room. */
export interface BatchShare {
  /** Errors: 503 when the others, or those of the same key, leave too little. */
  take(elements: number, bytes: number): void;
  /** Gives all of it back. */
  release(): void;
}
