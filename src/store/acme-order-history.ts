// Which rows of orders are kept.
import { type SqlBool, sql, type Transaction } from 'kysely';
import type { Limit } from './acme-limits.ts';
import { hasRecords } from './acme-orders-store.ts';
import type { Schema } from './schema.ts';

/** The newest of each certificate. */
const KEPT = 50;
/** Longer than any limit looks back, and than TXT records are to be removed. */
export const KEPT_MS = 8 * 86_400_000;
/** In one call, of each kind: it is part of a transaction that others wait for. */
const MOST = 500;

/** Closed, and of no use for a limit or for the removal of TXT records. */
function isOver(now: Date) {
  const old = new Date(now.getTime() - KEPT_MS).toISOString();
  return sql<SqlBool>`closed_at < ${old} and coalesce(finalized_at, '') < ${old} and not ${hasRecords}`;
}

/**
 * Deletes old orders of a certificate, and of certificates that are not wanted any more. Of the certificate, what counts for
 * a limit stays, also while the clock is ahead; so do the last order that was stored, and the first that failed after it, which says since when
 * the certificate waits.
 */
export async function deleteOldOrders(
  transaction: Transaction<Schema>,
  certificate: string,
  issues: readonly Limit[],
  now: Date,
): Promise<void> {
  const most = Math.max(0, ...issues.map((limit) => limit.most));
  await sql`delete from acme_orders where id in (
    select id from acme_orders as old
    where certificate = ${certificate} and ${isOver(now)}
      and id not in (select id from acme_orders where certificate = ${certificate} order by id desc limit ${KEPT})
      and id not in (select id from acme_orders where names_key = old.names_key and directory = old.directory and finalized_at is not null
        order by finalized_at desc limit ${most})
      and id is not (select max(id) from acme_orders where certificate = ${certificate} and state = 'stored')
      and id is not (select min(id) from acme_orders where certificate = ${certificate} and state = 'failed'
        and id > coalesce((select max(id) from acme_orders
          where certificate = ${certificate} and state = 'stored'), 0))
    limit ${MOST})`.execute(transaction);
  await deleteUnwantedOrders(transaction, now);
}

/** Deletes old orders of certificates that are not wanted any more. */
export async function deleteUnwantedOrders(transaction: Transaction<Schema>, now: Date): Promise<void> {
  await sql`delete from acme_orders where id in (
    select id from acme_orders
    where certificate not in (select id from acme_certificates) and ${isOver(now)}
    limit ${MOST})`.execute(transaction);
}
