import type { FastifyInstance, FastifyRequest } from 'fastify';
import { getSource, keepSource, listSources, releaseSource, removeSource, setSource } from '../api/sources.ts';
import { handle } from './handle.ts';
import { isBoundKey, requireScope } from './require-scope.ts';
import type { Services } from './services.ts';

export function sourcesRoutes(app: FastifyInstance, { sources, releases }: Services): void {
  handle(app, listSources, async () => ({ items: [...(await sources.list())] }));
  handle(app, getSource, ({ params }) => releases.get(params.name));
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
