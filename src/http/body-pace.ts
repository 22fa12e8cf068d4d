// A body that comes a byte at a time holds its place, and what came of it before, for as long as a request may take.
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';

const LEAST_BYTES_A_SECOND = 1024;

/** Judges a body by the time in which its reader waited for it: what the reader itself takes is not the client's fault. */
export class BodyPace {
  readonly #windowMs: number;
  #bytes = 0;
  #waitedMs = 0;

  /** @param windowMs over how long the pace is averaged */
  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** The next piece. Errors: 408 when less than 1 KiB a second came over a window; the piece may still come then. */
  next(pieces: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
    return new Promise((resolve, reject) => {
      let begun = performance.now();
      let timer: NodeJS.Timeout | null = null;
      const watch = (): void => {
        // After a moment in which the service itself stood still, what had come meanwhile is read first.
        timer = setTimeout(() => setImmediate(judge), this.#windowMs - this.#waitedMs);
      };
      const judge = (): void => {
        if (timer === null) return;
        if (this.#isTooSlow()) {
          timer = null;
          reject(this.#refusal());
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
    return this.#bytes * 1000 < LEAST_BYTES_A_SECOND * this.#windowMs;
  }

  #refusal(): ServiceError {
    const detail = `the body comes too slowly: ${this.#bytes} bytes in ${this.#windowMs / 1000} s, and ${LEAST_BYTES_A_SECOND} a second are asked for; nothing was changed`;
    return new ServiceError(codes.RequestTimeout, 'read request', detail);
  }
}
