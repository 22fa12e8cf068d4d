// A TLS front end before a real authority, for what that one lacks: renewal windows (RFC 9773), profiles, limits with
// Retry-After, failures, and replies that are lost.
import { X509Certificate } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request as httpsRequest, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { ariId } from '../../src/x509/ari-id.ts';
import { madeAuthority, type Pebble } from './pebble.ts';

/** By the paths of pebble. */
const OPERATIONS = {
  dir: 'directory',
  'nonce-plz': 'newNonce',
  'sign-me-up': 'register',
  'order-plz': 'createOrder',
  'my-order': 'order',
  authZ: 'authorization',
  chalZ: 'answerChallenge',
  'finalize-order': 'finalize',
  certZ: 'certificate',
  'renewal-info': 'renewalInfo',
} as const;
export type FrontOperation = (typeof OPERATIONS)[keyof typeof OPERATIONS] | 'other';

interface FrontReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a string as it is. */
  readonly body?: object | string;
}

/** `lost`: the authority carries the request out, and the connection is cut instead of a reply. `cut`: before that. */
export type FrontFault = 'cut' | 'lost' | FrontReply;

export class AcmeFront {
  readonly #pebble: Pebble;
  readonly #server: Server;
  /** PEM: what a client of it has to trust. */
  readonly roots: string;
  /** Each request, in order. */
  readonly requests: FrontOperation[] = [];
  /** What `newOrder` said, as far as it was accepted. */
  readonly orders: {
    readonly names: readonly string[];
    readonly profile: string | null;
    readonly replaces: string | null;
  }[] = [];
  /** Each certificate that a client fetched, in order, by its renewal id. */
  readonly fetched = new Map<string, X509Certificate>();
  readonly #faults: { readonly operation: FrontOperation; readonly fault: FrontFault }[] = [];
  /** Names of each certificate that was issued, in order. */
  readonly issued: string[] = [];
  /** How long a request waits before anything else: an order takes a dozen of them. */
  delayMs = 0;
  /** Of every request; null: they are answered. */
  outage: FrontFault | null = null;
  /** Null: it has no renewal information. */
  window: ((certificate: X509Certificate) => { readonly start: Date; readonly end: Date }) | null = null;
  pollSeconds = 21_600;
  profiles: Readonly<Record<string, string>> = { default: 'the usual', shortlived: 'six days' };

  private constructor(pebble: Pebble) {
    this.#pebble = pebble;
    const { roots, certificate, privateKey } = madeAuthority();
    this.roots = roots;
    this.#server = createServer({ cert: certificate, key: privateKey }, (request, response) => {
      this.#answer(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  static async start(pebble: Pebble): Promise<AcmeFront> {
    const front = new AcmeFront(pebble);
    await new Promise<void>((resolve) => front.#server.listen(0, '127.0.0.1', resolve));
    return front;
  }

  get directory(): string {
    return `${this.#base}/dir`;
  }

  /** Of the next request of this kind; several in their order. */
  failNext(operation: FrontOperation, fault: FrontFault): void {
    this.#faults.push({ operation, fault });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get #base(): string {
    return `https://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    if (this.delayMs > 0) await pause(this.delayMs);
    const operation = operationOf(request.url ?? '');
    const payload = payloadOf(body);
    this.requests.push(operation);
    const index = this.#faults.findIndex((one) => one.operation === operation);
    const fault = this.outage ?? this.#faults[index]?.fault ?? null;
    if (fault === null) {
      const own = this.#own(operation, request.url ?? '', payload);
      const reply = own === null ? await this.#passed(request, body) : await this.#reply(own);
      response.writeHead(reply.status, reply.headers).end(this.#changed(operation, reply, payload));
    } else if (fault === 'cut') {
      this.#used(index);
      response.destroy();
    } else if (fault === 'lost') {
      const reply = await this.#passed(request, body);
      // A refused nonce: nothing was carried out.
      if (reply.status >= 300) {
        response.writeHead(reply.status, reply.headers).end(reply.text);
        return;
      }
      this.#used(index);
      this.#changed(operation, reply, payload);
      response.destroy();
    } else {
      this.#used(index);
      const { status, headers, text } = await this.#reply(fault);
      response.writeHead(status, headers).end(text);
    }
  }

  /** A fault of a single request; negative: it is the outage. */
  #used(index: number): void {
    if (this.outage === null) this.#faults.splice(index, 1);
  }

  /** What pebble cannot answer; null: it can. */
  #own(operation: FrontOperation, path: string, payload: Readonly<Record<string, unknown>>): FrontReply | null {
    if (operation === 'renewalInfo') return this.#renewalInfo(path.split('/').at(-1) ?? '');
    if (operation !== 'createOrder') return null;
    const { profile, replaces } = payload;
    if (profile !== undefined && !Object.hasOwn(this.profiles, String(profile))) {
      return problem(400, 'invalidProfile', `there is no profile ${profile}`);
    }
    if (replaces !== undefined && this.orders.some((order) => order.replaces === replaces)) {
      return problem(409, 'alreadyReplaced', `${replaces} is replaced already`);
    }
    return null;
  }

  #renewalInfo(id: string): FrontReply {
    const certificate = this.fetched.get(id);
    if (certificate === undefined || this.window === null) return problem(404, 'malformed', `no certificate ${id}`);
    const { start, end } = this.window(certificate);
    const suggestedWindow = { start: start.toISOString(), end: end.toISOString() };
    return { status: 200, headers: { 'retry-after': String(this.pollSeconds) }, body: { suggestedWindow } };
  }

  /** What is added to a reply. Remembers what issuance is tested for. */
  #changed(
    operation: FrontOperation,
    { status, text }: { readonly status: number; readonly text: string },
    { identifiers, profile, replaces }: Readonly<Record<string, unknown>>,
  ): string {
    if (status >= 300) return text;
    if (operation === 'certificate') {
      const id = ariId(text);
      if (id !== null) this.fetched.set(id, new X509Certificate(text));
    }
    if (operation === 'finalize') {
      const order = JSON.parse(text) as { readonly identifiers: readonly { readonly value: string }[] };
      this.issued.push(...order.identifiers.map(({ value }) => value));
    }
    if (operation === 'createOrder') {
      const names = (identifiers as { readonly value: string }[]).map(({ value }) => value);
      this.orders.push({ names, profile: textOrNull(profile), replaces: textOrNull(replaces) });
    }
    if (operation !== 'directory') return text;
    const directory = JSON.parse(text) as { readonly meta?: object };
    return JSON.stringify({
      ...directory,
      ...(this.window === null ? {} : { renewalInfo: `${this.#base}/renewal-info` }),
      meta: { ...directory.meta, profiles: this.profiles },
    });
  }

  async #reply({ status, headers = {}, body = '' }: FrontReply) {
    const nonce = await this.#passed({ method: 'HEAD', url: '/nonce-plz', headers: {} }, Buffer.alloc(0));
    const type = status < 400 ? 'application/json' : 'application/problem+json';
    return {
      status,
      headers: { 'content-type': type, 'replay-nonce': nonce.headers['replay-nonce'] ?? '', ...headers },
      text: typeof body === 'string' ? body : JSON.stringify(body),
    };
  }

  /** With this front end's own host: pebble makes its URLs of that, and checks the signed one. */
  #passed({ method = 'GET', url = '/', headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>, body: Buffer) {
    return new Promise<{ status: number; headers: Record<string, string>; text: string }>((resolve, reject) => {
      const passed = httpsRequest(
        {
          ...{ host: 'localhost', port: this.#pebble.port, ca: this.#pebble.roots, method, path: url, agent: false },
          headers: { ...headers, host: new URL(this.#base).host, connection: 'close' },
        },
        (reply) => {
          buffer(reply).then((bytes) => {
            const kept = Object.entries(reply.headersDistinct)
              .filter(([name]) => !['connection', 'content-length', 'transfer-encoding'].includes(name))
              .map(([name, values]) => [name, values?.join(', ') ?? '']);
            const text = bytes.toString('utf8');
            resolve({ status: reply.statusCode ?? 0, headers: Object.fromEntries(kept), text });
          }, reject);
        },
      );
      passed.once('error', reject);
      passed.end(body);
    });
  }
}

/** As an authority refuses. `retryAfter`: seconds, or a date of HTTP. */
export function problem(status: number, type: string, detail: string, retryAfter?: string): FrontReply {
  return {
    status,
    ...(retryAfter === undefined ? {} : { headers: { 'retry-after': retryAfter } }),
    body: { type: `urn:ietf:params:acme:error:${type}`, detail, status },
  };
}

function operationOf(path: string): FrontOperation {
  const first = path.split('/')[1] ?? '';
  return Object.hasOwn(OPERATIONS, first) ? OPERATIONS[first as keyof typeof OPERATIONS] : 'other';
}

/** Of a JWS; empty without one, and of POST-as-GET. */
function payloadOf(body: Buffer): Readonly<Record<string, unknown>> {
  if (body.length === 0) return {};
  const { payload } = JSON.parse(body.toString('utf8')) as { readonly payload: string };
  return payload === ''
    ? {}
    : (JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Record<string, unknown>);
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
