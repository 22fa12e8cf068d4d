// Uploaded certificates: checked, stored with a sealed key, and installed in files and workers, in this order.
import { randomBytes } from 'node:crypto';
import type { Caller } from '../api/caller.ts';
import { Mutex } from '../concurrency/mutex.ts';
import { WARNINGS } from '../domain/expiry-stages.ts';
import { crashPoint } from '../faults/crash-point.ts';
import { CannotUnseal, type SealedFor, type Sealer } from '../secrets/sealed.ts';
import { SecretText } from '../secrets/secret-text.ts';
import { auditedChange, noteOf } from '../store/audit-rows.ts';
import type { CertificateEnds, CertificateLife } from '../store/certificate-ends.ts';
import type {
  CertificateQuery,
  CertificatesStore,
  CertificateVersion,
  NamesOwned,
  StoredCertificate,
  VersionOrigin,
} from '../store/certificates-store.ts';
import { type Certificate, readCertificate, type Uploaded, warningsOf } from '../x509/certificate.ts';
import { servedChain } from '../x509/served-chain.ts';
import type { CertificateInstaller, CertificateToInstall, Installation, WantedCertificates } from './installation.ts';

type Around = <T>(certificate: string, names: readonly string[], work: () => Promise<T>) => Promise<T>;

interface CertificatesDeps {
  readonly store: CertificatesStore;
  readonly sealer: Pick<Sealer, 'seal' | 'open'>;
  readonly installer: CertificateInstaller;
  /** Why HAProxy would not load the file; null: it would. */
  readonly refusedByProxy: (pem: SecretText) => Promise<string | null>;
  /**
   * Ends what depends on these names of the certificate (redirects) before `work` takes it away from them, and begins
   * what may begin afterwards. Absent: nothing does.
   */
  readonly around?: Around;
  readonly log: { error(message: string, fields: Readonly<Record<string, unknown>>): void };
  readonly now: () => Date;
  /** The maximum number of certificates. */
  readonly most?: number;
}

/** A certificate without its key. */
export interface CertificateView extends Omit<StoredCertificate, 'keySealed'> {
  readonly state: 'active' | 'expired';
  /** Complete days; 0 if it has expired. */
  readonly daysLeft: number;
  /** Sentences for the operator. */
  readonly warnings: readonly string[];
  /** What files and workers hold; null: not known. */
  readonly installation: Installation | null;
  /** Why it is not installed, or cannot be after a restart; null: nothing is wrong. */
  readonly problem: string | null;
}

export interface RemovedCertificate {
  readonly id: string;
  readonly installation: Installation;
  /** Paths of files with other private keys, which the service never deletes. */
  readonly keptFiles: readonly string[];
}

/** Nothing was changed. */
export type CertificateRejection =
  | { readonly ok: false; readonly kind: 'invalid'; readonly part: keyof Uploaded; readonly why: string }
  | ({ readonly ok: false; readonly kind: 'owned' } & NamesOwned)
  | { readonly ok: false; readonly kind: 'full'; readonly most: number }
  | { readonly ok: false; readonly kind: 'absent' };

export type CertificateOutcome =
  /** `changed`: false if the same certificate was there already; it was installed again. */
  { readonly ok: true; readonly certificate: CertificateView; readonly changed: boolean } | CertificateRejection;

export interface UploadOptions {
  /** For clients that have the intermediate certificates of a private authority. */
  readonly allowIncompleteChain?: boolean;
}

/** 26 kB of memory for each in every worker. */
const MOST_CERTIFICATES = 5_000;
const DAY_MS = 86_400_000;
const AUDITED_NAMES = 20;
const TABLE = 'certificate_versions';
const ID_CHARACTERS = 'abcdefghijklmnopqrstuvwxyz234567';
const ID_LENGTH = 10;

type Stored = { readonly row: StoredCertificate; readonly changed: boolean };

export class Certificates implements WantedCertificates {
  readonly #deps: CertificatesDeps;
  readonly #around: Around;
  readonly #most: number;
  /** Changes reach database and workers in the same order. */
  readonly #changes = new Mutex();
  /** A new version is stored, and may not be installed yet. */
  readonly #replacing = new Set<string>();
  /** No reload writes their files again. */
  readonly #leaving = new Set<string>();

  constructor(deps: CertificatesDeps) {
    this.#deps = deps;
    this.#around = deps.around ?? ((_certificate, _names, work) => work());
    this.#most = deps.most ?? MOST_CERTIFICATES;
  }

  async create(upload: Uploaded, options: UploadOptions, caller: Caller): Promise<CertificateOutcome> {
    return await this.#changes.run(async () => {
      if ((await this.#deps.store.count()) >= this.#most) return { ok: false, kind: 'full', most: this.#most };
      return await this.#put(createId(), null, upload, options, caller);
    });
  }

  /** Its names become those of the upload. */
  async replace(id: string, upload: Uploaded, options: UploadOptions, caller: Caller): Promise<CertificateOutcome> {
    return await this.#changes.run(async () => {
      const old = await this.#deps.store.get(id);
      return old === null ? { ok: false, kind: 'absent' } : await this.#put(id, old, upload, options, caller);
    });
  }

  /**
   * A new version of an authority: stored together with what `within` writes, and then installed like an upload. The chain
   * is the authority's to choose. `SecretUnusable` and errors of `within` are thrown, and nothing is stored.
   * @param validAt when it has to be valid
   */
  async putIssued(
    id: string,
    issued: Uploaded,
    validAt: Date,
    within: NonNullable<VersionOrigin['within']>,
  ): Promise<CertificateOutcome> {
    return await this.#changes.run(async () => {
      const old = await this.#deps.store.get(id);
      return await this.#put(id, old, issued, { allowIncompleteChain: true, now: validAt }, null, {
        ...{ source: 'acme', within },
      });
    });
  }

  /**
   * List and workers first, then the database, the file last: after a crash before the database's change, the certificate
   * is installed again; after it, a start deletes the file. Null: there was none.
   */
  async remove(id: string, caller: Caller): Promise<RemovedCertificate | null> {
    return await this.#changes.run(async () => {
      const row = await this.#deps.store.get(id);
      if (row === null) return null;
      return await this.#around(id, row.names, () => this.#remove(row, caller));
    });
  }

  async #remove(row: StoredCertificate, caller: Caller): Promise<RemovedCertificate> {
    const { id } = row;
    const { installer } = this.#deps;
    const installation = await this.#removeStored(row, caller);
    const files = (await installer.deleteFile(id)) ? installation.files : 'pending';
    return { id, installation: { ...installation, files }, keptFiles: installer.keptFiles(id) };
  }

  async #removeStored(row: StoredCertificate, caller: Caller): Promise<Installation> {
    const { id } = row;
    const { installer, store, now } = this.#deps;
    this.#leaving.add(id);
    try {
      const installation = await installer.remove(id);
      const audited = auditedChange('remove_certificate', caller, { target: id, details: auditDetails(row) });
      await store.remove(id, now(), audited);
      return installation;
    } catch (error) {
      // The database still has it: files and workers get it again.
      const key = this.#openKey(row);
      if (key instanceof CannotUnseal) await installer.relist(id, key.message);
      else await this.#install(row, key);
      throw error;
    } finally {
      this.#leaving.delete(id);
    }
  }

  /** Why visitors may not get the version that is stored; null: they get it. */
  whyNotServed(id: string): string | null {
    return this.#replacing.has(id) ? 'it is being replaced' : this.#deps.installer.whyNotServed(id);
  }

  async get(id: string): Promise<CertificateView | null> {
    const row = await this.#deps.store.get(id);
    return row === null ? null : this.#view(row);
  }

  /** Those that expire first come first. Throws `InvalidCursor`. */
  async list(query: Omit<CertificateQuery, 'now'>) {
    const { items, nextCursor, total } = await this.#deps.store.page({ ...query, now: this.#deps.now() });
    return { items: items.map((row) => this.#view(row)), nextCursor, total };
  }

  /** The certificate and its chain, PEM. Null: there is none. */
  async chain(id: string): Promise<string | null> {
    return (await this.#deps.store.get(id))?.chainPem ?? null;
  }

  async ends(): Promise<CertificateEnds> {
    return await this.#deps.store.ends(this.#deps.now(), WARNINGS[0]);
  }

  /** The certificates that own these names, by name. */
  async owners(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return await this.#deps.store.owners(names);
  }

  /** For each of these names the lifetime of the certificate that serves it, also that of a wildcard; null: none does. */
  async livesFor(names: readonly string[]): Promise<readonly (CertificateLife | null)[]> {
    return await this.#deps.store.livesFor(names);
  }

  /** Installs it again, which proves what files and workers hold. Null: there is none. Throws `CannotUnseal`. */
  async verify(id: string): Promise<CertificateView | null> {
    return await this.#changes.run(async () => {
      const row = await this.#deps.store.get(id);
      if (row === null) return null;
      const key = this.#openKey(row);
      if (key instanceof CannotUnseal) throw key;
      const problem = await this.#install(row, key);
      const view = this.#view(row);
      return { ...view, problem: problem ?? view.problem };
    });
  }

  async all(only?: ReadonlySet<string>): Promise<readonly CertificateToInstall[]> {
    const rows = (await this.#deps.store.all()).filter(({ id }) => !this.#leaving.has(id) && only?.has(id) !== false);
    return rows.flatMap((row) => {
      const key = this.#openKey(row);
      return key instanceof CannotUnseal ? [] : [toInstall(row, key)];
    });
  }

  /** Certificates that are served only from the files that exist, in the order of their ids. */
  async unreadable(): Promise<readonly { readonly id: string; readonly why: string }[]> {
    return (await this.#deps.store.all()).flatMap((row) => {
      const key = this.#openKey(row);
      return key instanceof CannotUnseal ? [{ id: row.id, why: key.message }] : [];
    });
  }

  async removedAmong(ids: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    return await this.#deps.store.removedAmong(ids);
  }

  async #put(
    id: string,
    old: StoredCertificate | null,
    upload: Uploaded,
    options: UploadOptions & { readonly now?: Date },
    caller: Caller | null,
    origin?: VersionOrigin,
  ): Promise<CertificateOutcome> {
    const read = readCertificate(upload, { now: this.#deps.now(), ...options });
    if (!read.ok) return { ok: false, kind: 'invalid', part: read.part, why: read.why };
    const key = new SecretText(read.privateKeyPem);
    const refusal = await this.#deps.refusedByProxy(pemOf(read.value.certificatesPem, key));
    if (refusal !== null) {
      return { ok: false, kind: 'invalid', part: 'certificate', why: `HAProxy refuses it: ${refusal}` };
    }
    const lost = old?.names.filter((name) => !read.value.names.includes(name)) ?? [];
    return await this.#around(id, lost, async () => {
      this.#replacing.add(id);
      try {
        return await this.#storeAndInstall(id, old, read.value, key, caller, origin);
      } finally {
        this.#replacing.delete(id);
      }
    });
  }

  async #storeAndInstall(
    id: string,
    old: StoredCertificate | null,
    read: Certificate,
    key: SecretText,
    caller: Caller | null,
    origin: VersionOrigin | undefined,
  ): Promise<CertificateOutcome> {
    const stored = await this.#store(id, old, read, key, caller, origin);
    if ('owned' in stored) return { ok: false, kind: 'owned', owned: stored.owned };
    const { row, changed } = stored;
    const problem = await this.#install(row, key);
    const view = this.#view(row);
    const certificate = { ...view, warnings: read.warnings, problem: problem ?? view.problem };
    return { ok: true, changed, certificate };
  }

  async #store(
    id: string,
    old: StoredCertificate | null,
    read: Certificate,
    key: SecretText,
    caller: Caller | null,
    origin?: VersionOrigin,
  ): Promise<Stored | NamesOwned> {
    const same = old !== null && old.chainPem === read.certificatesPem && !(this.#openKey(old) instanceof CannotUnseal);
    // A repeated request must not push the version before out.
    if (same && origin === undefined) return { row: old, changed: false };
    const { store, sealer, now } = this.#deps;
    const version = toVersion(read, sealer.seal(key, sealedFor(id, read.publicKeySha256)));
    const about = { target: id, details: auditDetails(version) };
    const audited =
      caller === null
        ? { note: noteOf('set_certificate', null, about), written: () => undefined }
        : auditedChange('set_certificate', caller, about);
    const stored =
      old === null
        ? await store.create(id, version, now(), audited, origin)
        : await store.replace(id, version, now(), audited, origin);
    if (origin !== undefined) crashPoint('acme.stored');
    if (stored === null) throw new Error(`the certificate ${id} was removed while it was replaced`);
    return 'owned' in stored ? stored : { row: stored, changed: true };
  }

  /** It is stored whatever happens here. Returns why it is not installed; null: the installer reports. */
  async #install(row: StoredCertificate, key: SecretText): Promise<string | null> {
    try {
      await this.#deps.installer.install(toInstall(row, key));
      return null;
    } catch (error) {
      const cause = (error as Error).message;
      this.#deps.log.error('Certificate not installed', { certificate: row.id, cause });
      return `stored, but not installed: ${cause}`;
    }
  }

  #openKey(row: StoredCertificate): SecretText | CannotUnseal {
    try {
      return this.#deps.sealer.open(row.keySealed, sealedFor(row.id, row.publicKeySha256));
    } catch (error) {
      if (error instanceof CannotUnseal) return error;
      throw error;
    }
  }

  #view(row: StoredCertificate): CertificateView {
    const { keySealed: _sealed, ...shown } = row;
    const left = Date.parse(row.notAfter) - this.#deps.now().getTime();
    const key = this.#openKey(row);
    const { isSelfSigned, keyType, missing } = row.details;
    return {
      ...shown,
      state: left > 0 ? 'active' : 'expired',
      daysLeft: Math.max(0, Math.floor(left / DAY_MS)),
      warnings: warningsOf({ isSelfSigned, keyType: keyType as Certificate['keyType'], missing, unused: [] }),
      installation: this.#deps.installer.held(row.id, row.version),
      problem: key instanceof CannotUnseal ? key.message : null,
    };
  }
}

/** `c-` and ten characters of base32: it names a file. */
export function createId(): string {
  const characters = [...randomBytes(ID_LENGTH)].map((byte) => ID_CHARACTERS[byte % ID_CHARACTERS.length]);
  return `c-${characters.join('')}`;
}

function sealedFor(id: string, publicKeySha256: string): SealedFor {
  return { table: TABLE, id, publicKeySha256 };
}

function pemOf(certificatesPem: string, key: SecretText): SecretText {
  return new SecretText(certificatesPem + key.reveal());
}

function toInstall({ id, version, names, chainPem, sha1 }: StoredCertificate, key: SecretText): CertificateToInstall {
  return { id, version, names, pem: pemOf(chainPem, key), sha1, ...servedChain(chainPem) };
}

function toVersion(read: Certificate, keySealed: Uint8Array): CertificateVersion {
  const { names, issuer, sha256, sha1, publicKeySha256, certificatesPem } = read;
  const { subject, serial, keyType, keyBits, isSelfSigned, otherNames, chain, missing } = read;
  return {
    names,
    notBefore: read.notBefore.toISOString(),
    notAfter: read.notAfter.toISOString(),
    issuer,
    sha256,
    sha1,
    details: { subject, serial, keyType, keyBits, isSelfSigned, otherNames, chain, missing },
    chainPem: certificatesPem,
    publicKeySha256,
    keySealed,
  };
}

/** Small: a certificate may have a hundred names. */
function auditDetails({ names, notAfter, issuer, sha256 }: CertificateVersion): Readonly<Record<string, unknown>> {
  return { names: names.slice(0, AUDITED_NAMES), names_total: names.length, not_after: notAfter, issuer, sha256 };
}
