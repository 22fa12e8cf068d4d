// The client for Node: over TCP or a socket file, with a limit on silence in place of one on the whole call, so that a
// list of millions may take its time.
import type { IncomingMessage, RequestOptions } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import { type ApiClient, ApiUnreachable, createApiClient } from './client.ts';

export interface ConnectOptions {
  /** `http://host:port`, `https://host:port` or `unix:/path`. */
  readonly url: string;
  readonly key?: string | undefined;
  /** Milliseconds without a byte either way. Default three minutes: a reload with its rollback is silent for two. */
  readonly timeoutMs?: number;
}

/** Milliseconds. */
export const DEFAULT_TIMEOUT_MS = 180_000;

/** Nothing is sent before the first call. @throws TypeError for a `url` of another form */
export function connect({ url, key, timeoutMs = DEFAULT_TIMEOUT_MS }: ConnectOptions): ApiClient {
  const target = readTarget(url);
  return createApiClient({
    baseUrl: target.baseUrl,
    key,
    fetch: (request) => send(request, target, timeoutMs),
  });
}

interface Target {
  readonly baseUrl: string;
  /** As it is named in messages. */
  readonly name: string;
  readonly socketPath: string | null;
}

function readTarget(url: string): Target {
  if (url.startsWith('unix:')) {
    const socketPath = url.slice('unix:'.length).replace(/^\/\/(?=\/)/, '');
    if (!socketPath.startsWith('/')) throw new TypeError(`${JSON.stringify(url)} names no socket; write unix:/path`);
    return { baseUrl: 'http://localhost', name: `unix:${socketPath}`, socketPath };
  }
  const parsed = URL.parse(url);
  const isOrigin = parsed !== null && parsed.pathname === '/' && parsed.search === '' && parsed.hash === '';
  if (!isOrigin || !/^https?:$/.test(parsed.protocol) || parsed.username !== '' || parsed.password !== '') {
    throw new TypeError(`${JSON.stringify(url)} is no address of the API; write http://host:port or unix:/path`);
  }
  return { baseUrl: parsed.origin, name: parsed.origin, socketPath: null };
}

function send(request: Request, target: Target, timeoutMs: number): Promise<Response> {
  const url = new URL(request.url);
  const options: RequestOptions = {
    method: request.method,
    headers: Object.fromEntries(request.headers),
    signal: request.signal,
    timeout: timeoutMs,
    ...(target.socketPath === null ? {} : { socketPath: target.socketPath }),
  };
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  // Not imported: an import evaluates all that the module names, its WebSocket too, for which Node loads another client
  // and TLS. That is a tenth of a second at every start of a program that holds this file.
  const { request: begin } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
  const outgoing = begin(url, options);
  const fail = (error: Error) => reject(asUnreachable(error, target.name, request.signal));
  outgoing.on('timeout', () => outgoing.destroy(new Silence(target.name, timeoutMs)));
  outgoing.on('error', fail);
  outgoing.on('response', (incoming) => {
    // A body that is cut short, or silent for too long, is told to whoever reads it.
    incoming.on('error', () => undefined);
    resolve(asResponse(incoming));
  });
  if (request.body === null) outgoing.end();
  // The service may answer before it has read everything; then the rest is of no use to anybody.
  else pipeline(Readable.fromWeb(request.body as NodeReadableStream), outgoing).catch(fail);
  return promise;
}

function asResponse(incoming: IncomingMessage): Response {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(incoming.headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  const status = incoming.statusCode as number;
  const empty = status === 204 || status === 304;
  if (empty) incoming.resume();
  return new Response(empty ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array>), { status, headers });
}

class Silence extends ApiUnreachable {
  constructor(name: string, timeoutMs: number) {
    super(
      'timeout',
      `${name} was silent for ${timeoutMs / 1000} s; what was asked for may have been done all the same`,
    );
  }
}

function asUnreachable(error: NodeJS.ErrnoException, name: string, signal: AbortSignal): ApiUnreachable {
  if (error instanceof ApiUnreachable) return error;
  if (signal.aborted) return new ApiUnreachable('aborted', 'the call was given up', { cause: error });
  const why = refusals[error.code ?? ''];
  if (why !== undefined) return new ApiUnreachable('refused', `${name}: ${why}`, { cause: error });
  return new ApiUnreachable('broken', `${name}: the connection ended without an answer: ${error.message}`, {
    cause: error,
  });
}

/** Nothing was sent. */
const refusals: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOENT: 'there is no such socket',
  EACCES: 'this user may not connect to it',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name of the host cannot be looked up now',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  EPROTO: 'what answers there does not speak TLS; is http:// meant?',
};
