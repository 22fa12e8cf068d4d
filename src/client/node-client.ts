// The time-out limits the time without data, not the complete call, so that a list of millions can be transferred.
import type { IncomingMessage, RequestOptions } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import { type ApiClient, ApiUnreachable, createApiClient } from './client.ts';

interface ConnectOptions {
  /** `http://host:port`, `https://host:port` or `unix:/path`. */
  readonly url: string;
  readonly key?: string | undefined;
  /** Without data. Default three minutes: a reload with rollback sends nothing for two. */
  readonly timeoutMs?: number;
}

export const DEFAULT_TIMEOUT_MS = 180_000;

/** Sends nothing before the first call. Throws TypeError for an invalid `url`. */
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
  readonly name: string;
  readonly socketPath: string | null;
}

function readTarget(url: string): Target {
  if (url.startsWith('unix:')) {
    const socketPath = url.slice('unix:'.length).replace(/^\/\/(?=\/)/, '');
    if (!socketPath.startsWith('/'))
      throw new TypeError(`${JSON.stringify(url)} is not a socket path; write unix:/path`);
    return { baseUrl: 'http://localhost', name: `unix:${socketPath}`, socketPath };
  }
  const parsed = URL.parse(url);
  const isOrigin = parsed !== null && parsed.pathname === '/' && parsed.search === '' && parsed.hash === '';
  if (!isOrigin || !/^https?:$/.test(parsed.protocol) || parsed.username !== '' || parsed.password !== '') {
    throw new TypeError(`${JSON.stringify(url)} is not a URL of the API; write http://host:port or unix:/path`);
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
  // Not imported: an import also loads Node's WebSocket client and TLS, 0.1 s at every start.
  const { request: begin } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
  const outgoing = begin(url, options);
  const fail = (error: Error) => reject(asUnreachable(error, target.name, request.signal));
  outgoing.on('timeout', () => outgoing.destroy(new NoData(target.name, timeoutMs)));
  outgoing.on('error', fail);
  outgoing.on('response', (incoming) => {
    // The reader of the body gets the error.
    incoming.on('error', () => undefined);
    resolve(asResponse(incoming));
  });
  if (request.body === null) outgoing.end();
  // The service may respond before it has read the complete body.
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

class NoData extends ApiUnreachable {
  constructor(name: string, timeoutMs: number) {
    super('timeout', `${name} sent no data for ${timeoutMs / 1000} s; the request may have been carried out anyway`);
  }
}

function asUnreachable(error: NodeJS.ErrnoException, name: string, signal: AbortSignal): ApiUnreachable {
  if (error instanceof ApiUnreachable) return error;
  if (signal.aborted) return new ApiUnreachable('aborted', 'the call was cancelled', { cause: error });
  const why = refusals[error.code ?? ''];
  if (why !== undefined) return new ApiUnreachable('refused', `${name}: ${why}`, { cause: error });
  return new ApiUnreachable('broken', `${name}: the connection ended without a response: ${error.message}`, {
    cause: error,
  });
}

/** The request was not sent. */
const refusals: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOENT: 'there is no such socket',
  EACCES: 'this user may not connect to it',
  ENOTFOUND: 'the host is unknown',
  EAI_AGAIN: 'the host name cannot be resolved now',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  EPROTO: 'the server does not use TLS; did you mean http://?',
};
