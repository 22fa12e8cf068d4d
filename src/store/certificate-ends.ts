import { sql } from 'kysely';
import type { Database } from './open-database.ts';

export interface CertificateEnds {
  readonly active: number;
  readonly expired: number;
  /** Of the active ones. */
  readonly expiring: number;
  /** When the first expires, or expired: ISO 8601; null: there is none. */
  readonly soonest: string | null;
}

export interface CertificateLife {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** A certificate expires soon when at most this much, and this share of its lifetime, is left. */
export interface ExpiresSoon {
  readonly leftMs: number;
  readonly share: number;
}

const DAY_MS = 86_400_000;

export async function certificateEnds(database: Database, now: Date, soon: ExpiresSoon): Promise<CertificateEnds> {
  const at = now.toISOString();
  const left = sql<number>`(julianday(not_after) - julianday(${at})) * ${DAY_MS}`;
  const share = sql<number>`(julianday(not_after) - julianday(not_before)) * ${DAY_MS * soon.share}`;
  const most = sql<number>`min(${soon.leftMs}, ${share})`;
  const { active, expiring, total, soonest } = await activeVersions(database)
    .select((eb) => [
      eb.fn.countAll<number>().as('total'),
      eb.fn.countAll<number>().filterWhere('not_after', '>', at).as('active'),
      eb.fn.countAll<number>().filterWhere('not_after', '>', at).filterWhere(left, '<=', most).as('expiring'),
      eb.fn.min('not_after').as('soonest'),
    ])
    .executeTakeFirstOrThrow();
  return { active, expired: total - active, expiring, soonest };
}

/** Of the active versions of these certificates. */
export async function certificateLives(
  database: Database,
  ids: ReadonlySet<string>,
): Promise<Map<string, CertificateLife>> {
  const lives = activeVersions(database).select(['certificates.id', 'not_before', 'not_after']);
  const rows = await lives.where('certificates.id', 'in', [...ids]).execute();
  return new Map(
    rows.map((row) => [row.id, { notBefore: new Date(row.not_before), notAfter: new Date(row.not_after) }]),
  );
}

function activeVersions(database: Database) {
  return database.read
    .selectFrom('certificates')
    .innerJoin('certificate_versions', (join) =>
      join
        .onRef('certificate_versions.certificate', '=', 'certificates.id')
        .onRef('certificate_versions.version', '=', 'certificates.active_version'),
    );
}
