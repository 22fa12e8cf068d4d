// Stops everything that the benchmark started: at the end, a failure or a signal.

interface Stoppable {
  stop(): Promise<void>;
}

export class Started {
  readonly #running: Stoppable[] = [];
  readonly #beginning = new Set<Promise<unknown>>();
  #over = false;

  /** Throws during the stop, and stops what started too late. */
  async start<T extends Stoppable>(begin: () => Promise<T>): Promise<T> {
    if (this.#over) throw new Error('the benchmark stops');
    const beginning = begin().then((thing) => {
      this.#running.push(thing);
      return thing;
    });
    this.#beginning.add(beginning);
    try {
      const thing = await beginning;
      if (this.#over) throw new Error('the benchmark stops');
      return thing;
    } finally {
      this.#beginning.delete(beginning);
    }
  }

  async stop(thing: Stoppable): Promise<void> {
    const at = this.#running.indexOf(thing);
    if (at < 0) return;
    this.#running.splice(at, 1);
    await thing.stop();
  }

  /** In reverse order. Returns the errors. */
  async stopAll(): Promise<unknown[]> {
    this.#over = true;
    await Promise.allSettled(this.#beginning);
    const wrong: unknown[] = [];
    for (const thing of this.#running.splice(0).reverse()) {
      await thing.stop().catch((error: unknown) => wrong.push(error));
    }
    return wrong;
  }
}
