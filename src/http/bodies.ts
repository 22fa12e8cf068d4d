// Bodies that are read whole. A route with a body schema takes JSON in UTF-8 and nothing else; every other route takes
// no body, and an empty one with any Content-Type (docs/api.md).
import { TextDecoder } from 'node:util';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { quote } from '../domain/quote.ts';
import { malformedBody, unexpectedBody, unsupportedMediaType } from './refusals.ts';
import { readSmallBody } from './small-body.ts';
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
