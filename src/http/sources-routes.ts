import type { FastifyInstance } from 'fastify';
import { listSources } from '../api/sources.ts';
import { handle } from './handle.ts';
import type { Services } from './services.ts';

export function sourcesRoutes(app: FastifyInstance, { sources }: Services): void {
  handle(app, listSources, async () => ({ items: [...(await sources.list())] }));
}
