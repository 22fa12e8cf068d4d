// What the key of a request is: the panel offers only what it may do.
import { parseIp } from '../domain/ip.ts';
import type { TypedApp } from './app.ts';
import { SessionSchema } from './schemas/keys.ts';
import type { Services } from './services.ts';

export function sessionRoutes(app: TypedApp, { keys }: Services): void {
  app.get('/api/session', { schema: { response: { 200: SessionSchema } } }, async (request) => {
    // A key of the settings is in no list, and never ends.
    const record = (await keys.list()).find(({ name, revoked_at }) => name === request.keyName && revoked_at === null);
    const ip = parseIp(request.socket.remoteAddress ?? '');
    return {
      name: request.keyName,
      scopes: request.keyScopes ?? [],
      expires_at: record?.expires_at ?? null,
      client_address: ip.ok ? ip.entry.text : null,
    };
  });
}
