import type { IncomingHttpHeaders } from 'node:http';
import { networkInterfaces } from 'node:os';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { getSession, type Session, signIn, signOut } from '../api/keys.ts';
import { covers, type IpEntry, parseIp } from '../domain/ip.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import { bearerOf } from './authentication.ts';
import { handle } from './handle.ts';
import type { Services } from './services.ts';

// Behind a tunnel or proxy all clients have one address: trusting it would exempt all of them from blocking.

const loopback = ['127.0.0.0/8', '::1'].map(entryOf);
const relayed = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'] as const;

/**
 * Null for loopback, an address of this machine, and a request that a proxy forwarded. NAT cannot be detected.
 * @param own addresses of this machine
 */
export function trustableAddress(
  client: IpEntry,
  headers: IncomingHttpHeaders,
  own: readonly string[] = ownAddresses(),
): string | null {
  if (relayed.some((name) => headers[name] !== undefined)) return null;
  const machine = own.map((text) => parseIp(text)).flatMap((parsed) => (parsed.ok ? [parsed.entry] : []));
  return [...loopback, ...machine].some((entry) => covers(entry, client)) ? null : client.text;
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address));
}

function entryOf(text: string): IpEntry {
  const parsed = parseIp(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.why}`);
  return parsed.entry;
}

export function sessionRoutes(app: FastifyInstance, { keys, sessions }: Services): void {
  handle(app, getSession, ({ request }) => recordOf(request));

  handle(app, signIn, async ({ request, caller, answerWith }) => {
    // Otherwise sessions could be extended without end.
    if (request.sessionEndsAt !== null) {
      const detail = 'a session token cannot start another session; send an API key';
      throw new ServiceError(codes.Forbidden, 'sign in', detail);
    }
    const { token, endsAt } = await sessions.start(caller);
    answerWith(201);
    return { ...(await recordOf(request)), session_ends_at: endsAt, token };
  });

  handle(app, signOut, async ({ request, caller }) => {
    const token = bearerOf(request);
    if (request.sessionEndsAt === null || token === null) {
      const detail = 'the request has an API key, not a session token; to disable a key, revoke it';
      throw new ServiceError(codes.NotFound, 'sign out', detail);
    }
    await sessions.end(token, caller);
    return { name: request.keyName };
  });

  async function recordOf(request: FastifyRequest): Promise<Session> {
    // The key of the settings is not in the list and never expires.
    const record = (await keys.list()).find(({ name, revoked_at }) => name === request.keyName && revoked_at === null);
    const ip = parseIp(request.socket.remoteAddress ?? '');
    return {
      name: request.keyName,
      scopes: request.keyScopes ?? [],
      source: request.keySource,
      expires_at: record?.expires_at ?? null,
      client_address: ip.ok ? ip.entry.text : null,
      trustable_address: ip.ok ? trustableAddress(ip.entry, request.headers) : null,
      session_ends_at: request.sessionEndsAt,
    };
  }
}
