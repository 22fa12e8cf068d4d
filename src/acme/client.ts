// The ACME client (RFC 8555): one directory, one account key (ADR 0082).
import type { KeyObject } from 'node:crypto';
import { pause } from '../concurrency/pause.ts';
import { parsePem, pemOf } from '../x509/pem.ts';
import { type AcmeAuthorization, type AcmeClient, type AcmeOrder, AcmeRefusal, AcmeUnreachable } from './authority.ts';
import { externalAccountBinding, signedRequest } from './jws.ts';
import {
  accountOf,
  authorizationOf,
  type Directory,
  directoryOf,
  InvalidReply,
  orderOf,
  problemOf,
  renewalInfoOf,
  retryAfterOf,
} from './replies.ts';
import { type Reply, Transport, type TransportOptions } from './transport.ts';

/** Of a request that can be repeated, after a failure that may pass. */
const PAUSES_MS = [2_000, 4_000, 8_000, 16_000, 32_000];
/** A nonce is refused when it is old, or at random (6.5). */
const MOST_NONCES = 20;
/** Servers of the authority may not know what another one has just created. */
const YOUNG_MS = 60_000;
const MOST_YOUNG = 1_000;
const DIRECTORY_MS = 3_600_000;

export interface ClientOptions extends TransportOptions {
  readonly directory: string;
  /** P-256. */
  readonly accountKey: KeyObject;
  readonly now?: () => Date;
  readonly pausesMs?: readonly number[];
}

type Request = {
  readonly payload?: unknown;
  readonly newAccount?: boolean;
  /** To an address of one order. */
  readonly ofOrder?: boolean;
};

export function createAcmeClient(options: ClientOptions): AcmeClient & { close(): void } {
  return new Client(options);
}

class Client implements AcmeClient {
  readonly #options: ClientOptions;
  readonly #transport: Transport;
  readonly #pausesMs: readonly number[];
  readonly #now: () => Date;
  #directory: Promise<Directory> | null = null;
  /** Of `performance.now()`. */
  #directoryAt = 0;
  #account: string | null = null;
  #nonces: string[] = [];
  /** By URL, of `performance.now()`. */
  readonly #created = new Map<string, number>();

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#transport = new Transport(options);
    this.#pausesMs = options.pausesMs ?? PAUSES_MS;
    this.#now = options.now ?? (() => new Date());
  }

  close(): void {
    this.#transport.close();
  }

  async directory() {
    const { termsOfService, externalAccountRequired, profiles, renewalInfo } = await this.#urls();
    return { termsOfService, externalAccountRequired, profiles, renewalInfo: renewalInfo !== null };
  }

  async register(request: Parameters<AcmeClient['register']>[0]) {
    const { contacts, termsAgreed, externalAccount } = request;
    const { newAccount } = await this.#urls();
    const { accountKey } = this.#options;
    const payload = {
      termsOfServiceAgreed: termsAgreed,
      ...(contacts.length === 0 ? {} : { contact: contacts }),
      ...(externalAccount === null
        ? {}
        : {
            externalAccountBinding: externalAccountBinding(
              accountKey,
              newAccount,
              externalAccount.kid,
              externalAccount.hmacKey,
            ),
          }),
    };
    // The key identifies the account: a repeated request finds it.
    const reply = await this.#repeated(() => this.#post(newAccount, { payload, newAccount: true }));
    const url = locationOf(reply);
    const { status, contacts: known } = parsedBy(() => accountOf(reply.body));
    this.#account = url;
    // Of an account that exists, `newAccount` ignores them (7.3.1).
    if (contacts.length > 0 && contacts.join() !== known.join()) {
      await this.#repeated(() => this.#post(url, { payload: { contact: contacts } }));
    }
    return { url, status };
  }

  async createOrder({ names, profile, replaces }: Parameters<AcmeClient['createOrder']>[0]): Promise<AcmeOrder> {
    const { newOrder } = await this.#urls();
    const payload = {
      identifiers: names.map((value) => ({ type: 'dns', value })),
      ...(profile === null ? {} : { profile }),
      ...(replaces === null ? {} : { replaces }),
    };
    const reply = await this.#postOnce(newOrder, { payload });
    const order = this.#order(reply, locationOf(reply), { ofOrder: false });
    for (const url of [order.url, ...order.authorizationUrls]) this.#remember(url);
    return order;
  }

  async order(url: string): Promise<AcmeOrder> {
    return this.#order(await this.#read(url), url);
  }

  async authorization(url: string): Promise<AcmeAuthorization> {
    const reply = await this.#read(url);
    return parsedBy(() => authorizationOf(reply.body, url, this.#retryAfter(reply)), { ofOrder: true });
  }

  async answerChallenge(url: string): Promise<void> {
    await this.#postOnce(url, { payload: {}, ofOrder: true });
  }

  async finalize(finalizeUrl: string, csr: Uint8Array): Promise<AcmeOrder> {
    const payload = { csr: Buffer.from(csr).toString('base64url') };
    const reply = await this.#postOnce(finalizeUrl, { payload, ofOrder: true });
    return this.#order(reply, reply.headers.get('location') ?? '');
  }

  async certificate(url: string): Promise<string> {
    const { body } = await this.#read(url);
    const blocks = parsePem(body);
    if (!blocks.ok || blocks.value.length === 0 || blocks.value.some(({ label }) => label !== 'CERTIFICATE')) {
      const message = 'invalid reply of the authority: the certificate is not a chain in PEM';
      throw new AcmeUnreachable(message, null, { ofOrder: true });
    }
    return blocks.value.map(({ label, der }) => pemOf(label, der)).join('');
  }

  async renewalInfo(certId: string) {
    const { renewalInfo } = await this.#urls();
    if (renewalInfo === null) throw new AcmeUnreachable('the authority has no renewal information', null);
    const url = `${renewalInfo.replace(/\/$/, '')}/${certId}`;
    const reply = await this.#repeated(async () => this.#accepted(await this.#transport.send('GET', url)));
    return { ...parsedBy(() => renewalInfoOf(reply.body)), retryAfter: this.#retryAfter(reply) };
  }

  /** The URLs of the authority, read once in an hour. */
  async #urls(): Promise<Directory> {
    if (performance.now() - this.#directoryAt > DIRECTORY_MS) this.#directory = null;
    if (this.#directory === null) this.#directoryAt = performance.now();
    this.#directory ??= this.#repeated(async () => {
      const reply = this.#accepted(await this.#transport.send('GET', this.#options.directory));
      return parsedBy(() => directoryOf(reply.body));
    });
    try {
      return await this.#directory;
    } catch (error) {
      this.#directory = null;
      throw error;
    }
  }

  /** POST-as-GET of what belongs to an order (6.3). */
  async #read(url: string): Promise<Reply> {
    return await this.#repeated(() => this.#post(url, { ofOrder: true }), url);
  }

  /** What could do something twice. Only what precedes it is repeated. */
  async #postOnce(url: string, request: Request): Promise<Reply> {
    if (this.#nonces.length === 0) this.#nonces.push(await this.#repeated(() => this.#newNonce()));
    return await this.#post(url, request);
  }

  /** One request, again only with another nonce: a refused one was not carried out (6.5). */
  async #post(url: string, { payload, newAccount = false, ofOrder = false }: Request): Promise<Reply> {
    const { accountKey } = this.#options;
    const account = newAccount ? null : this.#account;
    if (!newAccount && account === null) throw new Error('the account has to be registered first');
    for (let left = MOST_NONCES; ; left -= 1) {
      const nonce = this.#nonces.pop() ?? (await this.#newNonce());
      const jws = signedRequest(accountKey, { url, nonce, account, payload });
      const reply = await this.#transport.send('POST', url, JSON.stringify(jws));
      this.#keepNonce(reply);
      if (reply.status !== 400 || problemOf(reply.body, 400)?.type !== 'badNonce') {
        return this.#accepted(reply, { ofOrder });
      }
      // It says nothing about the request: an order goes on later.
      if (left === 1) throw new AcmeUnreachable(`the authority refused ${MOST_NONCES} nonces in succession`, null);
      // Those kept are probably refused too, except the one of this reply.
      this.#nonces = this.#nonces.slice(-1);
    }
  }

  /** RFC 8555, 7.2. */
  async #newNonce(): Promise<string> {
    const { newNonce } = await this.#urls();
    const { headers } = this.#accepted(await this.#transport.send('HEAD', newNonce));
    const nonce = headers.get('replay-nonce') ?? '';
    if (!isNonce(nonce)) throw new AcmeUnreachable('invalid reply of the authority: it gave no nonce', null);
    return nonce;
  }

  #keepNonce({ headers }: Reply): void {
    const nonce = headers.get('replay-nonce');
    if (nonce !== undefined && isNonce(nonce) && this.#nonces.length < MOST_NONCES) this.#nonces.push(nonce);
  }

  /** For what does nothing twice. `url`: also while the authority may not know it yet. */
  async #repeated<T>(send: () => Promise<T>, url: string | null = null): Promise<T> {
    for (const pauseMs of this.#pausesMs) {
      try {
        return await send();
      } catch (error) {
        const unknownYet = error instanceof AcmeRefusal && error.problem.status === 404 && this.#isYoung(url);
        if (!(error instanceof AcmeUnreachable) && !unknownYet) throw error;
        const { retryAfter } = error as AcmeUnreachable | AcmeRefusal;
        // The caller waits for that long.
        if (retryAfter !== null && retryAfter.getTime() - this.#now().getTime() > pauseMs) throw error;
      }
      await pause(pauseMs);
    }
    return await send();
  }

  #accepted(reply: Reply, scope: Pick<Request, 'ofOrder'> = {}): Reply {
    const { status, body } = reply;
    if (status >= 200 && status < 300) return reply;
    const problem = problemOf(body, status);
    const retryAfter = this.#retryAfter(reply);
    if (status >= 400 && status < 500) {
      const unexplained = { type: 'about:blank', detail: `HTTP ${status} without a reason`, status, subproblems: [] };
      throw new AcmeRefusal({ ...(problem ?? unexplained), status }, retryAfter, scope);
    }
    const words = problem === null ? '' : `: ${problem.detail}`;
    const what = status >= 300 && status < 400 ? 'a redirect, which is not followed' : 'a failure of the authority';
    throw new AcmeUnreachable(`HTTP ${status}, ${what}${words}`, retryAfter, scope);
  }

  #order(reply: Reply, url: string, scope: Pick<Request, 'ofOrder'> = { ofOrder: true }): AcmeOrder {
    const order = parsedBy(() => orderOf(reply.body, url, this.#retryAfter(reply)), scope);
    const { certificateUrl } = order;
    // Most authorities name it when the order is read again, seconds after `finalize`.
    if (certificateUrl !== null && !this.#created.has(certificateUrl)) this.#remember(certificateUrl);
    return order;
  }

  #retryAfter({ headers }: Reply): Date | null {
    return retryAfterOf(headers.get('retry-after'), this.#now());
  }

  #remember(url: string): void {
    this.#created.delete(url);
    this.#created.set(url, performance.now());
    const [oldest] = this.#created.keys();
    if (this.#created.size > MOST_YOUNG && oldest !== undefined) this.#created.delete(oldest);
  }

  #isYoung(url: string | null): boolean {
    const since = url === null ? undefined : this.#created.get(url);
    return since !== undefined && performance.now() - since < YOUNG_MS;
  }
}

/** Base64url (6.5.1). */
function isNonce(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,500}$/.test(text);
}

function locationOf({ headers }: Reply): string {
  const url = headers.get('location');
  if (url !== undefined && URL.parse(url)?.protocol === 'https:') return url;
  throw new AcmeUnreachable('invalid reply of the authority: it named no location', null);
}

function parsedBy<T>(parse: () => T, scope: Pick<Request, 'ofOrder'> = {}): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof InvalidReply) throw new AcmeUnreachable(error.message, null, scope);
    throw error;
  }
}
