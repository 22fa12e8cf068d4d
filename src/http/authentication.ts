import type { FastifyRequest } from 'fastify';
import type { SessionHolder } from '../keys/sessions.ts';
import type { FailureLimiter } from './failure-limiter.ts';
import { tooManyFailedKeys, unauthorized } from './rejections.ts';
import type { Services } from './services.ts';

/** Longer texts are not hashed. */
const MAX_KEY_LENGTH = 512;
const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;
const SESSION_TOKEN = /^pms_[A-Za-z0-9_-]{43}$/;

/**
 * An authenticated request is completed even if its key is revoked meanwhile. Errors: 401 for a missing or wrong key,
 * 429 after too many wrong keys from one address.
 */
export async function authenticate(
  request: FastifyRequest,
  services: Pick<Services, 'keys' | 'sessions'>,
  limiter: FailureLimiter,
): Promise<SessionHolder> {
  const key = bearerOf(request);
  // A missing key is not a guess.
  if (key === null) throw unauthorized();
  const known = await holderOf(key, services);
  if (known !== null) return known;
  // All tabs of a panel send an ended session at once.
  if (SESSION_TOKEN.test(key)) throw unauthorized();
  // A unix socket has no address; its clients share one count.
  const retryAfterSeconds = limiter.fail(request.socket.remoteAddress ?? 'unix');
  throw retryAfterSeconds === null ? unauthorized() : tooManyFailedKeys(retryAfterSeconds);
}

export async function holderOf(
  bearer: string,
  { keys, sessions }: Pick<Services, 'keys' | 'sessions'>,
): Promise<SessionHolder | null> {
  if (bearer.length > MAX_KEY_LENGTH) return null;
  const session = SESSION_TOKEN.test(bearer) ? await sessions.authenticate(bearer) : null;
  if (session !== null) return session;
  const key = await keys.authenticate(bearer);
  return key === null ? null : { ...key, sessionEndsAt: null };
}

export function bearerOf(request: FastifyRequest): string | null {
  return BEARER.exec(request.headers.authorization ?? '')?.[1] ?? null;
}
