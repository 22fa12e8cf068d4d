import { finished } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { eventIdForm, streamEvents } from '../api/events.ts';
import { grants } from '../domain/scope.ts';
import { bearerOf, holderOf } from './authentication.ts';
import { EventStream, type StreamPace } from './event-stream.ts';
import { handle } from './handle.ts';
import { rejectedFields } from './rejections.ts';
import { RequestLimit } from './request-limit.ts';
import type { EventsService, Services } from './services.ts';

const MAX_STREAMS = 256;
const MAX_STREAMS_PER_KEY = 64;
/** Of all connections. */
const SHARE_OF_STREAMS = 1 / 4;
/** Time for clients to read the last events when the service stops. */
const LAST_EVENTS_MS = 1_000;

/** Routes whose DELETE ends keys or sessions. */
const endsStreams: ReadonlySet<string> = new Set(['/api/keys/:name', '/api/session']);

export function eventsRoutes(
  app: FastifyInstance,
  { events, keys, sessions }: Services,
  options: { readonly pace: StreamPace; readonly connections: number },
): void {
  const maxStreams = Math.max(2, Math.min(MAX_STREAMS, Math.floor(options.connections * SHARE_OF_STREAMS)));
  const limit = new RequestLimit(maxStreams, Math.min(MAX_STREAMS_PER_KEY, Math.ceil(maxStreams / 2)));
  const open = new Set<EventStream>();

  handle(app, streamEvents, async ({ query, request, reply }) => {
    const types = readTypes(query.types);
    const from = readLastId(request.headers['last-event-id'] ?? query.last_event_id);
    const done = limit.begin(request.keyName);
    // `finished` also calls back for a client that has already disconnected.
    finished(reply.raw, done);
    reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no');
    if (request.method === 'HEAD') return reply.send('');
    return reply.send(streamFor(request, reply, types, from));
  });

  // Streams whose key or session ends by this request end at once; others at the next key check.
  app.addHook('onSend', (request, _reply, payload, next) => {
    if (request.method === 'DELETE' && endsStreams.has(String(request.routeOptions.url)))
      for (const stream of open) stream.checkKey();
    next(null, payload);
  });

  app.addHook('preClose', async () => {
    events.stopping();
    setTimeout(() => {
      for (const stream of open) stream.destroy();
    }, LAST_EVENTS_MS).unref();
  });

  function streamFor(
    request: FastifyRequest,
    reply: FastifyReply,
    types: ReadonlySet<string> | null,
    from: string | null,
  ): EventStream {
    const view = { types, admin: grants(request.keyScopes ?? [], 'admin') };
    const key = bearerOf(request);
    const keyHolds = async () => key !== null && (await holderOf(key, { keys, sessions })) !== null;
    const stream = new EventStream({ events, view, from, pace: options.pace, keyHolds });
    open.add(stream);
    stream.once('close', () => open.delete(stream));
    finished(reply.raw, () => stream.destroy());
    return stream;
  }

  function readTypes(text: string | undefined): ReadonlySet<string> | null {
    if (text === undefined) return null;
    const types = text.split(',');
    if (!hasUnknownType(types, events)) return new Set(types);
    throw rejectedFields([
      { name: 'types', description: `must be a comma-separated list of ${events.types().join(', ')}` },
    ]);
  }
}

/** Validated like the parameter. */
function readLastId(text: string | string[] | undefined): string | null {
  if (text === undefined || text === '') return null;
  if (typeof text === 'string' && eventIdForm.test(text)) return text;
  throw rejectedFields([
    { name: 'Last-Event-ID', description: 'must be the id of an event, exactly as it was received' },
  ]);
}

export function hasUnknownType(types: readonly string[], events: Pick<EventsService, 'types'>): boolean {
  const known = new Set(events.types());
  return types.some((type) => !known.has(type));
}
