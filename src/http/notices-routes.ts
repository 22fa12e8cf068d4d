import type { FastifyInstance } from 'fastify';
import { listNotices, readNotices } from '../api/notices.ts';
import { grants } from '../domain/scope.ts';
import { handle } from './handle.ts';
import type { Services } from './services.ts';

export function noticesRoutes(app: FastifyInstance, { notices }: Services): void {
  handle(app, listNotices, ({ query, caller, request }) =>
    notices.list(caller, query.limit, grants(request.keyScopes ?? [], 'admin')),
  );
  handle(app, readNotices, ({ body, caller }) => notices.read(caller, body.up_to));
}
