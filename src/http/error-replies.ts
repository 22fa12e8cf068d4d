// Problem documents, or protobuf if the Accept header asks for it.
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
import { busy } from './rejections.ts';
import { pathOf } from './request-context.ts';
import { newRequestId } from './request-id.ts';
import { commonHeaders } from './security-headers.ts';
import type { RequestLog } from './services.ts';

/** Time for a client to read the last response of its connection. */
const LAST_RESPONSE_MS = 2_000;

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
  // Fastify would close the connection after a rejected body, and a client still sending would get a reset.
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

/** Bytes: Fastify adds a charset to a string, which problem+json does not have. */
function encodeBody(error: ServiceError, form: ErrorMediaType, requestId: string): Buffer {
  if (form === 'apierror') return Buffer.from(encodeApiError(error));
  if (form === 'err') return Buffer.from(encodeErr(error));
  return Buffer.from(problemText(toProblem(error, requestId).body));
}

/** Escapes quoted values, which could become a tag in a page. */
function problemText(body: object): string {
  return JSON.stringify(body).replaceAll('<', '\\u003c');
}

/** Without a request: invalid HTTP, headers too large, an incomplete request. */
export function answerBrokenConnection(error: Error & { readonly code?: string }, socket: Socket): void {
  // Node stores the current response on its socket; a second one would be written into it.
  const { _httpMessage: message } = socket as Socket & { _httpMessage?: ServerResponse };
  // Nothing can be sent on a TLS connection that failed.
  const isTls = /^ERR_(?:SSL|TLS)_/.test(error.code ?? '');
  if (!socket.writable || isTls || error.code === 'ECONNRESET' || message?.headersSent === true) {
    socket.destroy();
    return;
  }
  if (message?.req.complete === true) {
    // This request is complete, the data after it is invalid: answer the request, then end the connection.
    message.shouldKeepAlive = false;
    return;
  }
  answerRaw(asConnectionError(error), socket);
}

export function refuseConnection(socket: Socket): void {
  socket.on('error', () => socket.destroy());
  answerRaw(busy('all connections are in use; retry shortly'), socket);
}

/** Node would close a CONNECT without a response. */
export function refuseTunnel(socket: Socket): void {
  socket.on('error', () => socket.destroy());
  const detail = 'CONNECT is not supported; send requests to the API directly';
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
  // Closing with unread bytes would send a reset instead of the response.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LAST_RESPONSE_MS);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}
