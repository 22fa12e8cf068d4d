// A client that stalls would occupy a request and its memory for minutes.
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';

const MIN_BYTES_PER_SECOND = 1024;

/** Measures only the time in which the reader waits for the client. */
export class BodyPace {
  readonly #windowMs: number;
  #bytes = 0;
  #waitedMs = 0;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** Errors: 408 if less than 1 KiB per second arrived in a window; `pieces.next()` is still pending then. */
  next(pieces: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
    return new Promise((resolve, reject) => {
      let begun = performance.now();
      let timer: NodeJS.Timeout | null = null;
      const watch = (): void => {
        // `setImmediate`: if the event loop was blocked, data that arrived meanwhile is read first.
        timer = setTimeout(() => setImmediate(check), this.#windowMs - this.#waitedMs);
      };
      const check = (): void => {
        if (timer === null) return;
        if (this.#isTooSlow()) {
          timer = null;
          reject(this.#tooSlow());
          return;
        }
        this.#bytes = 0;
        this.#waitedMs = 0;
        begun = performance.now();
        watch();
      };
      const settle = (): void => {
        if (timer !== null) clearTimeout(timer);
        timer = null;
        this.#waitedMs = Math.min(this.#windowMs, this.#waitedMs + performance.now() - begun);
      };
      watch();
      pieces.next().then(
        (piece) => {
          settle();
          if (piece.done !== true) this.#bytes += piece.value.length;
          resolve(piece);
        },
        (error) => {
          settle();
          reject(error);
        },
      );
    });
  }

  #isTooSlow(): boolean {
    return this.#bytes * 1000 < MIN_BYTES_PER_SECOND * this.#windowMs;
  }

  #tooSlow(): ServiceError {
    const detail = `the body arrives too slowly: ${this.#bytes} bytes in ${this.#windowMs / 1000} s, at least ${MIN_BYTES_PER_SECOND} bytes per second are required; nothing was changed`;
    return new ServiceError(codes.RequestTimeout, 'read request', detail);
  }
}
