/**
 * One slice at a time of all passes through a table, and a turn of the event loop after each: ten that go on at once
 * must not be ten slices in which no block is even heard of.
 */
export class SliceTurns {
  #last: Promise<void> = Promise.resolve();

  /** To be awaited between two slices of a pass. Throws the signal's reason when nobody wants the pass any more. */
  async next(signal?: AbortSignal | undefined): Promise<void> {
    const mine = this.#last.then(turn);
    this.#last = mine;
    await mine;
    signal?.throwIfAborted();
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
