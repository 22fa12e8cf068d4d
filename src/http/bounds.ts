// What one client may take: connections, requests under way, and the time for what is left of a refused body.
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Connections } from './connections.ts';
import { refuseTunnel, turnAway } from './error-replies.ts';
import { Expectations } from './expectations.ts';
import { closeAfterBody, dropLeftOverBody } from './left-over-body.ts';
import { boundPipelining } from './pipelining.ts';
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
