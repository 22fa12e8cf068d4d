import { codes } from '../errors/catalogue.ts';
import type { TypedApp } from './app.ts';
import { refusedFields } from './refusals.ts';
import { callerOf } from './request-context.ts';
import { parseFutureTime } from './rfc3339.ts';
import { KeyBody, KeySchema, KeysSchema, keyParameter, NewKeySchema } from './schemas/keys.ts';
import type { Services } from './services.ts';

export function keysRoutes(app: TypedApp, { keys }: Services, now: () => Date): void {
  app.get('/api/keys', { schema: { response: { 200: KeysSchema } } }, async () => ({ items: await keys.list() }));

  app.post('/api/keys', { schema: { body: KeyBody, response: { 201: NewKeySchema } } }, async (request, reply) => {
    const { name, scopes, expires_at: expires } = request.body;
    const created = await keys.create({ name, scopes, expiresAt: readExpiry(expires) }, callerOf(request));
    return reply.code(201).send(created);
  });

  app.delete('/api/keys/:name', { schema: { params: keyParameter, response: { 200: KeySchema } } }, async (request) =>
    keys.revoke(request.params.name, callerOf(request)),
  );

  function readExpiry(text: string | null | undefined): Date | undefined {
    if (text === undefined || text === null) return undefined;
    const time = parseFutureTime(text, now());
    if (!time.ok) throw refusedFields([{ name: 'expires_at', description: time.why }], codes.InvalidTime);
    return time.value;
  }
}
