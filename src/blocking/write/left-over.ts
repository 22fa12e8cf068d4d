// A version that was given up stays in the worker until the next commit, and the proxy counts its entries with those of
// the live map. How many there are is learnt when the live map was seen to be whole; after that only removals lower it,
// for a delete takes the entry out of both versions (up to 3.1), where the one left behind holds it.

export class LeftOver {
  #most = 0;
  #least = 0;

  /** So many entries of the count are none of the live map's, seen this very moment. */
  learn(entries: number): void {
    this.#most = Math.max(0, entries);
    this.#least = this.#most;
  }

  /** So many entries are about to be taken out of the live map: each may be among these, or not. */
  removing(entries: number): void {
    this.#least = Math.max(0, this.#least - entries);
  }

  /**
   * Entries of the live map, when the proxy counted `counted`. Where removals leave it open which version lost how many
   * it is `expected`; the whole comparison tells.
   */
  live(counted: number, expected: number): number {
    return counted - Math.min(this.#most, Math.max(this.#least, counted - expected));
  }
}
