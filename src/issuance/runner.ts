// Advances one order from state to state. What a state names is stored before the authority is asked for the next thing, so
// that an order goes on after a crash where it was, and no certificate is issued twice.
import type { KeyObject } from 'node:crypto';
import { type AcmeAuthorization, type AcmeOrder, AcmeRefusal } from '../acme/authority.ts';
import { crashPoint } from '../faults/crash-point.ts';
import type { Sealer } from '../secrets/sealed.ts';
import type { AcmeCertificatesStore } from '../store/acme-certificates-store.ts';
import {
  type AcmeOrdersStore,
  type ChallengeType,
  type IssuanceOrder,
  type OrderChallenge,
  OrderClosed,
  type OrderKey,
} from '../store/acme-orders-store.ts';
import type { IssuanceProblem } from '../store/issuance-problem.ts';
import type { CertificateOutcome, Certificates } from '../tls/certificates.ts';
import { type Account, type Accounts, newKey, pemOf } from './accounts.ts';
import type { ChallengeBoard } from './challenge-board.ts';
import { authorityProblem, ownProblem, validationProblem } from './problems.ts';
import { pollAgainAt, renewalByAge } from './schedule.ts';

interface RunnerDeps {
  readonly orders: AcmeOrdersStore;
  readonly wanted: AcmeCertificatesStore;
  readonly accounts: Accounts;
  readonly sealer: Pick<Sealer, 'seal' | 'open'>;
  readonly certificates: Pick<Certificates, 'putIssued'>;
  readonly board: ChallengeBoard;
  readonly keyAuthorization: (token: string, accountKey: KeyObject) => string;
  /** DER, signed with the key. */
  readonly createCsr: (names: readonly string[], key: KeyObject) => Uint8Array;
  /** Null: the certificate has none. */
  readonly renewalId: (certificatePem: string) => string | null;
  readonly now: () => Date;
  readonly random: () => number;
}

export interface OrderEnd {
  /** Whose validation failed. */
  readonly failedNames?: readonly string[];
  /** The authority refused to issue, so this order does not count as an issue. Absent: it may have issued. */
  readonly notIssued?: boolean;
}

/** Ends the order with this problem. */
export class OrderFailed extends Error implements OrderEnd {
  readonly problem: IssuanceProblem;
  readonly failedNames: readonly string[];
  readonly notIssued: boolean;

  constructor(problem: IssuanceProblem, { failedNames = [], notIssued = false }: OrderEnd = {}) {
    super(problem.detail);
    this.name = 'OrderFailed';
    this.problem = problem;
    this.failedNames = failedNames;
    this.notIssued = notIssued;
  }
}

const TABLE = 'acme_orders';
const PASSING: ReadonlySet<string> = new Set(['orderNotReady', 'rateLimited', 'accountDoesNotExist']);
/** RFC 8555, 8.1. */
const TOKEN = /^[\w-]{1,200}$/;
/** An authority that validates at all does so within seconds. */
const VALIDATION_MS = 3_600_000;
/** What was asked for may still be issued: longer. */
const ISSUE_MS = 86_400_000;

export class Runner {
  readonly #deps: RunnerDeps;
  /** Challenges that were answered since the start of the service. */
  readonly #told = new Set<string>();

  constructor(deps: RunnerDeps) {
    this.#deps = deps;
  }

  /**
   * Takes the order to its next state. Returns when to call again for it; null: at once, or it is closed. Throws
   * `OrderFailed`, `OrderClosed`, and what account and client throw.
   */
  async step(order: IssuanceOrder): Promise<Date | null> {
    // Nothing is asked of an authority whose challenges would not be answered.
    if (order.state === 'planned') await this.#deps.board.test(await this.#challengeType(order), order.names);
    const account = await this.#deps.accounts.of(order.directory);
    switch (order.state) {
      case 'planned':
        return await this.#create(order, account);
      case 'created':
        return await this.#choose(order, account);
      case 'showing':
        return await this.#show(order);
      case 'told':
        return await this.#validate(order, account);
      case 'finalizing':
        return await this.#finalize(order, account);
      case 'issued':
        return await this.#store(order, account);
      case 'stored':
      case 'failed':
        return null;
    }
  }

  async #create(order: IssuanceOrder, { client }: Account): Promise<null> {
    const { names, profile, replaces } = order;
    const { url, finalizeUrl } = await client.createOrder({ names, profile, replaces });
    await this.#deps.orders.step(order.id, { state: 'created', url, finalizeUrl }, this.#deps.now());
    crashPoint('acme.created');
    return null;
  }

  /** A challenge for each name that the authority has not validated yet. */
  async #choose(order: IssuanceOrder, { client, key }: Account): Promise<null> {
    const { orders, keyAuthorization, now } = this.#deps;
    const { status, authorizationUrls, problem } = await client.order(order.url!);
    if (status === 'invalid') throw this.#refused(problem);
    const challenges: OrderChallenge[] = [];
    const type = await this.#challengeType(order);
    if (status === 'pending') {
      for (const url of authorizationUrls) {
        const authorization = await client.authorization(url);
        if (authorization.status === 'valid') continue;
        const name = this.#nameOf(authorization, order);
        const { token, challengeUrl } = this.#challengeOf(authorization, type);
        const shown = { token, keyAuthorization: keyAuthorization(token, key) };
        challenges.push({ type, name, authorizationUrl: url, challengeUrl, ...shown });
      }
    }
    await orders.step(order.id, { state: 'showing', challenges }, now());
    crashPoint('acme.showing');
    return null;
  }

  async #challengeType({ id, certificate }: IssuanceOrder): Promise<ChallengeType> {
    const wanted = await this.#deps.wanted.get(certificate);
    if (wanted === null) throw new OrderClosed(id);
    return wanted.challenge;
  }

  /** Of the order: it reaches hooks and HAProxy. */
  #nameOf({ name, wildcard }: AcmeAuthorization, { names }: IssuanceOrder): string {
    const full = wildcard ? `*.${name}` : name;
    if (names.includes(full)) return full;
    throw this.#fault('malformed', `the authority asks to validate ${JSON.stringify(full)}, which was not ordered`);
  }

  #challengeOf({ name, challenges, status }: AcmeAuthorization, wanted: ChallengeType) {
    if (status !== 'pending') throw this.#fault('unauthorized', `the authorization of ${name} is ${status}`);
    const offer = challenges.find(({ type }) => type === wanted);
    if (offer?.token && TOKEN.test(offer.token)) return { token: offer.token, challengeUrl: offer.url };
    const offered = challenges.map(({ type }) => type).join(', ');
    const detail = `the authority offers no ${wanted} challenge for ${name}, only ${offered}`;
    throw new OrderFailed(ownProblem('needs attention', { type: 'challenge', detail }, this.#deps.now()));
  }

  async #show(order: IssuanceOrder): Promise<null> {
    if (order.challenges.length > 0) {
      await this.#deps.board.show(await this.#challengeType(order), order.challenges);
    }
    await this.#deps.orders.step(order.id, { state: 'told' }, this.#deps.now());
    crashPoint('acme.told');
    return null;
  }

  async #validate(order: IssuanceOrder, { client }: Account): Promise<Date | null> {
    const failed = [];
    const waits: (Date | null)[] = [];
    for (const { name, authorizationUrl, challengeUrl } of order.challenges) {
      const { status, challenges, retryAfter } = await client.authorization(authorizationUrl);
      if (status === 'valid') continue;
      if (status !== 'pending') {
        const problem = challenges.find(({ url }) => url === challengeUrl)?.problem ?? null;
        failed.push({ name, problem: problem ?? stateProblem(name, status) });
        continue;
      }
      if (!this.#told.has(challengeUrl)) {
        await client.answerChallenge(challengeUrl);
        this.#told.add(challengeUrl);
      }
      waits.push(retryAfter);
    }
    if (failed.length > 0) {
      const problem = validationProblem(failed, this.#deps.now());
      throw new OrderFailed(problem, { failedNames: failed.map(({ name }) => name) });
    }
    if (waits.length > 0) return this.#wait(order, waits, VALIDATION_MS);
    for (const { challengeUrl } of order.challenges) this.#told.delete(challengeUrl);
    const { status, problem, retryAfter } = await client.order(order.url!);
    if (status === 'pending') return this.#wait(order, [retryAfter], VALIDATION_MS);
    if (status !== 'ready') throw this.#unexpected(status, problem);
    return await this.#storeKey(order);
  }

  /** From here on the certificate may be issued: it counts, and after a crash the same key and CSR are used. */
  async #storeKey(order: IssuanceOrder): Promise<null> {
    const { orders, sealer, createCsr, now } = this.#deps;
    const { privateKey, publicKeySha256 } = newKey();
    const sealed = sealer.seal(pemOf(privateKey), sealedFor(order, publicKeySha256));
    const key = { sealed, publicKeySha256, csr: createCsr(order.names, privateKey) };
    await orders.step(order.id, { state: 'finalizing', key, finalizedAt: now() }, now());
    crashPoint('acme.key-stored');
    await this.#deps.board.clear();
    return null;
  }

  async #finalize(order: IssuanceOrder, { client }: Account): Promise<Date | null> {
    let answer = await client.order(order.url!);
    if (answer.status === 'ready') {
      answer = await this.#asked(client.finalize(order.finalizeUrl!, keyOf(order).csr));
      crashPoint('acme.finalized');
    }
    const { status, certificateUrl, retryAfter, problem } = answer;
    if (status === 'valid' && certificateUrl !== null) {
      await this.#deps.orders.step(order.id, { state: 'issued', certificateUrl }, this.#deps.now());
      crashPoint('acme.issued');
      return null;
    }
    if (status === 'invalid' || status === 'pending') throw this.#unexpected(status, problem);
    return this.#wait(order, [retryAfter], ISSUE_MS);
  }

  /** A refusal to issue. Others say nothing about this order, or that it was carried out. */
  async #asked(finalized: Promise<AcmeOrder>): Promise<AcmeOrder> {
    try {
      return await finalized;
    } catch (error) {
      if (!(error instanceof AcmeRefusal) || error.problem.status === 429 || PASSING.has(error.problem.type))
        throw error;
      throw new OrderFailed(authorityProblem(error.problem, this.#deps.now()), { notIssued: true });
    }
  }

  async #store(order: IssuanceOrder, { client, renewalInfo }: Account): Promise<null> {
    const { wanted, certificates, sealer, renewalId, now, random } = this.#deps;
    const certificate = await client.certificate(order.certificateUrl!);
    const { sealed, publicKeySha256 } = keyOf(order);
    const privateKey = sealer.open(sealed, sealedFor(order, publicKeySha256)).reveal();
    const ariId = renewalInfo ? renewalId(certificate) : null;
    const issued = { certificate, privateKey };
    const outcome = await certificates.putIssued(order.certificate, issued, async (transaction, version) => {
      const life = { notBefore: new Date(version.notBefore), notAfter: new Date(version.notAfter) };
      const dueAt = renewalByAge(life, now(), random());
      await wanted.stored(transaction, order, { dueAt, ariId, ariPollAt: ariId === null ? null : now() }, now());
    });
    if (!outcome.ok) throw this.#unusable(outcome);
    return null;
  }

  #wait(order: IssuanceOrder, retryAfter: readonly (Date | null)[], mostMs: number): Date {
    const now = this.#deps.now();
    const waited = now.getTime() - order.updatedAt.getTime();
    if (waited > mostMs) {
      const hours = mostMs / 3_600_000;
      throw this.#fault('unreachable', `the authority did not finish the order (${order.state}) within ${hours} h`);
    }
    const asked = Math.max(...retryAfter.map((one) => one?.getTime() ?? 0));
    const most = now.getTime() + mostMs;
    return new Date(Math.min(Math.max(asked, pollAgainAt(order.updatedAt, now).getTime()), most));
  }

  #unexpected(status: AcmeOrder['status'], problem: AcmeOrder['problem']): OrderFailed {
    if (status === 'invalid') return this.#refused(problem);
    return this.#fault('unauthorized', `the authority shows the order as ${status}, which it cannot be`);
  }

  #refused(problem: AcmeOrder['problem']): OrderFailed {
    if (problem === null) return this.#fault('unknown', 'the authority declared the order invalid and did not say why');
    return new OrderFailed(authorityProblem(problem, this.#deps.now()), { notIssued: true });
  }

  #fault(type: string, detail: string): OrderFailed {
    return new OrderFailed(ownProblem('will retry', { type, detail }, this.#deps.now()));
  }

  #unusable(outcome: CertificateOutcome & { readonly ok: false }): OrderFailed {
    const detail =
      outcome.kind === 'owned'
        ? `names belong to other certificates: ${outcome.owned.map((one) => `${one.name} to ${one.certificate}`).join(', ')}`
        : outcome.kind === 'invalid'
          ? `the authority issued a certificate that cannot be served: ${outcome.why}`
          : `the certificate cannot be stored (${outcome.kind})`;
    return new OrderFailed(ownProblem('needs attention', { type: 'certificate', detail }, this.#deps.now()));
  }
}

function stateProblem(name: string, status: string) {
  return { type: 'unknown', detail: `the authorization of ${name} is ${status}`, status: null, subproblems: [] };
}

function keyOf({ id, key }: IssuanceOrder): OrderKey {
  if (key === null) throw new Error(`the order ${id} has no key`);
  return key;
}

function sealedFor({ id }: IssuanceOrder, publicKeySha256: string) {
  return { table: TABLE, id: String(id), publicKeySha256 };
}
