// An authority at the level of the client's interface, with a clock of its own, limits and faults.
import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, X509Certificate } from 'node:crypto';
import {
  type AcmeAuthorization,
  type AcmeClient,
  type AcmeOrder,
  type AcmeProblemDocument,
  AcmeRefusal,
  AcmeUnreachable,
} from '../../src/acme/authority.ts';
import type { Acme } from '../../src/issuance/issuance.ts';
import { issueCertificate, issueSelfSigned } from '../../src/x509/issue.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

interface Limits {
  /** New orders of an account. */
  readonly orders: { readonly most: number; readonly withinMs: number };
  /** Issues of a set of names. */
  readonly issues: { readonly most: number; readonly withinMs: number };
  readonly failedValidations: { readonly most: number; readonly withinMs: number };
}

export const LIMITS: Limits = {
  orders: { most: 300, withinMs: 3 * HOUR },
  issues: { most: 5, withinMs: 7 * DAY },
  failedValidations: { most: 5, withinMs: HOUR },
};

interface Kept {
  readonly names: readonly string[];
  readonly replaces: string | null;
  status: AcmeOrder['status'];
  readonly authorizations: string[];
  certificate: string | null;
  problem: AcmeProblemDocument | null;
}

interface KeptAuthorization {
  readonly name: string;
  readonly token: string;
  status: AcmeAuthorization['status'];
  toldAt: number | null;
  problem: AcmeProblemDocument | null;
}

/** With hooks before and after each request of the client, by operation. */
export interface TestAuthority extends Acme {
  readonly directory: string;
  /** What HAProxy shows: set by the responder. */
  shown: ReadonlyMap<string, string>;
  before: (operation: string) => void;
  after: (operation: string) => void;
}

export class FakeAuthority implements TestAuthority {
  directory = 'https://ca.example/directory';
  readonly #now: () => Date;
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  readonly #orders = new Map<string, Kept>();
  readonly #authorizations = new Map<string, KeptAuthorization>();
  readonly #accounts = new Set<string>();
  readonly #newOrders: number[] = [];
  readonly #failedAt = new Map<string, number[]>();
  #retryAfter = 0;

  /** `directory`: it stands for several authorities. */
  readonly issued: {
    readonly directory: string;
    readonly names: readonly string[];
    readonly at: number;
    readonly notAfter: number;
  }[] = [];
  /** What a client of this service must not do. */
  readonly violations: string[] = [];
  /** Each request, by operation. */
  readonly requests: string[] = [];
  newAccounts = 0;
  limits: Limits = LIMITS;
  lifetimeMs = 90 * DAY;
  shown: ReadonlyMap<string, string> = new Map();
  validationMs: (name: string) => number = () => 2_000;
  /** Null: valid. */
  validation: (name: string) => AcmeProblemDocument | null = () => null;
  /** Called before each request; throws to fail it. */
  before: (operation: string) => void = () => undefined;
  /** A limit was reached. */
  refused: (detail: string) => void = () => undefined;
  /** Called after a request was carried out, before its answer. */
  after: (operation: string) => void = () => undefined;
  /** Null: it has no renewal information. */
  window: ((notBefore: Date, notAfter: Date) => { readonly start: Date; readonly end: Date }) | null = null;
  pollMs = 6 * HOUR;
  profiles: ReadonlyMap<string, string> = new Map([['default', 'the usual']]);

  constructor(now: () => Date) {
    this.#now = now;
  }

  get newOrders(): number {
    return this.#newOrders.length;
  }

  keyAuthorization(token: string): string {
    return `${token}.thumbprint`;
  }

  /** Its key alone: this authority reads the names from the order. */
  createCsr(_names: readonly string[], key: KeyObject): Uint8Array {
    return createPublicKey(key).export({ type: 'spki', format: 'der' });
  }

  renewalId(pem: string): string | null {
    return new X509Certificate(pem).serialNumber;
  }

  connect(at: string, accountKey: KeyObject): AcmeClient {
    const account = createPublicKey(accountKey).export({ type: 'spki', format: 'der' }).toString('hex');
    const asked =
      <Given extends unknown[], Answer>(operation: string, work: (...given: Given) => Answer) =>
      async (...given: Given): Promise<Answer> => {
        this.requests.push(operation);
        if (operation === 'createOrder' && this.#now().getTime() < this.#retryAfter) {
          this.violations.push(`an order at ${this.#now().toISOString()} within Retry-After`);
        }
        this.before(operation);
        if (!['directory', 'register'].includes(operation) && !this.#accounts.has(account)) {
          throw refusal({ type: 'accountDoesNotExist', detail: 'no such account', status: 400 });
        }
        const answer = work(...given);
        this.after(operation);
        return answer;
      };
    return {
      directory: asked('directory', () => ({
        termsOfService: null,
        externalAccountRequired: false,
        profiles: this.profiles,
        renewalInfo: this.window !== null,
      })),
      register: asked('register', () => {
        if (!this.#accounts.has(account)) this.newAccounts += 1;
        this.#accounts.add(account);
        return { url: `https://ca.example/account/${account.slice(-8)}`, status: 'valid' };
      }),
      createOrder: asked('createOrder', (wanted: Parameters<AcmeClient['createOrder']>[0]) => this.#create(at, wanted)),
      order: asked('order', (url: string) => this.#order(url)),
      authorization: asked('authorization', (url: string) => this.#authorization(url)),
      answerChallenge: asked('answerChallenge', (url: string) => {
        const one = this.#authorizations.get(url.replace('/challenge', ''))!;
        one.toldAt ??= this.#now().getTime();
      }),
      finalize: asked('finalize', (url: string, csr: Uint8Array) =>
        this.#finalize(at, url.replace('/finalize', ''), csr),
      ),
      certificate: asked(
        'certificate',
        (url: string) => this.#orders.get(url.replace('/certificate', ''))!.certificate!,
      ),
      renewalInfo: asked('renewalInfo', (serial: string) => this.#renewalInfo(serial)),
    };
  }

  /** It knows neither accounts nor orders any more. */
  forgetAll(): void {
    this.#accounts.clear();
    this.#orders.clear();
    this.#authorizations.clear();
  }

  #create(directory: string, { names, profile, replaces }: Parameters<AcmeClient['createOrder']>[0]): AcmeOrder {
    if (profile !== null && !this.profiles.has(profile)) {
      throw refusal({ type: 'invalidProfile', detail: `there is no profile ${profile}`, status: 400 });
    }
    if (replaces !== null && [...this.#orders.values()].some((order) => order.replaces === replaces)) {
      throw refusal({ type: 'alreadyReplaced', detail: `${replaces} is replaced already`, status: 409 });
    }
    const { orders, issues, failedValidations } = this.limits;
    this.#limit(this.#newOrders, orders, 'too many new orders');
    const key = names.toSorted().join();
    const ofThis = this.issued.filter((one) => one.directory === directory);
    const sameNames = ofThis.filter((one) => one.names.toSorted().join() === key).map(({ at }) => at);
    this.#limit(sameNames, issues, `too many certificates for ${key}`);
    for (const name of names) {
      this.#limit(this.#failedAt.get(name) ?? [], failedValidations, `too many failed validations of ${name}`);
    }
    this.#newOrders.push(this.#now().getTime());
    const url = `https://ca.example/order/${this.#orders.size + 1}`;
    const authorizations = names.map((name) => {
      const one = `https://ca.example/authorization/${this.#authorizations.size + 1}`;
      const token = randomBytes(16).toString('base64url');
      this.#authorizations.set(one, { name, token, status: 'pending', toldAt: null, problem: null });
      return one;
    });
    this.#orders.set(url, { names, replaces, status: 'pending', authorizations, certificate: null, problem: null });
    return this.#order(url);
  }

  #limit(at: readonly number[], { most, withinMs }: Limits['orders'], detail: string): void {
    const now = this.#now().getTime();
    const within = at.filter((one) => one > now - withinMs).toSorted((a, b) => b - a);
    const oldest = within[most - 1];
    if (oldest === undefined) return;
    this.#retryAfter = oldest + withinMs;
    this.refused(detail);
    throw refusal({ type: 'rateLimited', detail, status: 429 }, new Date(this.#retryAfter));
  }

  #order(url: string): AcmeOrder {
    const order = this.#orders.get(url);
    if (order === undefined) throw refusal({ type: 'malformed', detail: 'no such order', status: 404 });
    const states = order.authorizations.map((one) => this.#authorization(one).status);
    if (order.status === 'pending' && states.includes('invalid')) order.status = 'invalid';
    if (order.status === 'pending' && states.every((state) => state === 'valid')) order.status = 'ready';
    const { names, status, authorizations, problem, certificate } = order;
    return {
      ...{ url, names, status, authorizationUrls: authorizations, problem, expires: null, retryAfter: null },
      finalizeUrl: `${url}/finalize`,
      certificateUrl: certificate === null ? null : `${url}/certificate`,
    };
  }

  #authorization(url: string): AcmeAuthorization {
    const one = this.#authorizations.get(url);
    if (one === undefined) throw refusal({ type: 'malformed', detail: 'no such authorization', status: 404 });
    const now = this.#now().getTime();
    if (one.status === 'pending' && one.toldAt !== null && now >= one.toldAt + this.validationMs(one.name)) {
      const unshown = this.shown.get(one.token) !== `${one.token}.thumbprint`;
      one.problem = unshown ? problemOf('unauthorized', 'wrong answer') : this.validation(one.name);
      one.status = one.problem === null ? 'valid' : 'invalid';
      if (one.problem !== null) this.#failedAt.set(one.name, [...(this.#failedAt.get(one.name) ?? []), now]);
    }
    const { name, status, token, problem } = one;
    const challenge = { type: 'http-01', url: `${url}/challenge`, token, status, problem };
    return { url, name, wildcard: false, status, challenges: [challenge], retryAfter: null };
  }

  /** Failed validations of a name, as times. */
  failedAt(name: string): readonly number[] {
    return this.#failedAt.get(name) ?? [];
  }

  #finalize(directory: string, url: string, csr: Uint8Array): AcmeOrder {
    const order = this.#orders.get(url)!;
    if (order.status !== 'ready')
      throw refusal({ type: 'orderNotReady', detail: `it is ${order.status}`, status: 403 });
    const now = this.#now();
    const notAfter = new Date(now.getTime() + this.lifetimeMs);
    const life = { notBefore: new Date(now.getTime() - HOUR), notAfter };
    const issuer = { commonName: 'Test CA', privateKey: this.#keys.privateKey };
    const publicKey = createPublicKey({ key: Buffer.from(csr), type: 'spki', format: 'der' });
    order.certificate =
      issueCertificate({ commonName: order.names[0]!, publicKey, issuer, names: order.names, ...life }) +
      this.#root(life);
    order.status = 'valid';
    this.issued.push({ directory, names: order.names, at: now.getTime(), notAfter: notAfter.getTime() });
    return this.#order(url);
  }

  #root(life: { readonly notBefore: Date; readonly notAfter: Date }): string {
    return issueSelfSigned({ commonName: 'Test CA', ...life, privateKey: this.#keys.privateKey, ca: true });
  }

  #renewalInfo(serial: string) {
    const order = [...this.#orders.values()].find(
      ({ certificate }) => certificate !== null && new X509Certificate(certificate).serialNumber === serial,
    );
    if (order?.certificate == null || this.window === null)
      throw refusal(problemOf('malformed', 'unknown certificate'));
    const { validFromDate, validToDate } = new X509Certificate(order.certificate);
    const retryAfter = new Date(this.#now().getTime() + this.pollMs);
    return { ...this.window(validFromDate, validToDate), explanationUrl: null, retryAfter };
  }
}

export function problemOf(type: string, detail: string, status: number | null = null): AcmeProblemDocument {
  return { type, detail, status, subproblems: [] };
}

export function refusal(
  problem: Partial<AcmeProblemDocument>,
  retryAfter: Date | null = null,
  scope: { readonly ofOrder?: boolean } = {},
): AcmeRefusal {
  return new AcmeRefusal({ ...problemOf('unknown', ''), ...problem }, retryAfter, scope);
}

export function unreachable(retryAfter: Date | null = null): AcmeUnreachable {
  return new AcmeUnreachable('no answer within 15 s', retryAfter);
}

/** At an address of the order. */
export function failedReply(retryAfter: Date | null = null): AcmeUnreachable {
  return new AcmeUnreachable('HTTP 500, a failure of the authority', retryAfter, { ofOrder: true });
}
