import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const TAKEN = /^[A-Za-z0-9._-]{1,64}$/;

/** The client's own id where it is harmless in a log line, else a new one. */
export function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && TAKEN.test(given) ? given : newRequestId();
}

/** 96 random bits: no two requests of a log share it. */
export function newRequestId(): string {
  return randomBytes(12).toString('base64url');
}
