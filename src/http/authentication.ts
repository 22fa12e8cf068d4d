// `Authorization: Bearer <key>` (specification, Authentication).
import type { FastifyRequest } from 'fastify';
import type { Scope } from '../domain/scope.ts';
import type { FailureLimiter } from './failure-limiter.ts';
import { tooManyFailedKeys, unauthorized } from './refusals.ts';
import type { KeysService } from './services.ts';

export interface KeyOfRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
}

/** Much longer than any key; nothing longer is hashed. */
const LONGEST_KEY = 512;
const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;

/**
 * The request's key: its name and what it may do, judged now; a request that was let in is finished, whatever happens
 * to its key meanwhile. Errors: 401 for a missing and for a wrong one, 429 after too many wrong ones from the
 * same address.
 */
export async function authenticate(
  request: FastifyRequest,
  keys: KeysService,
  limiter: FailureLimiter,
): Promise<KeyOfRequest> {
  const key = bearerOf(request);
  // No key is no guess at one; it is not counted.
  if (key === null) throw unauthorized();
  const known = key.length <= LONGEST_KEY ? await keys.authenticate(key) : null;
  if (known !== null) return known;
  // Over a unix socket there is no address; its users share one count.
  const retryAfterSeconds = limiter.fail(request.socket.remoteAddress ?? 'unix');
  throw retryAfterSeconds === null ? unauthorized() : tooManyFailedKeys(retryAfterSeconds);
}

/** The key as it was sent; null: none. */
export function bearerOf(request: FastifyRequest): string | null {
  return BEARER.exec(request.headers.authorization ?? '')?.[1] ?? null;
}
