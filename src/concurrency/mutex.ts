/** Runs one piece of work at a time, in the order of the calls. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  /** Rejects with what `work` throws; the next piece of work runs all the same. */
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
