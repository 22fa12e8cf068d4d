import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Connections } from './connections.ts';
import { refuseConnection, refuseTunnel } from './error-replies.ts';
import { busy, hostMissing } from './rejections.ts';
import { RequestLimit } from './request-limit.ts';
import { admitTls, asTlsServer } from './tls-connections.ts';

export interface Limits {
  readonly connections: number;
  /** Simultaneous requests with a valid key. */
  readonly requests: number;
}

/** Call before the hooks that authenticate, and the returned function after them. */
export function addBounds(
  app: FastifyInstance,
  limits: Pick<Limits, 'connections'> & Partial<Limits>,
  discardMs: number,
): () => void {
  const tls = asTlsServer(app.server);
  // Before the handshake there is no way to answer.
  const refuse = tls === null ? refuseConnection : (socket: Socket) => void socket.destroy();
  const connections = new Connections(limits.connections, refuse);
  const requests = new RequestLimit(limits.requests);
  const expectations = new Expectations();
  const done = new WeakMap<FastifyRequest, () => void>();

  if (tls === null) app.server.on('connection', (socket) => connections.admit(socket));
  else {
    const endHandshakes = admitTls(tls, connections);
    app.addHook('preClose', async () => endHandshakes());
  }
  app.server.on('connect', (_request, stream) => refuseTunnel(stream as Socket));
  expectations.watch(app.server);
  boundPipelining(app.server, connections);
  app.addHook('onRequest', (request, _reply, next) => {
    const { socket, httpVersion } = request.raw;
    if (connections.wasRefused(socket)) next(busy('all connections are in use; retry shortly'));
    else if (httpVersion === '1.1' && request.headers.host === undefined) next(hostMissing());
    else next();
  });
  app.addHook('onSend', (request, reply, payload, next) => {
    done.get(request)?.();
    // Its body may still arrive, and would be read as the next request.
    if (expectations.waits(request.raw)) reply.header('connection', 'close');
    else closeAfterBody(request.raw);
    next(null, payload);
  });
  app.addHook('onResponse', (request, _reply, next) => {
    discardBody(request.raw, discardMs);
    next();
  });

  return () =>
    app.addHook('onRequest', (request, reply, next) => {
      if (request.routeOptions.config?.open === true) return next();
      try {
        connections.authenticated(request.raw.socket, request.keyName);
        done.set(request, requests.begin(request.keyName));
      } catch (error) {
        return next(error as Error);
      }
      expectations.sendContinue(request.raw, reply.raw);
      next();
    });
}

/** Clients that pipeline send about ten. */
const MAX_PIPELINED = 32;

/**
 * Node emits all requests of one read, about 1,600 in 64 KiB, before the first is answered: ten such connections
 * blocked all others for 15 s and used 50 MB each.
 */
function boundPipelining(server: Server, connections: Connections): void {
  const handlers = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    // Requests of the same read are emitted although their connection has ended.
    if (socket.destroyed) return;
    if (connections.inProgress(socket) >= MAX_PIPELINED) {
      socket.destroy();
      return;
    }
    response.once('close', connections.begin(socket));
    for (const handler of handlers) handler(request, response);
  });
}

/** Node would answer 100 at once; here a rejected client never sends its body. */
class Expectations {
  readonly #waiting = new WeakSet<IncomingMessage>();

  watch(server: Server): void {
    server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      this.#waiting.add(request);
      server.emit('request', request, response);
    });
    // Others may be ignored (RFC 9110, 10.1.1); Node's own 417 is not a problem document.
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
      server.emit('request', request, response);
    });
  }

  sendContinue(request: IncomingMessage, response: ServerResponse): void {
    if (this.#waiting.delete(request)) response.writeContinue();
  }

  /** The client waits for its 100: the next bytes may be its body or the next request. */
  waits(request: IncomingMessage): boolean {
    return this.#waiting.has(request);
  }
}

/** Discards the rest of a body after an early response: some clients read only after they have written. */
function discardBody(message: IncomingMessage, ms: number): void {
  // `inject` sets no `complete`.
  if (message.complete !== false || message.destroyed) return;
  const { socket } = message;
  message.resume();
  const timer = setTimeout(() => socket.destroy(), ms);
  timer.unref();
  message.once('end', () => clearTimeout(timer));
  message.once('close', () => clearTimeout(timer));
}

/**
 * Node closes a connection without keep-alive as soon as the response is written: a client still sending would get a
 * reset. This closes only the sending side until the body is complete, or `discardBody` cuts the connection.
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
