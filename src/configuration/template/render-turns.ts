// How many renders there are at a time. One of an operator's template may take a core and a gigabyte of memory for
// seconds: beside others it would be refused for a limit that it keeps to when it is alone.
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';

/** One after the other, in the order in which they were asked for. */
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
      // It stays taken: nobody comes in between.
      if (next === undefined) this.#taken = false;
      else next.resolve();
    }
  }

  /** Those that wait are let go of; the one that has begun ends by itself. */
  stop(): void {
    this.#stopped = true;
    for (const turn of this.#waiting.splice(0)) turn.reject(shuttingDown());
  }
}

/**
 * For work that gives everybody the same: those who ask while it is under way share the one that follows, so that
 * nothing that is given is older than the question, and no more than one waits.
 */
export function shared<T>(work: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  const following = async (): Promise<T> => {
    // Whether that one failed is its own callers' matter.
    await Promise.allSettled([underWay]);
    next = null;
    const running = work();
    underWay = running;
    return await running;
  };
  return () => {
    next ??= following();
    return next;
  };
}

function shuttingDown(): ServiceError {
  return new ServiceError(codes.ShuttingDown, 'render configuration', 'the service is shutting down', {
    retryAfterSeconds: 5,
  });
}
