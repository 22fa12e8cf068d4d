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
  const { active, expiring, total, soonest } = await database.read
    .selectFrom('certificates')
    .innerJoin('certificate_versions', (join) =>
      join
        .onRef('certificate_versions.certificate', '=', 'certificates.id')
        .onRef('certificate_versions.version', '=', 'certificates.active_version'),
    )
    .select((eb) => [
      eb.fn.countAll<number>().as('total'),
      eb.fn.countAll<number>().filterWhere('not_after', '>', at).as('active'),
      eb.fn.countAll<number>().filterWhere('not_after', '>', at).filterWhere(left, '<=', most).as('expiring'),
      eb.fn.min('not_after').as('soonest'),
    ])
    .executeTakeFirstOrThrow();
  return { active, expired: total - active, expiring, soonest };
}
