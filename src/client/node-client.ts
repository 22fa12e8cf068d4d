// The time-out limits the time without data, not the complete call, so that a list of millions can be transferred.
import type { IncomingMessage, RequestOptions } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createFinalURL, createQuerySerializer, defaultPathSerializer } from 'openapi-fetch';
import { type ApiClient, ApiUnreachable, asCallFailure, checked, type ReceivedResponse } from './client.ts';

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
  const call =
    (method: string) =>
    async (path: string, init: Init = {}): Promise<{ data: unknown; response: ReceivedResponse }> => {
      const response = await checked(await send(requestOf(method, path, key, init), target, timeoutMs), path);
      return { data: await dataOf(response, init.parseAs), response };
    };
  return { GET: call('GET'), PUT: call('PUT'), POST: call('POST'), DELETE: call('DELETE') } as unknown as ApiClient;
}

/** As `ApiClient` declares it for each operation. */
interface Init {
  readonly params?: { readonly path?: Record<string, unknown>; readonly query?: Record<string, unknown> };
  /** Text and streams are sent unchanged; the caller sets their `content-type`. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly parseAs?: 'json' | 'text' | 'stream';
}

interface Outgoing {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | AsyncIterable<Uint8Array> | null;
  readonly signal: AbortSignal | undefined;
}

const querySerializer = createQuerySerializer();

function requestOf(method: string, template: string, key: string | undefined, init: Init): Outgoing {
  const { params = {}, headers = {}, signal } = init;
  const path = createFinalURL(template, {
    baseUrl: '',
    params,
    querySerializer,
    pathSerializer: defaultPathSerializer,
  });
  const body = bodyOf(init.body);
  return {
    method,
    path,
    headers: {
      ...(body === null ? {} : { 'content-type': 'application/json' }),
      ...(typeof body === 'string' ? { 'content-length': String(Buffer.byteLength(body)) } : {}),
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body,
    signal,
  };
}

function bodyOf(body: unknown): Outgoing['body'] {
  if (body === undefined) return null;
  if (typeof body === 'string') return body;
  const isStream = typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
  return isStream ? (body as AsyncIterable<Uint8Array>) : JSON.stringify(body);
}

async function dataOf(response: NodeResponse, parseAs: Init['parseAs'] = 'json'): Promise<unknown> {
  if (parseAs === 'stream') return response.stream();
  try {
    const text = await response.text();
    if (parseAs === 'text') return text;
    return text === '' ? undefined : JSON.parse(text);
  } catch (error) {
    throw asCallFailure(error);
  }
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

function send(
  { method, path, headers, body, signal }: Outgoing,
  target: Target,
  timeoutMs: number,
): Promise<NodeResponse> {
  const options: RequestOptions = {
    method,
    headers,
    timeout: timeoutMs,
    ...(signal === undefined ? {} : { signal }),
    ...(target.socketPath === null ? {} : { socketPath: target.socketPath }),
  };
  const { promise, resolve, reject } = Promise.withResolvers<NodeResponse>();
  const url = new URL(path, target.baseUrl);
  // Not imported: an import also loads Node's WebSocket client and TLS, 0.1 s at every start.
  const { request: begin } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
  const outgoing = begin(url, options);
  const fail = (error: Error) => reject(asUnreachable(error, target.name, signal));
  outgoing.on('timeout', () => outgoing.destroy(new NoData(target.name, timeoutMs)));
  outgoing.on('error', fail);
  outgoing.on('response', (incoming) => {
    // The reader of the body gets the error.
    incoming.on('error', () => undefined);
    resolve(new NodeResponse(incoming));
  });
  if (body === null || typeof body === 'string') outgoing.end(body ?? undefined);
  // The service may respond before it has read the complete body.
  else pipeline(Readable.from(body, { objectMode: false }), outgoing).catch(fail);
  return promise;
}

/** Node's own `Response` and `Headers` load its fetch, which takes half as long as the rest of a command. */
class NodeResponse implements ReceivedResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: { cancel(): Promise<void> };
  readonly #incoming: IncomingMessage;

  constructor(incoming: IncomingMessage) {
    this.#incoming = incoming;
    this.status = incoming.statusCode as number;
    this.headers = { get: (name) => incoming.headersDistinct[name.toLowerCase()]?.join(', ') ?? null };
    this.body = { cancel: async () => void incoming.destroy() };
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  /** UTF-8. Rejects if the connection ends before the body does. */
  async text(): Promise<string> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.#incoming) chunks.push(chunk);
    return Buffer.concat(chunks).toString('utf8');
  }

  /** Reading it fails if the connection ends before the body does. */
  stream(): AsyncIterable<Uint8Array> {
    return this.#incoming;
  }
}

class NoData extends ApiUnreachable {
  constructor(name: string, timeoutMs: number) {
    super('timeout', `${name} sent no data for ${timeoutMs / 1000} s; the request may have been carried out anyway`);
  }
}

function asUnreachable(error: NodeJS.ErrnoException, name: string, signal: AbortSignal | undefined): ApiUnreachable {
  if (error instanceof ApiUnreachable) return error;
  if (signal?.aborted === true) return new ApiUnreachable('aborted', 'the call was cancelled', { cause: error });
  const why = refusals[error.code ?? ''];
  if (why !== undefined) return new ApiUnreachable('refused', `${name}: ${why}`, { cause: error });
  return new ApiUnreachable('broken', `${name}: the connection ended without a response: ${error.message}`, {
    cause: error,
  });
}

const unknownAuthority =
  'its certificate is not from a known authority; is that one, or the certificate itself, in the file that NODE_EXTRA_CA_CERTS names?';

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
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name; did you mean another host?',
  CERT_HAS_EXPIRED: "its certificate has expired; is this machine's clock right?",
};
