import { quote } from '../domain/quote.ts';
import type { Scope } from '../domain/scope.ts';
import { codes } from '../errors/catalogue.ts';
import { type FieldError, ServiceError } from '../errors/service-error.ts';

const READ = 'read request';
const ROUTE = 'route request';
const AUTHENTICATE = 'authenticate request';
const AUTHORIZE = 'authorize request';
/** Characters of a name that is none of ours. */
const MAX_NAME = 23;
const USUAL_NAME = /^[A-Za-z]?(?:[a-z0-9_.-]{1,59}|[A-Z0-9_.-]{1,59})$/;

const ofServer: ReadonlySet<string> = new Set([READ, ROUTE, AUTHENTICATE, AUTHORIZE]);

/** Rejected before a service was called. */
export function isOfServer({ op }: ServiceError): boolean {
  return ofServer.has(op);
}

/** The detail repeats the first five, and a description that several fields share only once. */
export function rejectedFields(fields: readonly FieldError[], code: number = codes.InvalidParameter): ServiceError {
  const byDescription = Map.groupBy(fields.slice(0, 5), ({ description }) => description);
  const shown = [...byDescription].map(([why, named]) => `${named.map(({ name }) => name).join(', ')}: ${why}`);
  return new ServiceError(code, READ, shown.join('. '), { fields });
}

/** @param field `ip_address` of a body or a path */
export function invalidAddress(why: string, field = 'ip_address'): ServiceError {
  return rejectedFields([{ name: field, description: why }], codes.InvalidAddress);
}

export function malformedBody(detail: string, cause?: unknown): ServiceError {
  return new ServiceError(codes.InvalidBody, READ, detail, cause === undefined ? {} : { cause });
}

/** The name of a field, as a client sent it. Shortened unless it looks like one: it may be a secret in the wrong place. */
export function shownName(name: string): string {
  if (USUAL_NAME.test(name) || name.length <= MAX_NAME) return quote(name);
  return quote(`${name.slice(0, MAX_NAME)}...`);
}

export function duplicateField(name: string): ServiceError {
  return rejectedFields(
    [{ name: shownName(name), description: 'appears twice in the body; send it once' }],
    codes.InvalidBody,
  );
}

export function unexpectedBody(): ServiceError {
  return new ServiceError(codes.UnexpectedBody, READ, 'this request must not have a body; send it without one');
}

export function tooLarge(detail: string): ServiceError {
  return new ServiceError(codes.TooLarge, READ, detail);
}

export function unsupportedMediaType(given: string, wanted: string): ServiceError {
  return new ServiceError(codes.UnsupportedMediaType, READ, `${given} is not supported here; send ${wanted}`);
}

export function noSuchEndpoint(method: string, path: string): ServiceError {
  return new ServiceError(
    codes.NoSuchEndpoint,
    ROUTE,
    `there is no endpoint ${method} ${quote(path)}; /docs lists all of them`,
  );
}

/** @param allow value of the `Allow` header */
export function methodNotAllowed(method: string, path: string, allow: string): ServiceError {
  return new ServiceError(codes.MethodNotAllowed, ROUTE, `${quote(path)} does not support ${method}; use ${allow}`);
}

/** The same for a missing and a wrong key, so that a client does not learn which it was. */
export function unauthorized(): ServiceError {
  const detail = 'a valid API key is required; send the header Authorization: Bearer KEY';
  return new ServiceError(codes.Unauthorized, AUTHENTICATE, detail);
}

export function missingScope(needed: Scope, keyName: string, held: readonly Scope[], what: string): ServiceError {
  const has = held.length === 0 ? 'has no scope' : `has only ${held.join(', ')}`;
  const detail = `${what} needs the scope ${needed}, but the key ${keyName} ${has}; use a key with the scope ${needed}`;
  return new ServiceError(codes.Forbidden, AUTHORIZE, detail, { members: { missing_scope: needed } });
}

export function tooManyFailedKeys(retryAfterSeconds: number): ServiceError {
  const detail = `too many wrong API keys were sent from your address; retry in ${retryAfterSeconds} seconds, or now with a valid key`;
  return new ServiceError(codes.TooManyFailedKeys, AUTHENTICATE, detail, { retryAfterSeconds });
}

/** For a limit of simultaneous connections, requests, exports or batches (ADR 0026). */
export function busy(detail: string): ServiceError {
  return new ServiceError(codes.TooMuchAtOnce, READ, detail, { retryAfterSeconds: 1 });
}

/** Never sent: aborts work after the client disconnected. */
export function clientGone(): ServiceError {
  return new ServiceError(codes.RequestTimeout, READ, 'the client disconnected before the response');
}

/** RFC 9112, 3.2. */
export function hostMissing(): ServiceError {
  return rejectedFields([{ name: 'Host', description: 'required in HTTP/1.1' }]);
}
