// `Expect: 100-continue`: a client asks before it sends a large body. Node would answer "go on" at once; here the key is
// judged first, and a refused client never sends it.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

export class Expectations {
  readonly #asking = new WeakSet<IncomingMessage>();

  watch(server: Server): void {
    server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      this.#asking.add(request);
      server.emit('request', request, response);
    });
    // Any other expectation may be ignored (RFC 9110, 10.1.1); Node's own 417 would be no problem document.
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
      server.emit('request', request, response);
    });
  }

  /** The request may send its body. */
  goOn(request: IncomingMessage, response: ServerResponse): void {
    if (this.#asking.delete(request)) response.writeContinue();
  }

  /** Whether the client still waits for its "go on": what comes next on the connection could be its body or not. */
  waits(request: IncomingMessage): boolean {
    return this.#asking.has(request);
  }
}
