// Blocks and unblocks without an answer yet.

export class UnderWay {
  readonly #calls = new Set<Promise<unknown>>();

  async track<T>(call: Promise<T>): Promise<T> {
    this.#calls.add(call);
    try {
      return await call;
    } finally {
      this.#calls.delete(call);
    }
  }

  /** Resolves when everything under way now was answered, or failed. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#calls]);
  }
}
