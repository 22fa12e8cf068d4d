export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  /** Rejects with what `work` throws; the next work runs all the same. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#last.then(work);
    this.#last = run.catch(() => undefined);
    return run;
  }

  /** Resolves when all work so far has ended. */
  async drained(): Promise<void> {
    await this.#last;
  }
}
