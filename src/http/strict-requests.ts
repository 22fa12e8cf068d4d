// Requests that Node's parser accepts, but another program could read differently.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';

/** Node drops a second one; a proxy in front may have used it. */
const ONCE = new Set(['host', 'authorization', 'content-type']);

export class StrictRequests {
  /** What follows on these connections may be the body of a request. */
  readonly #ambiguous = new WeakSet<Socket>();

  /** Errors: 400. */
  check({ rawHeaders, headers, httpVersion, socket }: IncomingMessage, response: ServerResponse): void {
    // RFC 9112, 6.1: HTTP/1.0 has no transfer codings; a proxy may have read another end.
    if (httpVersion === '1.0' && headers['transfer-encoding'] !== undefined) this.#ambiguous.add(socket);
    if (this.#ambiguous.has(socket)) {
      response.shouldKeepAlive = false;
      throw improper('HTTP/1.0 does not allow Transfer-Encoding; send Content-Length, or use HTTP/1.1');
    }
    const seen = new Set<string>();
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index]!.toLowerCase();
      if (!ONCE.has(name)) continue;
      if (seen.has(name)) throw improper(`the header ${name} appears twice; send it once`);
      seen.add(name);
    }
  }
}

function improper(why: string): ServiceError {
  return new ServiceError(codes.InvalidParameter, 'read request', `the request is not valid HTTP: ${why}`);
}
