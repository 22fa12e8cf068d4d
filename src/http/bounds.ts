// What one client may take: connections, requests under way, and the time for what is left of a refused body.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Connections } from './connections.ts';
import { refuseTunnel, turnAway } from './error-replies.ts';
import { busy, hostMissing } from './refusals.ts';
import { RequestLimit } from './request-limit.ts';

export interface Limits {
  /** Connections held at once. */
  readonly connections: number;
  /** Requests with a valid key that are not answered yet. */
  readonly requests: number;
}

/**
 * To be called before the hooks that authenticate; the returned function after them.
 * @param leftOverMs how long the rest of a body is waited for when its request was answered
 */
export function addBounds(
  app: FastifyInstance,
  limits: Pick<Limits, 'connections'> & Partial<Limits>,
  leftOverMs: number,
): () => void {
  const connections = new Connections(limits.connections, turnAway);
  const requests = new RequestLimit(limits.requests);
  const expectations = new Expectations();
  const done = new WeakMap<FastifyRequest, () => void>();

  app.server.on('connection', (socket) => connections.admit(socket));
  app.server.on('connect', (_request, stream) => refuseTunnel(stream as Socket));
  expectations.watch(app.server);
  boundPipelining(app.server, connections);
  app.addHook('onRequest', (request, _reply, next) => {
    const { socket, httpVersion } = request.raw;
    if (connections.wasRefused(socket)) next(busy('every connection is in use'));
    else if (httpVersion === '1.1' && request.headers.host === undefined) next(hostMissing());
    else next();
  });
  app.addHook('onSend', (request, reply, payload, next) => {
    done.get(request)?.();
    // Its body may come now or never, and could be taken for the next request.
    if (expectations.waits(request.raw)) reply.header('connection', 'close');
    else closeAfterBody(request.raw);
    next(null, payload);
  });
  app.addHook('onResponse', (request, _reply, next) => {
    dropLeftOverBody(request.raw, leftOverMs);
    next();
  });

  return () =>
    app.addHook('onRequest', (request, reply, next) => {
      if (request.routeOptions.config?.open === true) return next();
      try {
        connections.prove(request.raw.socket, request.keyName);
        done.set(request, requests.begin(request.keyName));
      } catch (error) {
        return next(error as Error);
      }
      expectations.goOn(request.raw, reply.raw);
      next();
    });
}

/** Unanswered requests of one connection. Clients that pipeline at all send some ten. */
const MOST_PIPELINED = 32;

/** Ends a connection that asks for more than that, before anything was spent on what is too much. */
function boundPipelining(server: Server, connections: Connections): void {
  const handlers = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    // What came in the same read is handed over although its connection has ended.
    if (socket.destroyed) return;
    if (connections.underWay(socket) >= MOST_PIPELINED) {
      socket.destroy();
      return;
    }
    response.once('close', connections.begin(socket));
    for (const handler of handlers) handler(request, response);
  });
}

/**
 * `Expect: 100-continue`: a client waits before it sends a large body. Node would answer 100 at once; here the key is
 * checked first, and a rejected client never sends its body.
 */
class Expectations {
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

/** @param ms how long the rest is waited for */
function dropLeftOverBody(message: IncomingMessage, ms: number): void {
  // An injected request (tests) has no `complete`.
  if (message.complete !== false || message.destroyed) return;
  const { socket } = message;
  message.resume();
  const timer = setTimeout(() => socket.destroy(), ms);
  timer.unref();
  message.once('end', () => clearTimeout(timer));
  message.once('close', () => clearTimeout(timer));
}

/**
 * To be called before the answer is sent. Node closes a connection that is not to be kept as soon as the answer is
 * written, over a body that is still coming; the reset would reach the client in place of the answer. Closed is only our
 * side, until the body has come, the client has closed, or `dropLeftOverBody` cuts it.
 */
function closeAfterBody(message: IncomingMessage): void {
  if (message.complete !== false) return;
  const { socket } = message;
  socket.destroySoon = () => {
    if (socket.writable) socket.end();
    if (message.complete || message.destroyed) socket.destroy();
    else message.once('end', () => socket.destroy());
  };
}
