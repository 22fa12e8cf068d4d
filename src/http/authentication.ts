// `Authorization: Bearer <key>` (specification, Authentication), or the token of a session.
import type { FastifyRequest } from 'fastify';
import type { SessionHolder } from '../keys/sessions.ts';
import type { FailureLimiter } from './failure-limiter.ts';
import { tooManyFailedKeys, unauthorized } from './refusals.ts';
import type { Services } from './services.ts';

/** Much longer than any key; nothing longer is hashed. */
const LONGEST_KEY = 512;
const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;
const SESSION_TOKEN = /^pms_[A-Za-z0-9_-]{43}$/;

/**
 * The request's key: its name and what it may do, judged now; a request that was let in is finished, whatever happens
 * to its key meanwhile. Errors: 401 for a missing and for a wrong one, 429 after too many wrong ones from the
 * same address.
 */
export async function authenticate(
  request: FastifyRequest,
  services: Pick<Services, 'keys' | 'sessions'>,
  limiter: FailureLimiter,
): Promise<SessionHolder> {
  const key = bearerOf(request);
  // No key is no guess at one; it is not counted.
  if (key === null) throw unauthorized();
  const known = await holderOf(key, services);
  if (known !== null) return known;
  // A session that has ended is no guess either: the tabs of a panel all find out at once, and are to sign in again.
  if (SESSION_TOKEN.test(key)) throw unauthorized();
  // Over a unix socket there is no address; its users share one count.
  const retryAfterSeconds = limiter.fail(request.socket.remoteAddress ?? 'unix');
  throw retryAfterSeconds === null ? unauthorized() : tooManyFailedKeys(retryAfterSeconds);
}

/** Whose key or session token it is; null: nobody's. */
export async function holderOf(
  bearer: string,
  { keys, sessions }: Pick<Services, 'keys' | 'sessions'>,
): Promise<SessionHolder | null> {
  if (bearer.length > LONGEST_KEY) return null;
  const session = SESSION_TOKEN.test(bearer) ? await sessions.authenticate(bearer) : null;
  if (session !== null) return session;
  const key = await keys.authenticate(bearer);
  return key === null ? null : { ...key, sessionEndsAt: null };
}

/** The key as it was sent; null: none. */
export function bearerOf(request: FastifyRequest): string | null {
  return BEARER.exec(request.headers.authorization ?? '')?.[1] ?? null;
}
