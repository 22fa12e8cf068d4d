// Everything that the benchmark started, so that all of it is stopped: at the end, at a failure, at a signal.

export interface Stoppable {
  stop(): Promise<void>;
}

export class Started {
  readonly #running: Stoppable[] = [];
  readonly #beginning = new Set<Promise<unknown>>();
  #over = false;

  /** Throws when the benchmark is being stopped, and stops what came up too late. */
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

  /** Last started, first stopped. Returns what went wrong; the rest is stopped all the same. */
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
