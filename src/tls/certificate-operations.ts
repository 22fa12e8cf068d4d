// The operations on certificates: what clients send and receive, and why an operation is refused.
import type { Caller } from '../api/caller.ts';
import type {
  CertificateAnswer,
  CertificatePage,
  Certificate as CertificateRecord,
  CertificateRemoved,
} from '../api/certificate-records.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import { tlsNotConfigured } from '../errors/tls-not-configured.ts';
import type { Emit } from '../events/facts.ts';
import { CannotUnseal } from '../secrets/sealed.ts';
import { SecretUnusable } from '../secrets/secret-file.ts';
import type { CertificateQuery } from '../store/certificates-store.ts';
import { readCertificate, type Uploaded } from '../x509/certificate.ts';
import type { CertificateOutcome, CertificateRejection, Certificates, CertificateView } from './certificates.ts';
import type { Installation, WorkerCertificate } from './installation.ts';
import { type SiteNames, servedSites } from './served-sites.ts';

export type CertificateFilter = Omit<CertificateQuery, 'now'>;

export interface UploadRequest {
  readonly upload: Uploaded;
  readonly allowIncompleteChain: boolean;
}

interface EnabledSite extends SiteNames {
  /** Browsers that got it open no page of the site with another certificate. */
  readonly sendsHsts: boolean;
}

interface OperationsDeps {
  /** Null: HAProxy serves no TLS. */
  readonly certificates: Pick<
    Certificates,
    'list' | 'get' | 'create' | 'replace' | 'remove' | 'chain' | 'verify' | 'owners'
  > | null;
  /** The certificate with which the API serves HTTPS; null: none of ours. */
  readonly usedByApi: string | null;
  readonly enabledSites: () => Promise<readonly EnabledSite[]>;
  readonly emit: Emit;
  readonly now: () => Date;
}

const SHOWN_SITES = 100;
const PART_FIELDS = { certificate: 'certificate', privateKey: 'private_key' } as const;

/** Each operation is refused with 6043 if HAProxy serves no TLS. */
export class CertificateOperations {
  readonly #deps: OperationsDeps;

  constructor(deps: OperationsDeps) {
    this.#deps = deps;
  }

  /** Errors: 107. */
  async list(filter: CertificateFilter): Promise<CertificatePage> {
    const { items, nextCursor, total } = await this.#certificates('list certificates').list(filter);
    return { items: await this.#records(items), total, next_cursor: nextCursor };
  }

  /** Errors: 1100. */
  async get(id: string): Promise<CertificateRecord> {
    const op = 'get certificate';
    return await this.#record(found(op, id, await this.#certificates(op).get(id)));
  }

  /** Errors: 110, 6031, 6042, 6045. */
  async add({ upload, ...options }: UploadRequest, caller: Caller): Promise<CertificateAnswer> {
    const op = 'add certificate';
    const certificates = this.#certificates(op);
    return await this.#uploaded(op, true, caller, () => certificates.create(upload, options, caller));
  }

  /** Errors: 110, 1100, 6042, 6045; without `force` 6044. */
  async replace(
    id: string,
    { upload, ...options }: UploadRequest,
    force: boolean,
    caller: Caller,
  ): Promise<CertificateAnswer> {
    const op = 'replace certificate';
    const certificates = this.#certificates(op);
    if (!force) {
      const old = found(op, id, await certificates.get(id));
      const read = readCertificate(upload, { now: this.#deps.now(), ...options });
      // An invalid one is refused below.
      if (read.ok) await this.#refuseLosses(op, old, read.value.names);
    }
    return await this.#uploaded(op, false, caller, () => certificates.replace(id, upload, options, caller), id);
  }

  /** Errors: 1100, 6056; without `force` 6044. */
  async remove(id: string, force: boolean, caller: Caller): Promise<CertificateRemoved> {
    const op = 'remove certificate';
    const certificates = this.#certificates(op);
    if (id === this.#deps.usedByApi) throw usedByApi(op, id);
    const view = found(op, id, await certificates.get(id));
    const sites = await this.#sitesOf(view);
    if (!force && sites.length > 0) throw await this.#inUse(op, id, sites);
    const { installation, keptFiles } = found(op, id, await certificates.remove(id, caller));
    const report = installationReport(installation);
    this.#deps.emit('operation.done', {
      operation: 'remove_certificate',
      caller,
      subject: { certificate: id },
      names: view.names,
      runtime_updated: report.runtime_updated,
    });
    return { id, names: view.names, ...shownSites(sites), ...report, kept_files: [...keptFiles] };
  }

  /** PEM. Errors: 1100. */
  async chain(id: string): Promise<string> {
    const op = 'get chain';
    return found(op, id, await this.#certificates(op).chain(id));
  }

  /** Errors: 1100, 6045. */
  async verify(id: string, caller: Caller): Promise<CertificateRecord> {
    const op = 'verify certificate';
    const certificates = this.#certificates(op);
    const view = found(op, id, await readable(op, () => certificates.verify(id)));
    const record = await this.#record(view);
    this.#deps.emit('operation.done', {
      operation: 'verify_certificate',
      caller,
      subject: { certificate: id },
      runtime_updated: record.runtime_updated,
    });
    return record;
  }

  async #uploaded(
    op: string,
    created: boolean,
    caller: Caller,
    upload: () => Promise<CertificateOutcome>,
    id: string | null = null,
  ): Promise<CertificateAnswer> {
    const outcome = await readable(op, upload);
    if (!outcome.ok) throw rejection(op, id, outcome);
    const { certificate, changed } = outcome;
    const answer = { ...(await this.#record(certificate)), changed };
    this.#deps.emit('operation.done', {
      operation: 'set_certificate',
      caller,
      subject: { certificate: answer.id },
      created,
      names: answer.names,
      not_after: answer.not_after,
      sha256: answer.sha256,
      runtime_updated: answer.runtime_updated,
    });
    return answer;
  }

  #certificates(op: string) {
    const { certificates } = this.#deps;
    if (certificates !== null) return certificates;
    throw tlsNotConfigured(op);
  }

  async #refuseLosses(op: string, old: CertificateView, names: readonly string[]): Promise<void> {
    const before = await this.#sitesOf(old);
    const after = new Set(await this.#sitesOf({ id: old.id, names }));
    const lost = before.filter((domain) => !after.has(domain));
    if (lost.length > 0) throw await this.#inUse(op, old.id, lost);
  }

  async #inUse(op: string, id: string, sites: readonly string[]): Promise<ServiceError> {
    const enabled = await this.#deps.enabledSites();
    const strict = enabled.filter(({ domain, sendsHsts }) => sendsHsts && sites.includes(domain));
    const hsts =
      strict.length === 0
        ? ''
        : `. Browsers that got HSTS of ${named(strict.map(({ domain }) => domain))} will not open it with another certificate`;
    const detail = `HAProxy serves ${id} for ${named(sites)}, which would lose its certificate; nothing was changed${hsts}. To do it anyway, send force=true`;
    return new ServiceError(codes.CertificateInUse, op, detail, { members: shownSites(sites) });
  }

  async #sitesOf(certificate: Pick<CertificateView, 'id' | 'names'>): Promise<readonly string[]> {
    return (await this.#sitesOfAll([certificate])).get(certificate.id) ?? [];
  }

  async #sitesOfAll(certificates: readonly Pick<CertificateView, 'id' | 'names'>[]) {
    const ownersOf = (names: readonly string[]) => this.#certificates('list sites').owners(names);
    return await servedSites(certificates, await this.#deps.enabledSites(), ownersOf);
  }

  async #record(view: CertificateView): Promise<CertificateRecord> {
    const [record] = await this.#records([view]);
    return record!;
  }

  async #records(views: readonly CertificateView[]): Promise<CertificateRecord[]> {
    const sites = await this.#sitesOfAll(views);
    return views.map((view) => toRecord(view, sites.get(view.id) ?? []));
  }
}

function toRecord(view: CertificateView, sites: readonly string[]): CertificateRecord {
  const { details, installation } = view;
  return {
    id: view.id,
    names: view.names,
    other_names: details.otherNames,
    source: view.source,
    version: view.version,
    state: view.state,
    served_until: servedUntil(view),
    not_before: view.notBefore,
    not_after: view.notAfter,
    days_left: view.daysLeft,
    self_signed: details.isSelfSigned,
    subject: details.subject,
    issuer: view.issuer,
    serial: details.serial,
    key_type: details.keyType,
    key_bits: details.keyBits,
    sha256: view.sha256,
    chain: details.chain,
    warnings: view.warnings,
    problem: view.problem,
    ...shownSites(sites),
    ...installationReport(installation),
    handshake: installation?.handshake ?? null,
    handshake_reason: installation?.handshakeReason ?? null,
    created_at: view.createdAt,
    updated_at: view.updatedAt,
  };
}

/** The earliest date of the current workers: clients of each of them must be served. */
function servedUntil({ installation, notAfter }: CertificateView): string | null {
  const current = (installation?.workers ?? []).filter(({ role }) => role === 'current');
  const dates = current.map((worker) => (worker.holds ? notAfter : worker.notAfter));
  return dates.filter((date) => date !== null).toSorted()[0] ?? null;
}

function installationReport(installation: Installation | null) {
  return {
    files: installation?.files ?? null,
    workers: (installation?.workers ?? []).map(toWorker),
    runtime_updated: installation?.runtimeUpdated ?? null,
    reload_scheduled: installation?.reloadScheduled ?? false,
  };
}

function toWorker({ pid, role, holds, reason }: WorkerCertificate) {
  return { pid, role, holds, reason };
}

function shownSites(sites: readonly string[]) {
  return { sites: sites.slice(0, SHOWN_SITES), sites_total: sites.length };
}

function found<T>(op: string, id: string, value: T | null): T {
  if (value === null) throw new ServiceError(codes.NotFound, op, `there is no certificate ${id}`);
  return value;
}

/** @throws ServiceError 6045 */
async function readable<T>(op: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof CannotUnseal || cause instanceof SecretUnusable)) throw cause;
    throw new ServiceError(codes.KeysUnreadable, op, cause.message, { cause });
  }
}

function usedByApi(op: string, id: string): ServiceError {
  return new ServiceError(
    codes.CertificateOfApi,
    op,
    `the API serves HTTPS with ${id} (PROXY_MANAGER_LISTEN_CERTIFICATE); nothing was changed. Set another one, restart the service, and remove it then`,
  );
}

function named([first, ...others]: readonly string[]): string {
  return others.length === 0 ? `the site ${first}` : `${first} and ${others.length} other sites`;
}

function rejection(op: string, id: string | null, rejected: CertificateRejection): ServiceError {
  switch (rejected.kind) {
    case 'invalid': {
      const field = { name: PART_FIELDS[rejected.part], description: rejected.why };
      return new ServiceError(codes.InvalidCertificate, op, `${field.name}: ${rejected.why}`, { fields: [field] });
    }
    case 'owned': {
      const [first, ...others] = rejected.owned;
      const more = others.length === 0 ? '' : `, and ${others.length} other names of other certificates`;
      return new ServiceError(
        codes.NameHasCertificate,
        op,
        `the name ${first?.name} belongs to the certificate ${first?.certificate}${more}; replace that certificate, or remove it first. Nothing was changed`,
        { members: { owned: rejected.owned } },
      );
    }
    case 'full':
      return new ServiceError(
        codes.SetFull,
        op,
        `there are ${rejected.most} certificates, the most that are allowed; remove one first`,
        { members: { current_total: rejected.most, would_be: rejected.most + 1, limit: rejected.most } },
      );
    case 'absent':
      return new ServiceError(codes.NotFound, op, `there is no certificate ${id}`);
  }
}
