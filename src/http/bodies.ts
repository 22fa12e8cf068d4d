// A route with a body schema accepts only JSON in UTF-8; any other accepts an empty body with any Content-Type.

import type { Readable } from 'node:stream';
import { TextDecoder } from 'node:util';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { count } from '../domain/counted.ts';
import { quote } from '../domain/quote.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import { malformedBody, tooLarge, unexpectedBody, unsupportedMediaType } from './rejections.ts';
import { rejectionOfJson } from './strict-json.ts';

export function parseJsonBodies(app: FastifyInstance, ms: number): void {
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

/** Fastify rejects an unknown Content-Type even without a body, and ignores the body of GET and HEAD. */
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
  } catch {
    // V8's message shows what is around the error, which may be a secret.
    throw malformedBody('the body is not valid JSON in UTF-8');
  }
  const rejection = rejectionOfJson(text);
  if (rejection !== null) throw rejection;
  return value;
}

export function checkCoding(request: FastifyRequest): void {
  const coding = request.headers['content-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'identity') {
    throw unsupportedMediaType(`Content-Encoding ${quote(coding)}`, 'the body uncompressed');
  }
}

export function wrongMediaType(request: FastifyRequest, wanted: string) {
  const given = request.headers['content-type'];
  return unsupportedMediaType(
    given === undefined ? 'a body without Content-Type' : `Content-Type ${quote(given)}`,
    wanted,
  );
}

interface SmallBodyBounds {
  readonly limit: number;
  /** For the complete body. */
  readonly ms: number;
}

/**
 * Calls `done` once. Errors: 413, 408, or the stream's error if the client disconnects; the caller discards the rest.
 * Without the time limit, a client that sends one byte at a time would occupy a request as long as a large list.
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
    stream.off('data', take).off('end', complete).off('error', end);
    // A later disconnect does not matter.
    if (error !== null) stream.on('error', () => undefined);
    done(error, error === null ? Buffer.concat(pieces, received) : Buffer.alloc(0));
  };
  const take = (piece: Buffer): void => {
    received += piece.length;
    if (received > limit) end(tooLarge(`the body is larger than the ${count(limit)} bytes that this request allows`));
    else pieces.push(piece);
  };
  const complete = (): void => end(null);
  // `setImmediate`: if the event loop was blocked, data that arrived meanwhile is read first.
  const timer = setTimeout(() => setImmediate(() => end(tooSlow(received, ms))), ms);
  stream.on('data', take).on('end', complete).on('error', end);
  if (announced > limit) end(tooLarge(`the body is larger than the ${count(limit)} bytes that this request allows`));
}

function tooSlow(bytes: number, ms: number): ServiceError {
  const detail = `the body did not arrive within ${ms / 1000} s (${count(bytes)} bytes received); nothing was changed. Send it again`;
  return new ServiceError(codes.RequestTimeout, 'read request', detail);
}
