import type { FastifyInstance } from 'fastify';
import { createKey, listKeys, revokeKey } from '../api/keys.ts';
import { codes } from '../errors/catalogue.ts';
import { handle } from './handle.ts';
import { refusedFields } from './refusals.ts';
import { parseFutureTime } from './rfc3339.ts';
import type { Services } from './services.ts';

export function keysRoutes(app: FastifyInstance, { keys }: Services, now: () => Date): void {
  handle(app, listKeys, async () => ({ items: await keys.list() }));
  handle(app, createKey, async ({ body, caller, answerWith }) => {
    const { name, scopes, expires_at: expires } = body;
    const created = await keys.create({ name, scopes, expiresAt: readExpiry(expires) }, caller);
    answerWith(201);
    return created;
  });
  handle(app, revokeKey, ({ params, caller }) => keys.revoke(params.name, caller));

  function readExpiry(text: string | null | undefined): Date | undefined {
    if (text === undefined || text === null) return undefined;
    const time = parseFutureTime(text, now());
    if (!time.ok) throw refusedFields([{ name: 'expires_at', description: time.why }], codes.InvalidTime);
    return time.value;
  }
}
