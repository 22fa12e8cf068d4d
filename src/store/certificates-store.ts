import { type Expression, type SqlBool, sql, type Transaction } from 'kysely';
import { wildcardOver } from '../domain/certificate-name.ts';
import { forget } from './acme-certificates-store.ts';
import { type AuditedChange, AuditRows, auditedTransaction } from './audit-rows.ts';
import {
  type CertificateEnds,
  type CertificateLife,
  certificateEnds,
  certificateLives,
  type ExpiresSoon,
} from './certificate-ends.ts';
import type { Database } from './open-database.ts';
import type { CertificatesTable, CertificateVersionsTable, Schema } from './schema.ts';
import { InvalidCursor } from './store-error.ts';

/** What is shown of a certificate and never searched. */
export interface CertificateDetails {
  readonly subject: string;
  readonly serial: string;
  readonly keyType: string;
  /** Of an RSA key. */
  readonly keyBits: number | null;
  readonly isSelfSigned: boolean;
  readonly otherNames: readonly string[];
  /** Subjects, without the root. */
  readonly chain: readonly string[];
  /** The issuer that the chain lacks; null: none. */
  readonly missing: string | null;
}

/** Times are ISO 8601. */
export interface CertificateVersion {
  /** In lower case, without duplicates, at least one. */
  readonly names: readonly string[];
  readonly notBefore: string;
  readonly notAfter: string;
  readonly issuer: string;
  readonly sha256: string;
  readonly sha1: string;
  readonly details: CertificateDetails;
  readonly chainPem: string;
  readonly publicKeySha256: string;
  readonly keySealed: Uint8Array;
}

export type CertificateSource = 'upload' | 'acme';

/** What a version comes with. */
export interface VersionOrigin {
  readonly source: CertificateSource;
  /** In the same transaction. */
  readonly within?: (transaction: Transaction<Schema>, version: CertificateVersion) => Promise<void>;
}

/** With its active version. */
export interface StoredCertificate extends CertificateVersion {
  readonly id: string;
  readonly source: CertificateSource;
  /** From 1; the next for each replacement. */
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Names that belong to other certificates already, in their order. */
export interface NamesOwned {
  readonly owned: readonly { readonly name: string; readonly certificate: string }[];
}

export interface CertificateQuery {
  /** At least 1. */
  readonly limit: number;
  /** `nextCursor` of the page before, of the same query. */
  readonly cursor?: string | null | undefined;
  readonly state?: 'active' | 'expired' | null | undefined;
  /** Only those that expire within this time, or have expired. */
  readonly expiresWithinMs?: number | null | undefined;
  /** Part of a name, an id or the issuer, in any case; or a host, of which the wildcard is found too. */
  readonly q?: string | null | undefined;
  readonly now: Date;
}

const UPLOAD: VersionOrigin = { source: 'upload' };
const KEPT_VERSIONS = 2;
/** Below the limit of SQLite for the values of one statement. */
const NAMES_AT_ONCE = 1_000;
/** The end of the year 9999, up to which text order is time order. */
const LARGEST_TIME = 253_402_300_799_999;
const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\/(c-[a-z2-7]{10})$/;

type Row = CertificatesTable & Omit<CertificateVersionsTable, 'certificate' | 'created_at'>;

/** The tables `certificates`, `certificate_versions` and `certificate_names`: some thousand at most. */
export class CertificatesStore {
  readonly #database: Database;
  readonly #audit: AuditRows;

  constructor(database: Database) {
    this.#database = database;
    this.#audit = new AuditRows(database.write);
  }

  /** Nothing is changed if a name belongs to another certificate. */
  async create(
    id: string,
    version: CertificateVersion,
    now: Date,
    audited?: AuditedChange,
    { source, within }: VersionOrigin = UPLOAD,
  ): Promise<StoredCertificate | NamesOwned> {
    return await this.#change(id, version, now, audited, async (transaction) => {
      const at = now.toISOString();
      const row = { id, source, active_version: 1, created_at: at, updated_at: at };
      await transaction.insertInto('certificates').values(row).execute();
      await within?.(transaction, version);
      return row;
    });
  }

  /**
   * A new version, with the names of that version alone; the last two are kept. One that is uploaded is not renewed by an
   * authority any more. Null: there is none of this id.
   */
  async replace(
    id: string,
    version: CertificateVersion,
    now: Date,
    audited?: AuditedChange,
    { source, within }: VersionOrigin = UPLOAD,
  ): Promise<StoredCertificate | NamesOwned | null> {
    return await this.#change(id, version, now, audited, async (transaction) => {
      const row = await transaction
        .updateTable('certificates')
        .set((eb) => ({ source, active_version: eb('active_version', '+', 1), updated_at: now.toISOString() }))
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) return null;
      await transaction
        .deleteFrom('certificate_versions')
        .where('certificate', '=', id)
        .where('version', '<=', row.active_version - KEPT_VERSIONS)
        .execute();
      if (source === 'upload') await forget(transaction, id, now);
      await within?.(transaction, version);
      return row;
    });
  }

  /** With all versions and names, and its orders end. Null: there was none. */
  async remove(id: string, now: Date, audited?: AuditedChange): Promise<StoredCertificate | null> {
    return await auditedTransaction(this.#database, this.#audit, audited, now, async (transaction) => {
      const [row] = await activeOf(transaction).where('certificates.id', '=', id).execute();
      if (row === undefined) return null;
      await transaction.deleteFrom('certificate_names').where('certificate', '=', id).execute();
      await transaction.deleteFrom('certificate_versions').where('certificate', '=', id).execute();
      await transaction.deleteFrom('certificates').where('id', '=', id).execute();
      await forget(transaction, id, now);
      return toCertificate(row);
    });
  }

  async get(id: string): Promise<StoredCertificate | null> {
    const [row] = await activeOf(this.#database.read).where('certificates.id', '=', id).execute();
    return row === undefined ? null : toCertificate(row);
  }

  /** In order of ids. */
  async all(): Promise<StoredCertificate[]> {
    return (await activeOf(this.#database.read).orderBy('certificates.id').execute()).map(toCertificate);
  }

  /** Those that expire first come first. `total`: of all pages. Throws `InvalidCursor`. */
  async page(
    query: CertificateQuery,
  ): Promise<{ items: StoredCertificate[]; nextCursor: string | null; total: number }> {
    const conditions = conditionsOf(query);
    const after = query.cursor ? decode(query.cursor) : null;
    const matching = activeOf(this.#database.read).where((eb) => eb.and(conditions));
    const rows = await matching
      .$if(after !== null, (q) =>
        q.where(sql<SqlBool>`(not_after, certificates.id) > (${after!.notAfter}, ${after!.id})`),
      )
      .orderBy('not_after')
      .orderBy('certificates.id')
      .limit(query.limit + 1)
      .execute();
    const { total } = await matching
      .clearSelect()
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    const page = rows.slice(0, query.limit);
    const last = rows.length > page.length ? page.at(-1)! : null;
    return {
      items: page.map(toCertificate),
      nextCursor: last === null ? null : `${last.not_after}/${last.id}`,
      total,
    };
  }

  /** The certificates that own these names, by name. */
  async owners(names: readonly string[]): Promise<Map<string, string>> {
    const owners = new Map<string, string>();
    for (let at = 0; at < names.length; at += NAMES_AT_ONCE) {
      const rows = await this.#database.read
        .selectFrom('certificate_names')
        .select(['name', 'certificate'])
        .where('name', 'in', names.slice(at, at + NAMES_AT_ONCE))
        .execute();
      for (const { name, certificate } of rows) owners.set(name, certificate);
    }
    return owners;
  }

  async ends(now: Date, soon: ExpiresSoon): Promise<CertificateEnds> {
    return await certificateEnds(this.#database, now, soon);
  }

  /** The certificate of each of these names, its own or that of the wildcard over it; without those that have none. */
  async certificatesFor(names: readonly string[]): Promise<Map<string, string>> {
    const owned = await this.owners([...new Set(names.flatMap((name) => [name, wildcardOver(name)]))]);
    return new Map(
      names.flatMap((name): [string, string][] => {
        const owner = owned.get(name) ?? owned.get(wildcardOver(name));
        return owner === undefined ? [] : [[name, owner]];
      }),
    );
  }

  /** For each of these names the lifetime of its certificate, as `certificatesFor`; null: it has none. */
  async livesFor(names: readonly string[]): Promise<(CertificateLife | null)[]> {
    const ids = await this.certificatesFor(names);
    const lives = await certificateLives(this.#database, new Set(ids.values()));
    return names.map((name) => lives.get(ids.get(name) ?? '') ?? null);
  }

  /** Of versions whose end was reported, by `id/version`: which report was the last. */
  async reportedStages(): Promise<Map<string, number>> {
    const stage = sql<number | null>`json_extract(details_json, '$.reportedStage')`;
    const rows = await this.#database.read
      .selectFrom('certificate_versions')
      .select(['certificate', 'version', stage.as('stage')])
      .where(stage, 'is not', null)
      .execute();
    return new Map(rows.map(({ certificate, version, stage }) => [`${certificate}/${version}`, stage ?? 0]));
  }

  /** No effect on a version that is gone. */
  async setReportedStage(id: string, version: number, stage: number): Promise<void> {
    await this.#database.write
      .updateTable('certificate_versions')
      .set({ details_json: sql<string>`json_set(details_json, '$.reportedStage', ${stage})` })
      .where('certificate', '=', id)
      .where('version', '=', version)
      .execute();
  }

  /** Those that were removed, by id, with the SHA-256 of each version, as far back as the audit log goes. */
  async removedAmong(ids: readonly string[]): Promise<Map<string, Set<string>>> {
    const removed = new Map<string, Set<string>>();
    // Rows of refused requests have no details of a certificate.
    const sha256 = sql<string | null>`json_extract(details_json, '$.sha256')`;
    for (let at = 0; at < ids.length; at += NAMES_AT_ONCE) {
      const rows = await this.#database.read
        .selectFrom('audit')
        .select(['target', 'operation', sha256.as('sha256')])
        .where('operation', 'in', ['set_certificate', 'remove_certificate'])
        .where('target', 'in', ids.slice(at, at + NAMES_AT_ONCE))
        .where(sha256, 'is not', null)
        .execute();
      for (const [target, versions] of Map.groupBy(rows, (row) => row.target!)) {
        if (!versions.some(({ operation }) => operation === 'remove_certificate')) continue;
        removed.set(target, new Set(versions.map((version) => version.sha256!)));
      }
    }
    return removed;
  }

  async count(): Promise<number> {
    const { total } = await this.#database.read
      .selectFrom('certificates')
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    return total;
  }

  async #change<Certificate extends CertificatesTable | null>(
    id: string,
    version: CertificateVersion,
    now: Date,
    audited: AuditedChange | undefined,
    write: (transaction: Transaction<Schema>) => Promise<Certificate>,
  ): Promise<StoredCertificate | NamesOwned | (null extends Certificate ? null : never)> {
    type Result = StoredCertificate | (null extends Certificate ? null : never);
    try {
      return (await auditedTransaction(this.#database, this.#audit, audited, now, async (transaction) => {
        const certificate = await write(transaction);
        if (certificate === null) return null;
        await takeNames(transaction, id, version.names);
        const row = toRow(id, certificate.active_version, version, now.toISOString());
        await transaction.insertInto('certificate_versions').values(row).execute();
        return toCertificate({ ...row, ...certificate });
      })) as Result;
    } catch (error) {
      if (error instanceof OwnedElsewhere) return { owned: error.owned };
      throw error;
    }
  }
}

/** Rolls the transaction back. */
class OwnedElsewhere extends Error {
  readonly owned: NamesOwned['owned'];

  constructor(owned: NamesOwned['owned']) {
    super('names belong to other certificates');
    this.owned = owned;
  }
}

async function takeNames(transaction: Transaction<Schema>, id: string, names: readonly string[]): Promise<void> {
  const owned = await transaction
    .selectFrom('certificate_names')
    .select(['name', 'certificate'])
    .where('name', 'in', names)
    .where('certificate', '!=', id)
    .execute();
  if (owned.length > 0) {
    throw new OwnedElsewhere(owned.toSorted((a, b) => names.indexOf(a.name) - names.indexOf(b.name)));
  }
  await transaction.deleteFrom('certificate_names').where('certificate', '=', id).execute();
  await transaction
    .insertInto('certificate_names')
    .values(names.map((name) => ({ name, certificate: id })))
    .execute();
}

function activeOf(db: Pick<Transaction<Schema>, 'selectFrom'>) {
  return db
    .selectFrom('certificates')
    .innerJoin('certificate_versions', (join) =>
      join
        .onRef('certificate_versions.certificate', '=', 'certificates.id')
        .onRef('certificate_versions.version', '=', 'certificates.active_version'),
    )
    .selectAll('certificates')
    .select(['version', 'names_json', 'not_before', 'not_after', 'issuer', 'sha256', 'sha1', 'details_json'])
    .select(['chain_pem', 'public_key_sha256', 'key_sealed']);
}

function conditionsOf({ state, expiresWithinMs, q, now }: CertificateQuery): Expression<SqlBool>[] {
  const conditions: Expression<SqlBool>[] = [];
  const at = now.toISOString();
  if (state === 'active') conditions.push(sql<SqlBool>`not_after > ${at}`);
  if (state === 'expired') conditions.push(sql<SqlBool>`not_after <= ${at}`);
  if (expiresWithinMs !== undefined && expiresWithinMs !== null) {
    const end = new Date(Math.min(now.getTime() + expiresWithinMs, LARGEST_TIME)).toISOString();
    conditions.push(sql<SqlBool>`not_after <= ${end}`);
  }
  if (q !== undefined && q !== null && q !== '') {
    const part = q.toLowerCase();
    conditions.push(sql<SqlBool>`(instr(certificates.id, ${part}) > 0 or instr(lower(issuer), ${part}) > 0
      or exists (select 1 from certificate_names where certificate = certificates.id
        and (instr(name, ${part}) > 0 or name = ${wildcardOver(part)})))`);
  }
  return conditions;
}

function decode(cursor: string): { readonly notAfter: string; readonly id: string } {
  const [, notAfter, id] = CURSOR.exec(cursor) ?? [];
  if (notAfter === undefined || id === undefined) throw new InvalidCursor();
  return { notAfter, id };
}

function toRow(id: string, number: number, version: CertificateVersion, at: string): CertificateVersionsTable {
  return {
    certificate: id,
    version: number,
    names_json: JSON.stringify(version.names),
    not_before: version.notBefore,
    not_after: version.notAfter,
    issuer: version.issuer,
    sha256: version.sha256,
    sha1: version.sha1,
    details_json: JSON.stringify(version.details),
    chain_pem: version.chainPem,
    public_key_sha256: version.publicKeySha256,
    key_sealed: Buffer.from(version.keySealed),
    created_at: at,
  };
}

function toCertificate(row: Row): StoredCertificate {
  return {
    id: row.id,
    source: row.source as CertificateSource,
    version: row.version,
    names: JSON.parse(row.names_json) as string[],
    notBefore: row.not_before,
    notAfter: row.not_after,
    issuer: row.issuer,
    sha256: row.sha256,
    sha1: row.sha1,
    details: JSON.parse(row.details_json) as CertificateDetails,
    chainPem: row.chain_pem,
    publicKeySha256: row.public_key_sha256,
    keySealed: row.key_sealed,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
