// Bodies that are read whole. A route with a body schema takes JSON in UTF-8 and nothing else; every other route takes
// no body, and an empty one with any Content-Type (docs/api.md).
import type { Readable } from 'node:stream';
import { TextDecoder } from 'node:util';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { quote } from '../domain/quote.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import { malformedBody, tooLarge, unexpectedBody, unsupportedMediaType } from './refusals.ts';
import { refusalOfJson } from './strict-json.ts';

/** @param ms in which a body has to come whole */
export function takeJsonBodies(app: FastifyInstance, ms: number): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request, stream, done) => {
    const announced = Number(request.headers['content-length'] ?? 0);
    readSmallBody(stream, announced, { limit: request.routeOptions.bodyLimit ?? 0, ms }, (failure, body) => {
      if (failure !== null) return done(failure);
      try {
        done(null, readBody(request, body));
      } catch (error) {
        done(error as Error);
      }
    });
  });
}

/**
 * What the framework does otherwise than the contract: it refuses a Content-Type that it cannot parse even where no
 * body is taken, and never looks at the body of a GET or HEAD.
 */
export function prepareForNoBody(request: FastifyRequest): void {
  if (takesBody(request)) return;
  const { headers } = request.raw;
  delete headers['content-type'];
  if (request.method !== 'GET' && request.method !== 'HEAD') return;
  if (headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0') throw unexpectedBody();
}

function takesBody(request: FastifyRequest): boolean {
  return (
    request.routeOptions.schema?.body !== undefined ||
    request.routeOptions.config?.operation?.streamedBody !== undefined
  );
}

function readBody(request: FastifyRequest, body: Buffer): unknown {
  if (request.is404 || (body.length === 0 && !takesBody(request))) return undefined;
  if (!takesBody(request)) throw unexpectedBody();
  if (body.length === 0) return undefined;
  checkCoding(request);
  if (request.mediaType !== 'application/json') throw wrongMediaType(request, 'application/json');
  return parseJson(body);
}

function parseJson(body: Buffer): unknown {
  let value: unknown;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    value = JSON.parse(text);
  } catch (cause) {
    throw malformedBody('the body is not valid JSON in UTF-8', cause);
  }
  const refusal = refusalOfJson(text);
  if (refusal !== null) throw refusal;
  return value;
}

/** A compressed body would be read as garbage; it is refused by name. */
export function checkCoding(request: FastifyRequest): void {
  const coding = request.headers['content-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'identity') {
    throw unsupportedMediaType(`Content-Encoding ${quote(coding)}`, 'the body as it is');
  }
}

export function wrongMediaType(request: FastifyRequest, wanted: string) {
  const given = request.headers['content-type'];
  return unsupportedMediaType(
    given === undefined ? 'a body without Content-Type' : `Content-Type ${quote(given)}`,
    wanted,
  );
}

const TOO_LARGE = 'the body is larger than this request takes';

interface SmallBodyBounds {
  /** Bytes. */
  readonly limit: number;
  /** Milliseconds for all of it, from now on. */
  readonly ms: number;
}

/**
 * Calls `done` once: with all bytes, or with an error: 413 beyond the limit, 408 when it did not come in time, or what
 * the stream says when the client goes away. What still comes after an error is the caller's to throw away.
 */
function readSmallBody(
  stream: Readable,
  announced: number,
  { limit, ms }: SmallBodyBounds,
  done: (error: Error | null, body: Buffer) => void,
): void {
  const pieces: Buffer[] = [];
  let received = 0;
  let ended = false;
  const end = (error: Error | null): void => {
    if (ended) return;
    ended = true;
    clearTimeout(timer);
    stream.off('data', take).off('end', whole).off('error', end);
    // A client that goes away later is nobody's business any more.
    if (error !== null) stream.on('error', () => undefined);
    done(error, error === null ? Buffer.concat(pieces, received) : Buffer.alloc(0));
  };
  const take = (piece: Buffer): void => {
    received += piece.length;
    if (received > limit) end(tooLarge(TOO_LARGE));
    else pieces.push(piece);
  };
  const whole = (): void => end(null);
  // After a moment in which the service itself stood still, what had come meanwhile is read first.
  const timer = setTimeout(() => setImmediate(() => end(tooSlow(received, ms))), ms);
  stream.on('data', take).on('end', whole).on('error', end);
  if (announced > limit) end(tooLarge(TOO_LARGE));
}

function tooSlow(bytes: number, ms: number): ServiceError {
  const detail = `the body comes too slowly: ${bytes} bytes of it in ${ms / 1000} s, in which it has to be whole; nothing was changed`;
  return new ServiceError(codes.RequestTimeout, 'read request', detail);
}
