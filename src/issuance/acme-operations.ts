// The operations on certificates of an authority: what clients send and receive, and why an operation is refused.
import type { AcmeAttempt, AcmeCertificate, AcmeProblem, AcmeRequest, AcmeStatus } from '../api/acme-records.ts';
import type { Caller } from '../api/caller.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import { tlsNotConfigured } from '../errors/tls-not-configured.ts';
import type { Emit } from '../events/facts.ts';
import type { ChallengeType, IssuanceOrder } from '../store/acme-orders-store.ts';
import type { IssuanceProblem } from '../store/issuance-problem.ts';
import type { WantedCertificate } from '../store/wanted-certificate.ts';
import { causeText } from '../telemetry/cause-text.ts';
import { ChallengeNotShown } from './challenge-board.ts';
import type { Issuance } from './issuance.ts';

interface OperationsDeps {
  /** Or why nothing is ordered: HAProxy serves no TLS, or a sentence. */
  readonly issuance: Issuance | { readonly tls: false } | { readonly setting: string; readonly why: string };
  /** Of certificates of any source, by name. */
  readonly owners: (names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Null: there is none of this id. */
  readonly namesOf: (certificate: string) => Promise<readonly string[] | null>;
  /** Whether names can be validated by dns-01. */
  readonly hasDnsHook: boolean;
  /** Why HAProxy would not serve a new certificate, a clause; null: it would, or an operator runs it. @throws of the file */
  readonly whyNotServed: () => Promise<string | null>;
  readonly emit: Emit;
}

const MOST_NEXT = 100;
const MOST_ATTEMPTS = 20;

/** Each operation is refused with 6043 if HAProxy serves no TLS, and with 6058 without an authority. */
export class AcmeOperations {
  readonly #deps: OperationsDeps;

  constructor(deps: OperationsDeps) {
    this.#deps = deps;
  }

  async status(): Promise<AcmeStatus> {
    const issuance = this.#issuance('get authority');
    const all = (await issuance.all()).toSorted((a, b) => a.dueAt.getTime() - b.dueAt.getTime());
    return {
      ...(await issuance.account()),
      pauses: (await issuance.pauses()).map(({ directory, scope, until, problem }) => ({
        ...{ directory, scope, until: until.toISOString() },
        problem: problemRecord(problem),
      })),
      total: all.length,
      failing: all.filter(({ problem }) => problem !== null).length,
      next: all.slice(0, MOST_NEXT).map((certificate) => recordOf(certificate, [])),
    };
  }

  /** `names`: in lower case, each once. Errors: 100, 6042, 6052, 6053, 6059, 6060, 6062, 6063. */
  async request(
    names: readonly string[],
    { profile, challenge }: Pick<AcmeRequest, 'profile' | 'challenge'>,
    caller: Caller,
  ): Promise<AcmeCertificate> {
    const op = 'request certificate';
    const issuance = this.#issuance(op);
    const type = this.#challengeFor(op, names, challenge);
    const id = await this.#takenOver(op, issuance, names);
    await this.#refuseUnserved(op);
    await this.#refuseUnanswered(op, issuance, names, type);
    const wanted = await issuance.request(names, { profile: profile ?? null, challenge: type, id }, caller);
    if ('ordered' in wanted) {
      const [{ name, certificate }] = wanted.ordered;
      throw new ServiceError(
        codes.NameIsOrdered,
        op,
        `a certificate for the name ${name} is ordered already: ${certificate}; to order one for other names, stop its renewal first. Nothing is ordered`,
        { members: { owned: [...wanted.ordered] } },
      );
    }
    if (!wanted.added) {
      const { id } = wanted.certificate;
      throw new ServiceError(
        codes.AlreadyOrdered,
        op,
        `a certificate for exactly these names is ordered already: ${id}; renew it to repeat the order`,
        { members: { certificate: id } },
      );
    }
    this.#done('request_certificate', wanted.certificate.id, caller);
    return recordOf(wanted.certificate, []);
  }

  /** Errors: 1100. */
  async get(id: string): Promise<AcmeCertificate> {
    const op = 'get orders';
    const issuance = this.#issuance(op);
    const certificate = found(op, id, await issuance.get(id));
    return recordOf(certificate, await issuance.attempts(id, MOST_ATTEMPTS));
  }

  /** Errors: 1100. */
  async renew(id: string, caller: Caller): Promise<AcmeCertificate> {
    const op = 'renew certificate';
    const issuance = this.#issuance(op);
    const certificate = found(op, id, await issuance.renew(id, caller));
    this.#done('renew_certificate', id, caller);
    return recordOf(certificate, await issuance.attempts(id, MOST_ATTEMPTS));
  }

  /** Errors: 1100. */
  async stop(id: string, caller: Caller): Promise<{ readonly id: string }> {
    const op = 'stop renewal';
    const issuance = this.#issuance(op);
    found(op, id, await issuance.forget(id, caller));
    this.#done('stop_renewal', id, caller);
    return { id };
  }

  /**
   * The certificate that has these names, if none of its names loses its certificate: it may be uploaded, or not renewed any
   * more. Null: none has any of them. Errors: 6042, 6059.
   */
  async #takenOver(op: string, issuance: Issuance, names: readonly string[]): Promise<string | null> {
    const owners = [...(await this.#deps.owners(names))];
    const [owned] = owners;
    if (owned === undefined) return null;
    const [name, certificate] = owned;
    const kept = (await this.#deps.namesOf(certificate)) ?? [];
    const isOne = owners.every(([, owner]) => owner === certificate) && kept.every((one) => names.includes(one));
    const ordered = await issuance.get(certificate);
    // With exactly these names, it is ordered already, which the caller says.
    if (isOne && (ordered === null || isSame(ordered.names, names))) return certificate;
    throw new ServiceError(
      codes.NameHasCertificate,
      op,
      `the name ${name} belongs to the certificate ${certificate}; remove that certificate first. Nothing is ordered`,
      { members: { owned: owners.map(([one, of]) => ({ name: one, certificate: of })) } },
    );
  }

  async #refuseUnserved(op: string): Promise<void> {
    let why: string | null;
    try {
      why = await this.#deps.whyNotServed();
    } catch (cause) {
      why = `the configuration could not be read: ${causeText(cause)}`;
    }
    if (why !== null) throw new ServiceError(codes.CertificateListUnused, op, `nothing is ordered: ${why}`);
  }

  /** Before anything is stored: what the authority would not see costs a failed validation. */
  async #refuseUnanswered(
    op: string,
    issuance: Issuance,
    names: readonly string[],
    type: ChallengeType,
  ): Promise<void> {
    try {
      await issuance.test(type, names);
    } catch (error) {
      if (!(error instanceof ChallengeNotShown)) throw error;
      const { cause } = error;
      const detail = `nothing is ordered: ${error.message}`;
      if (!(cause instanceof ServiceError))
        throw new ServiceError(codes.ChallengesNotShown, op, detail, { cause: error });
      const { code, members, retryAfterSeconds } = cause;
      const retry = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
      throw new ServiceError(code, op, detail, { cause: error, members, ...retry });
    }
  }

  #challengeFor(op: string, names: readonly string[], asked: AcmeRequest['challenge']): ChallengeType {
    const index = names.findIndex((name) => name.startsWith('*.'));
    if (index >= 0 && asked === 'http-01') {
      const description = `${names[index]} is a wildcard, which authorities validate by dns-01 only`;
      const fields = [{ name: `names[${index}]`, description }];
      throw new ServiceError(codes.InvalidParameter, op, `names[${index}]: ${description}`, { fields });
    }
    const type = asked ?? (index >= 0 ? 'dns-01' : 'http-01');
    if (type === 'http-01' || this.#deps.hasDnsHook) return type;
    const setting = 'PROXY_MANAGER_ACME_DNS_HOOK';
    const why = index < 0 ? '' : `${names[index]} can be validated by dns-01 only: `;
    const detail = `nothing is ordered: ${why}set ${setting} to a program that creates TXT records, and restart the service`;
    throw new ServiceError(codes.DnsHookMissing, op, detail, { members: { setting } });
  }

  #issuance(op: string): Issuance {
    const { issuance } = this.#deps;
    if ('tls' in issuance) throw tlsNotConfigured(op);
    if ('why' in issuance) {
      throw new ServiceError(codes.AcmeNotConfigured, op, issuance.why, { members: { setting: issuance.setting } });
    }
    return issuance;
  }

  #done(
    operation: 'request_certificate' | 'renew_certificate' | 'stop_renewal',
    certificate: string,
    caller: Caller,
  ): void {
    this.#deps.emit('operation.done', { operation, caller, subject: { certificate } });
  }
}

function isSame(names: readonly string[], others: readonly string[]): boolean {
  return names.length === others.length && names.every((name) => others.includes(name));
}

function found<T>(op: string, id: string, value: T | null): T {
  if (value !== null) return value;
  throw new ServiceError(codes.NotFound, op, `no certificate ${id} is ordered from an authority`);
}

function recordOf(certificate: WantedCertificate, orders: readonly IssuanceOrder[]): AcmeCertificate {
  const { id, names, challenge, profile, directory, life, dueAt, dueBy, failures, problem } = certificate;
  return {
    ...{ id, names, challenge, profile, directory, failures },
    not_after: life?.notAfter.toISOString() ?? null,
    due_at: dueAt.toISOString(),
    due_by: dueBy,
    problem: problem === null ? null : problemRecord(problem),
    attempts: orders.map(attemptOf),
  };
}

function attemptOf({ state, directory, createdAt, closedAt, problem }: IssuanceOrder): AcmeAttempt {
  return {
    ...{ state, directory, began_at: createdAt.toISOString(), ended_at: closedAt?.toISOString() ?? null },
    problem: problem === null ? null : problemRecord(problem),
  };
}

function problemRecord(problem: IssuanceProblem): AcmeProblem {
  const { type, detail, subproblems, advice, at } = problem;
  return { class: problem.class, type, detail, subproblems, advice, at };
}
