// Batches are in memory as a whole from their first byte until they are answered. Together they may hold this much.
import { busy } from './refusals.ts';

/** Three of the largest: 100,000 elements, or 16 MiB. */
const ROOM_BYTES = 150 * 1024 * 1024;
/** What an element costs beside its text (measured: 380 bytes for a plain address). */
const ELEMENT_BYTES = 400;

export class BatchRoom {
  readonly #bytes: number;
  #taken = 0;

  constructor(bytes: number = ROOM_BYTES) {
    this.#bytes = bytes;
  }

  get taken(): number {
    return this.#taken;
  }

  share(): BatchShare {
    let own = 0;
    return {
      take: (elements, bytes) => {
        // A text is held twice while it is read: as bytes and as characters.
        const more = elements * ELEMENT_BYTES + bytes * 2;
        if (this.#taken + more > this.#bytes)
          throw busy('too many large batches are under way already; try again shortly');
        own += more;
        this.#taken += more;
      },
      release: () => {
        this.#taken -= own;
        own = 0;
      },
    };
  }
}

/** One batch's part of the room. */
export interface BatchShare {
  /** Errors: 503 when the others leave too little. */
  take(elements: number, bytes: number): void;
  /** Gives all of it back. */
  release(): void;
}
