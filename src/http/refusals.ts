// The errors that the edge itself raises, each with its code of the catalogue.
import { quote } from '../domain/quote.ts';
import type { Scope } from '../domain/scope.ts';
import { codes } from '../errors/catalogue.ts';
import { type FieldError, ServiceError } from '../errors/service-error.ts';

const READ = 'read request';
const ROUTE = 'route request';
const AUTHENTICATE = 'authenticate request';
const AUTHORIZE = 'authorize request';
const ofEdge: ReadonlySet<string> = new Set([READ, ROUTE, AUTHENTICATE, AUTHORIZE]);

/** The request's form or its key was refused: no service was asked. */
export function isOfEdge({ op }: ServiceError): boolean {
  return ofEdge.has(op);
}

/** Fields that were refused; the detail repeats the first few, for those who see only it. */
export function refusedFields(fields: readonly FieldError[], code: number = codes.InvalidParameter): ServiceError {
  const shown = fields.slice(0, 5).map(({ name, description }) => `${name}: ${description}`);
  return new ServiceError(code, READ, shown.join('; '), { fields });
}

/** @param field `ip_address` of a body or a path */
export function invalidAddress(why: string, field = 'ip_address'): ServiceError {
  return refusedFields([{ name: field, description: why }], codes.InvalidAddress);
}

export function malformedBody(detail: string, cause?: unknown): ServiceError {
  return new ServiceError(codes.InvalidBody, READ, detail, cause === undefined ? {} : { cause });
}

/** An object of the body has the field twice. */
export function duplicateField(name: string): ServiceError {
  return refusedFields(
    [{ name: quote(name), description: 'appears twice in the body; send it once' }],
    codes.InvalidBody,
  );
}

export function unexpectedBody(): ServiceError {
  return new ServiceError(codes.UnexpectedBody, READ, 'this request takes no body; send it without one');
}

export function tooLarge(detail: string): ServiceError {
  return new ServiceError(codes.TooLarge, READ, detail);
}

export function unsupportedMediaType(given: string, wanted: string): ServiceError {
  return new ServiceError(codes.UnsupportedMediaType, READ, `${given} is not taken here; send ${wanted}`);
}

export function noSuchEndpoint(method: string, path: string): ServiceError {
  return new ServiceError(codes.NoSuchEndpoint, ROUTE, `there is nothing at ${method} ${quote(path)}`);
}

/** @param allow the value of the `Allow` header that goes with it */
export function methodNotAllowed(method: string, path: string, allow: string): ServiceError {
  return new ServiceError(codes.MethodNotAllowed, ROUTE, `${quote(path)} does not take ${method}; it takes ${allow}`);
}

/** One body for a missing and for a wrong key, so that nobody learns which it was. */
export function unauthorized(): ServiceError {
  const detail = 'this needs a valid API key; send the header Authorization: Bearer <key>';
  return new ServiceError(codes.Unauthorized, AUTHENTICATE, detail);
}

/** @param what the route, or the part of the request, that needs it */
export function missingScope(needed: Scope, keyName: string, held: readonly Scope[], what: string): ServiceError {
  const has = held.length === 0 ? 'has none' : `has ${held.join(', ')}`;
  const detail = `${what} needs the scope ${needed}, and the key ${keyName} ${has}; send a key that has it`;
  return new ServiceError(codes.Forbidden, AUTHORIZE, detail, { members: { missing_scope: needed } });
}

export function tooManyFailedKeys(retryAfterSeconds: number): ServiceError {
  const detail = `too many wrong API keys came from your address; try again in ${retryAfterSeconds} seconds, or with a valid key now`;
  return new ServiceError(codes.TooManyFailedKeys, AUTHENTICATE, detail, { retryAfterSeconds });
}

/** Connections, requests, exports or batches under way are as many as may be: ADR 0026. */
export function busy(detail: string): ServiceError {
  return new ServiceError(codes.TooMuchAtOnce, READ, detail, { retryAfterSeconds: 1 });
}

/** Nobody reads it: the client has closed its connection, and what was done for it ends. */
export function clientGone(): ServiceError {
  return new ServiceError(codes.RequestTimeout, READ, 'the client did not wait for the answer');
}

/** RFC 9112, 3.2. */
export function hostMissing(): ServiceError {
  return refusedFields([{ name: 'Host', description: 'is missing; HTTP/1.1 asks for it' }]);
}
