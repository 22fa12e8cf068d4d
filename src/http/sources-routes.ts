import type { FastifyInstance, FastifyRequest } from 'fastify';
import { getSource, keepSource, listSources, releaseSource, removeSource, setSource } from '../api/sources.ts';
import { whileWaiting } from './client-gone.ts';
import { handle } from './handle.ts';
import { RequestLimit } from './request-limit.ts';
import { isBoundKey, requireScope } from './require-scope.ts';
import type { Services } from './services.ts';

/** Each counts all claims, alternating with the others. */
const MAX_COUNTS = 8;
const MAX_COUNTS_PER_KEY = 4;

export function sourcesRoutes(app: FastifyInstance, { sources, releases }: Services): void {
  const counts = new RequestLimit(MAX_COUNTS, MAX_COUNTS_PER_KEY);

  handle(app, listSources, async (waiting) => ({
    items: [...(await whileWaiting(counts, waiting, (signal) => sources.list(signal)))],
  }));
  handle(app, getSource, (waiting) =>
    whileWaiting(counts, waiting, (signal) => releases.get(waiting.params.name, signal)),
  );
  handle(app, setSource, async ({ params, body, caller, answerWith }) => {
    const { created, answer } = await releases.put(params.name, body, caller);
    answerWith(created ? 201 : 200);
    return answer;
  });
  handle(app, removeSource, async ({ params, caller, counted }) => {
    const answer = await releases.remove(params.name, caller);
    counted({ removed: answer.removed });
    return answer;
  });
  handle(app, releaseSource, async ({ params, body, caller, request }) => {
    requireOwnSource(request, 'releasing claims');
    return await releases.release(params.name, body.after_seconds, caller);
  });
  handle(app, keepSource, async ({ params, caller, request }) => {
    requireOwnSource(request, 'keeping claims');
    return await releases.keep(params.name, caller);
  });
}

/** Which source a bound key may name is decided by the service. */
function requireOwnSource(request: FastifyRequest, what: string): void {
  if (!isBoundKey(request)) requireScope(request, 'admin', `${what}, with a key that is not bound to a source,`);
}
