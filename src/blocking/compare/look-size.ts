// How many missing entries one turn of a repair looks up, adds and reads back. A slice that does not come to its end in
// its time has added nothing: with a fixed size a machine that is short enough of everything never gets any further,
// however often it tries; and with a small one it pays for many turns, each of which waits for somebody else's.

/** Each is looked up twice, at 0.06 to 0.09 ms. */
const most = 100;
const least = 5;

/** Learns from one slice to the next, over all repairs. */
export class LookSize {
  #size = most;

  get size(): number {
    return this.#size;
  }

  /** A whole slice of this size came to its end. */
  enough(): void {
    this.#size = Math.min(most, this.#size * 2);
  }

  /** A slice was given up at its deadline. */
  tooMany(): void {
    this.#size = Math.max(least, Math.floor(this.#size / 4));
  }
}
