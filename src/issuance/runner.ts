// Advances one order from state to state. What a state names is stored before the authority is asked for the next thing, so
// that an order goes on after a crash where it was, and no certificate is issued twice.
import { type KeyObject, X509Certificate } from 'node:crypto';
import {
  type AcmeAuthorization,
  type AcmeClient,
  type AcmeOrder,
  AcmeRefusal,
  AcmeUnreachable,
} from '../acme/authority.ts';
import { crashPoint } from '../faults/crash-point.ts';
import { CannotUnseal, type Sealer } from '../secrets/sealed.ts';
import type { SecretText } from '../secrets/secret-text.ts';
import type { AcmeCertificatesStore } from '../store/acme-certificates-store.ts';
import {
  type AcmeOrdersStore,
  type ChallengeType,
  type IssuanceOrder,
  type OrderChallenge,
  OrderClosed,
  type OrderKey,
} from '../store/acme-orders-store.ts';
import type { NamesOwned } from '../store/certificates-store.ts';
import type { CertificateOutcome, Certificates } from '../tls/certificates.ts';
import { type Account, type Accounts, newKey, pemOf } from './accounts.ts';
import { wrongByMs } from './authority-clock.ts';
import { isLimit } from './authority-pauses.ts';
import type { ChallengeBoard } from './challenge-board.ts';
import { judgedAt } from './issued-time.ts';
import { mostMsOf, type OrderAges } from './order-ages.ts';
import { OrderFailed, OrderWaits } from './order-outcomes.ts';
import {
  authorityProblem,
  CLOCK_PROBLEM,
  isOfAccount,
  isOfRequest,
  ownProblem,
  validationProblem,
} from './problems.ts';
import { pollAgainAt, renewalByAge } from './schedule.ts';

interface RunnerDeps {
  readonly orders: AcmeOrdersStore;
  readonly wanted: AcmeCertificatesStore;
  readonly accounts: Accounts;
  readonly sealer: Pick<Sealer, 'seal' | 'open'>;
  readonly certificates: Pick<Certificates, 'putIssued' | 'owners' | 'livesFor'>;
  readonly board: ChallengeBoard;
  readonly ages: OrderAges;
  readonly keyAuthorization: (token: string, accountKey: KeyObject) => string;
  /** DER, signed with the key. */
  readonly createCsr: (names: readonly string[], key: KeyObject) => Uint8Array;
  /** Null: the certificate has none. */
  readonly renewalId: (certificatePem: string) => string | null;
  readonly now: () => Date;
  /** How far the clock of this machine is ahead of the authority's; null: not known. */
  readonly clockOffsetMs: () => number | null;
  readonly random: () => number;
}

const TABLE = 'acme_orders';
/** After an answer this long past the end of the order, it is not waited for any longer. */
const LATE_MS = 3_600_000;
/** RFC 8555, 8.1. */
const TOKEN = /^[\w-]{1,200}$/;

export class Runner {
  readonly #deps: RunnerDeps;
  /** Challenges that were answered since the start of the service. */
  readonly #told = new Set<string>();

  constructor(deps: RunnerDeps) {
    this.#deps = deps;
  }

  /**
   * Takes the order to its next state. Returns when to call again for it; null: at once, or it is closed. Throws
   * `OrderFailed`, `OrderWaits`, `OrderClosed`, and what account and client throw.
   */
  async step(order: IssuanceOrder): Promise<Date | null> {
    if (order.state === 'planned') await this.#prepare(order);
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

  /** Nothing is asked of an authority that would be of no use. */
  async #prepare(order: IssuanceOrder): Promise<void> {
    const { certificate, names } = order;
    const owners = [...(await this.#deps.certificates.owners(names))];
    const owned = owners.filter(([, owner]) => owner !== certificate);
    if (owned.length > 0) throw this.#owned(owned.map(([name, of]) => ({ name, certificate: of })));
    await this.#deps.board.test(await this.#challengeType(order), names);
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
    const { status, authorizationUrls, problem } = await this.#read(order, client.order(order.url!));
    if (status === 'invalid') throw this.#refused(problem);
    const challenges: OrderChallenge[] = [];
    const type = await this.#challengeType(order);
    if (status === 'pending') {
      for (const url of authorizationUrls) {
        const authorization = await this.#read(order, client.authorization(url));
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
      const answer = await this.#read(order, client.authorization(authorizationUrl));
      const { status, challenges, retryAfter } = answer;
      if (status === 'valid') continue;
      if (status !== 'pending') {
        const problem = challenges.find(({ url }) => url === challengeUrl)?.problem ?? null;
        failed.push({ name, problem: problem ?? stateProblem(name, status) });
        continue;
      }
      if (!this.#told.has(challengeUrl)) await this.#tell(order, authorizationUrl, challengeUrl, client);
      waits.push(retryAfter);
    }
    // Answers that are not shown any longer would fail the names that are being validated.
    if (waits.length > 0 && !(failed.length > 0 && this.#deps.ages.isOver(order, 'authority'))) {
      return this.#wait(order, waits);
    }
    for (const { challengeUrl } of order.challenges) this.#told.delete(challengeUrl);
    if (failed.length > 0) {
      const problem = validationProblem(failed, this.#deps.now());
      throw new OrderFailed(problem, { failedNames: failed.map(({ name }) => name) });
    }
    const { status, problem, retryAfter, expires } = await this.#read(order, client.order(order.url!));
    if (status === 'pending') return this.#wait(order, [retryAfter], expires);
    if (status === 'invalid') throw this.#refused(problem);
    if (status !== 'ready') {
      throw this.#fault('unauthorized', `the authority shows the order as ${status}, which it cannot be`);
    }
    return await this.#storeKey(order);
  }

  async #tell(order: IssuanceOrder, authorizationUrl: string, challengeUrl: string, client: AcmeClient) {
    try {
      await client.answerChallenge(challengeUrl);
    } catch (error) {
      if (!(error instanceof AcmeRefusal)) throw error;
      // If a request before a crash was carried out, it may be validated since it was read: then it is refused.
      const { challenges } = await this.#read(order, client.authorization(authorizationUrl));
      if (challenges.find(({ url }) => url === challengeUrl)?.status === 'pending') throw error;
    }
    this.#told.add(challengeUrl);
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
    // Without it the certificate would be of no use.
    this.#openKey(order);
    let answer = await this.#read(order, client.order(order.url!));
    if (answer.status === 'ready') {
      answer = await this.#ask(order, client);
      crashPoint('acme.finalized');
    }
    const { status, certificateUrl, retryAfter, problem, expires } = answer;
    if (status === 'valid' && certificateUrl !== null) {
      await this.#deps.orders.step(order.id, { state: 'issued', certificateUrl }, this.#deps.now());
      crashPoint('acme.issued');
      return null;
    }
    if (status === 'invalid') throw this.#refused(problem);
    // Also if it is pending: a server of the authority may not know yet that the names are valid.
    return this.#wait(order, [retryAfter], expires);
  }

  /** Asks for the certificate. A first request, whose reply was lost, may have been carried out. */
  async #ask(order: IssuanceOrder, client: AcmeClient): Promise<AcmeOrder> {
    try {
      return await client.finalize(order.finalizeUrl!, keyOf(order).csr);
    } catch (error) {
      if (!(error instanceof AcmeRefusal) || isLimit(error) || isOfAccount(error.problem)) throw error;
      const problem = authorityProblem(error.problem, this.#deps.now());
      if (isOfRequest(error.problem)) throw new OrderFailed(problem, { notIssued: true });
      const now = await this.#read(order, client.order(order.url!));
      if (now.status !== 'ready') return now;
      // It is repeated: only this long after the first request is it certain that nothing is issued.
      if (this.#deps.ages.isOver(order, 'authority')) throw new OrderFailed(problem, { notIssued: true });
      throw error;
    }
  }

  async #store(order: IssuanceOrder, { client }: Account): Promise<null> {
    const { wanted, certificates, renewalId, now, random } = this.#deps;
    const certificate = await this.#read(order, client.certificate(order.certificateUrl!));
    const at = await this.#judgedAt(order, certificate);
    const ariId = (await this.#hasRenewalInfo(client)) ? renewalId(certificate) : null;
    const issued = { certificate, privateKey: this.#openKey(order).reveal() };
    const outcome = await certificates.putIssued(order.certificate, issued, at, async (transaction, version) => {
      this.#checkNames(order, version.names);
      const life = { notBefore: new Date(version.notBefore), notAfter: new Date(version.notAfter) };
      const dueAt = renewalByAge(life, at, random());
      await wanted.stored(transaction, order, { dueAt, ariId, ariPollAt: ariId === null ? null : now() }, now());
    });
    if (!outcome.ok) throw this.#unusable(outcome);
    return null;
  }

  /** If the authority does not say, the certificate does not wait for it: `RenewalWindows` asks. */
  async #hasRenewalInfo(client: AcmeClient): Promise<boolean> {
    try {
      return (await client.directory()).renewalInfo;
    } catch (error) {
      if (error instanceof AcmeUnreachable || error instanceof AcmeRefusal) return true;
      throw error;
    }
  }

  /** A key that was sealed with a lost secret ends the order. Not reached without a secret: there is no account then. */
  #openKey(order: IssuanceOrder): SecretText {
    const { sealer, now } = this.#deps;
    const { sealed, publicKeySha256 } = keyOf(order);
    try {
      return sealer.open(sealed, sealedFor(order, publicKeySha256));
    } catch (error) {
      if (!(error instanceof CannotUnseal)) throw error;
      const detail = 'the private key of the order was sealed with another secret; the next order makes another key';
      throw new OrderFailed(ownProblem('will retry', { type: 'key', detail }, now()));
    }
  }

  /** It exists already, so it waits for the clock: another one would be of the same time. */
  async #judgedAt(order: IssuanceOrder, certificate: string): Promise<Date> {
    const { certificates, clockOffsetMs } = this.#deps;
    const now = this.#deps.now();
    const { validFromDate: notBefore, validToDate: notAfter } = new X509Certificate(certificate);
    const served = await certificates.livesFor(order.names);
    const at = judgedAt({ notBefore, notAfter }, served, now, wrongByMs(clockOffsetMs()));
    if (at !== null) return at;
    const life = `${notBefore.toISOString()} to ${notAfter.toISOString()}`;
    const detail = `the issued certificate is valid from ${life}, and the clock of this machine shows ${now.toISOString()}`;
    const advice = 'Correct the clock.';
    throw new OrderWaits(ownProblem('will retry', { type: CLOCK_PROBLEM, detail, advice }, now));
  }

  #checkNames({ names }: IssuanceOrder, issued: readonly string[]): void {
    const missing = names.filter((name) => !issued.includes(name));
    if (missing.length === 0) return;
    const detail = `the authority issued a certificate without ${missing.join(', ')}`;
    throw new OrderFailed(ownProblem('needs attention', { type: 'certificate', detail }, this.#deps.now()));
  }

  /** The answer of the authority about an order: its age counts from the first. */
  async #read<T>(order: IssuanceOrder, answer: Promise<T>): Promise<T> {
    return await this.#deps.ages.read(order, answer);
  }

  /** @param expires when the order does, by the authority */
  #wait(order: IssuanceOrder, retryAfter: readonly (Date | null)[], expires: Date | null = null): Date {
    const { ages, now } = this.#deps;
    const { authority: mostMs } = mostMsOf(order.state);
    const waitedMs = ages.waitedMs(order);
    // If it had expired when it began, the clock is ahead.
    const ends = expires !== null && expires > order.createdAt ? expires : null;
    const isLate = ends !== null && ends < now() && waitedMs > LATE_MS;
    if (isLate || ages.isOver(order, 'authority')) {
      const within = isLate ? `before it expired, at ${ends.toISOString()}` : `within ${mostMs / 3_600_000} h`;
      throw this.#fault('unreachable', `the authority did not finish the order (${order.state}) ${within}`);
    }
    const asked = Math.max(...retryAfter.map((one) => one?.getTime() ?? 0));
    const most = now().getTime() + mostMs;
    return new Date(Math.min(Math.max(asked, pollAgainAt(waitedMs, now()).getTime()), most));
  }

  #refused(problem: AcmeOrder['problem']): OrderFailed {
    if (problem === null) return this.#fault('unknown', 'the authority declared the order invalid and did not say why');
    return new OrderFailed(authorityProblem(problem, this.#deps.now()), { notIssued: true });
  }

  #fault(type: string, detail: string): OrderFailed {
    return new OrderFailed(ownProblem('will retry', { type, detail }, this.#deps.now()));
  }

  #unusable(outcome: CertificateOutcome & { readonly ok: false }): OrderFailed {
    if (outcome.kind === 'owned') return this.#owned(outcome.owned);
    const detail =
      outcome.kind === 'invalid'
        ? `the authority issued a certificate that cannot be served: ${outcome.why}`
        : `the certificate cannot be stored (${outcome.kind})`;
    return new OrderFailed(ownProblem('needs attention', { type: 'certificate', detail }, this.#deps.now()));
  }

  #owned(owned: NamesOwned['owned']): OrderFailed {
    const detail = `names belong to other certificates: ${owned.map((one) => `${one.name} to ${one.certificate}`).join(', ')}`;
    const advice = 'Remove the other certificate, or stop the renewal of this one.';
    return new OrderFailed(ownProblem('needs attention', { type: 'certificate', detail, advice }, this.#deps.now()));
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
