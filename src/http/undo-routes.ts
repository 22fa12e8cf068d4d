import type { FastifyInstance } from 'fastify';
import { undoOperation } from '../api/undo.ts';
import { handle } from './handle.ts';
import type { Services } from './services.ts';

export function undoRoutes(app: FastifyInstance, { undo }: Services): void {
  handle(app, undoOperation, ({ params, query, caller }) =>
    undo.undo(Number(params.id), { dryRun: query.dry_run === true }, caller),
  );
}
