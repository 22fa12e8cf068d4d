// Every error leaves here: as problem details, or as protobuf where the client's Accept says so.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { codes } from '../errors/catalogue.ts';
import { type ErrorMediaType, errorContentTypes, errorMediaType } from '../errors/negotiate.ts';
import { toProblem } from '../errors/problem.ts';
import { encodeApiError, encodeErr } from '../errors/protobuf.ts';
import { ServiceError } from '../errors/service-error.ts';
import { causeText } from '../telemetry/log.ts';
import { asAnswerableError, asConnectionError } from './framework-errors.ts';
import { busy } from './refusals.ts';
import { pathOf } from './request-context.ts';
import { newRequestId } from './request-id.ts';
import { commonHeaders } from './security-headers.ts';
import type { RequestLog } from './services.ts';

/** For a client to take the last answer of its connection. */
const LAST_WORD_MS = 2_000;

export async function sendError(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: RequestLog,
): Promise<FastifyReply> {
  const error = asAnswerableError(thrown);
  request.failure = error;
  if (error.status >= 500) {
    log.error('Request failed', {
      request_id: request.id,
      method: request.method,
      path: pathOf(request.url),
      status: error.status,
      code: error.code,
      cause: causeText(thrown),
    });
  }
  // The framework asks for the connection's end after a body that it refused. Then the client, still sending, would
  // see a reset in place of the answer; Node reads what is left of the body and throws it away (`requestTimeout`).
  reply.removeHeader('connection');
  reply.headers(commonHeaders(request.id)).headers(errorHeaders(error));
  const form = errorMediaType(request.headers.accept);
  reply.code(error.status).type(errorContentTypes[form]);
  return reply.send(encodeBody(error, form, request.id));
}

function errorHeaders(error: ServiceError): Record<string, string> {
  const headers: Record<string, string> = { vary: 'Accept' };
  if (error.status === 401) headers['www-authenticate'] = 'Bearer';
  // RFC 6750, 3.1.
  const { missing_scope: scope } = error.members;
  if (typeof scope === 'string') headers['www-authenticate'] = `Bearer error="insufficient_scope", scope="${scope}"`;
  if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(Math.ceil(error.retryAfterSeconds));
  return headers;
}

/** Bytes, since the framework adds a charset to a text, and problem+json has no such parameter. */
function encodeBody(error: ServiceError, form: ErrorMediaType, requestId: string): Buffer {
  if (form === 'apierror') return Buffer.from(encodeApiError(error));
  if (form === 'err') return Buffer.from(encodeErr(error));
  return Buffer.from(problemText(toProblem(error, requestId).body));
}

/** A problem shows what it refuses; whoever puts it into a page unread does not put a tag there. */
function problemText(body: object): string {
  return JSON.stringify(body).replaceAll('<', '\\u003c');
}

/** Where there is no request to reply to: bytes that are no HTTP, headers too large, a request that did not end. */
export function answerBrokenConnection(error: Error & { readonly code?: string }, socket: Socket): void {
  // Node keeps the response that is under way on its socket; a second one would be written into the first.
  const { _httpMessage: message } = socket as Socket & { _httpMessage?: ServerResponse };
  if (!socket.writable || error.code === 'ECONNRESET' || message?.headersSent === true) {
    socket.destroy();
    return;
  }
  if (message?.req.complete === true) {
    // That one came whole; broken is what came after it. A refusal now would be taken for its answer, which may be that
    // a block was made: it is answered as it deserves, and the connection ends with that.
    message.shouldKeepAlive = false;
    return;
  }
  answerRaw(asConnectionError(error), socket);
}

/** A connection for which there is no room. */
export function turnAway(socket: Socket): void {
  // Its reset, when the client is gone already, is nobody's business.
  socket.on('error', () => socket.destroy());
  answerRaw(busy('every connection is in use; try again shortly'), socket);
}

/** A CONNECT, whose connection Node would close without a word. */
export function refuseTunnel(socket: Socket): void {
  socket.on('error', () => socket.destroy());
  const detail = 'this is no proxy, and nothing is connected to';
  answerRaw(new ServiceError(codes.InvalidParameter, 'route request', detail), socket);
}

function answerRaw(error: ServiceError, socket: Socket): void {
  const requestId = newRequestId();
  const { status, body } = toProblem(error, requestId);
  const text = problemText(body);
  const headers = {
    ...commonHeaders(requestId),
    ...errorHeaders(error),
    'content-type': errorContentTypes['problem+json'],
    'content-length': String(Buffer.byteLength(text)),
    connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${body.title}\r\n${head.join('')}\r\n${text}`);
  // What still comes is thrown away, since closing over unread bytes would be a reset in place of the answer; but whoever
  // goes on sending, or never closes, does not keep the connection.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LAST_WORD_MS);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}
