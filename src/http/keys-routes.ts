import type { FastifyInstance } from 'fastify';
import { bindKey, createKey, listKeys, revokeKey } from '../api/keys.ts';
import { parseFutureTime } from '../domain/rfc3339.ts';
import { handle } from './handle.ts';
import { validTime } from './request-values.ts';
import type { Services } from './services.ts';

export function keysRoutes(app: FastifyInstance, { keys }: Services, now: () => Date): void {
  handle(app, listKeys, async () => ({ items: await keys.list() }));
  handle(app, createKey, async ({ body, caller, answerWith }) => {
    const { name, scopes, source, expires_at: at } = body;
    const expiresAt = typeof at === 'string' ? validTime('expires_at', parseFutureTime(at, now())) : undefined;
    const created = await keys.create({ name, scopes, expiresAt, source }, caller);
    answerWith(201);
    return created;
  });
  handle(app, bindKey, ({ params, body, caller }) => keys.bind(params.name, body.source, caller));
  handle(app, revokeKey, ({ params, caller }) => keys.revoke(params.name, caller));
}
