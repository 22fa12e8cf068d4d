// Runs one render at a time: rendering an operator's template may take a core and a gigabyte of memory for seconds, so
// several at once could exceed limits that a single one keeps.
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';

/** First come, first served. */
export class RenderTurns {
  readonly #waiting: PromiseWithResolvers<void>[] = [];
  #taken = false;
  #stopped = false;

  /** @throws ServiceError 6012 if the service stops before the render begins; otherwise what `work` throws */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#stopped) throw shuttingDown();
    if (this.#taken) {
      const turn = Promise.withResolvers<void>();
      this.#waiting.push(turn);
      await turn.promise;
    }
    this.#taken = true;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // Stays taken for the next in the queue, so that no other work comes in between.
      if (next === undefined) this.#taken = false;
      else next.resolve();
    }
  }

  /** Rejects the waiting renders; the running one ends by itself. */
  stop(): void {
    this.#stopped = true;
    for (const turn of this.#waiting.splice(0)) turn.reject(shuttingDown());
  }
}

function shuttingDown(): ServiceError {
  return new ServiceError(codes.ShuttingDown, 'render configuration', 'the service is shutting down', {
    retryAfterSeconds: 5,
  });
}
