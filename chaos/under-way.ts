// Blocks and unblocks that are not answered yet.

export class UnderWay {
  readonly #calls = new Set<Promise<unknown>>();

  /** Passes the call on. */
  async track<T>(call: Promise<T>): Promise<T> {
    this.#calls.add(call);
    try {
      return await call;
    } finally {
      this.#calls.delete(call);
    }
  }

  /** Resolves when everything that is under way now was answered, or failed. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#calls]);
  }
}
