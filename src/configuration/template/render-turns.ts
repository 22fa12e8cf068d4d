// Limits renders to one at a time. One of an operator's template may take a core and a gigabyte of memory for seconds:
// several would exceed limits that each keeps when alone.
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';

/** First come, first served. */
export class RenderTurns {
  readonly #waiting: PromiseWithResolvers<void>[] = [];
  #taken = false;
  #stopped = false;

  /** @throws ServiceError 6012 when it had not begun by the stop; else what `work` throws */
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
