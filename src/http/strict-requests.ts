// What Node's parser lets through although two readers could take it for two different requests.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';

/** Of these a second one is dropped in silence; whoever stands before us may have read that one. */
const ONCE = new Set(['host', 'authorization', 'content-type']);

export class StrictRequests {
  /** Connections of which it is not sure where a request ended: what follows on them may be its body. */
  readonly #unsure = new WeakSet<Socket>();

  /** @throws ServiceError 400 */
  check({ rawHeaders, headers, httpVersion, socket }: IncomingMessage, response: ServerResponse): void {
    // RFC 9112, 6.1: HTTP/1.0 has no transfer codings, and whoever stands before us may have read another end.
    if (httpVersion === '1.0' && headers['transfer-encoding'] !== undefined) this.#unsure.add(socket);
    if (this.#unsure.has(socket)) {
      response.shouldKeepAlive = false;
      throw improper('HTTP/1.0 has no Transfer-Encoding; send a Content-Length, or HTTP/1.1');
    }
    const seen = new Set<string>();
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index]!.toLowerCase();
      if (!ONCE.has(name)) continue;
      if (seen.has(name)) throw improper(`it has the header ${name} twice`);
      seen.add(name);
    }
  }
}

function improper(why: string): ServiceError {
  return new ServiceError(codes.InvalidParameter, 'read request', `this is not a proper HTTP request: ${why}`);
}
