import { type SqlBool, sql, type Transaction } from 'kysely';
import { bringBack, exceededLimit, type Limit, type Limits, namesKey } from './acme-limits.ts';
import { deleteOldOrders, deleteUnwantedOrders } from './acme-order-history.ts';
import { close, type IssuanceOrder, toOrder } from './acme-orders-store.ts';
import { shownProblem, unlessAttention } from './acme-problems.ts';
import { type AuditedChange, AuditRows, auditedTransaction } from './audit-rows.ts';
import type { IssuanceProblem } from './issuance-problem.ts';
import type { Database } from './open-database.ts';
import type { Schema } from './schema.ts';
import { type RenewalWindow, toWanted, type WantedCertificate } from './wanted-certificate.ts';

export interface OrderPlan extends Limits {
  readonly directory: string;
  readonly profile: string | null;
  readonly replaces: string | null;
}

/** Names for which a certificate is ordered, with others. */
export interface NamesOrdered {
  readonly ordered: readonly [OrderedName, ...OrderedName[]];
}

interface OrderedName {
  readonly name: string;
  readonly certificate: string;
}

export type Planned =
  | { readonly ok: true; readonly order: IssuanceOrder }
  /** A limit would be exceeded before `until`. `name` null: the limit of issued certificates. */
  | { readonly ok: false; readonly until: Date; readonly limit: Limit; readonly name: string | null };

/** By the age of the certificate or by the authority: another window may move it. */
const isPlanned = sql<SqlBool>`due_by in ('age', 'ari')`;

/** A renewal is due by the clock of the authority. @param aheadMs of this machine's clock */
function isDue(now: Date, aheadMs: number) {
  const theirs = new Date(now.getTime() - aheadMs);
  return sql<SqlBool>`due_at <= case when ${isPlanned} then ${theirs.toISOString()} else ${now.toISOString()} end`;
}

const isRepeated = sql<SqlBool>`due_by in ('retry', 'limit')`;

/** What follows from a new version. */
export interface NextRenewal {
  readonly dueAt: Date;
  readonly ariId: string | null;
  readonly ariPollAt: Date | null;
}

/** The table `acme_certificates`, and the begin and end of orders. */
export class AcmeCertificatesStore {
  readonly #database: Database;
  readonly #audit: AuditRows;

  constructor(database: Database) {
    this.#database = database;
    this.#audit = new AuditRows(database.write);
  }

  /** Due at once. Null: exactly these names, or this id, have a wanted certificate already. */
  async add(
    certificate: Pick<WantedCertificate, 'id' | 'directory' | 'names' | 'challenge' | 'profile'>,
    now: Date,
    audited?: AuditedChange,
  ): Promise<true | NamesOrdered | null> {
    const { id, directory, names, challenge, profile } = certificate;
    const at = now.toISOString();
    let ordered: NamesOrdered['ordered'] | null = null;
    const added = await auditedTransaction(this.#database, this.#audit, audited, now, async (transaction) => {
      ordered = await orderedElsewhere(transaction, names);
      if (ordered !== null) return null;
      const { numInsertedOrUpdatedRows } = await transaction
        .insertInto('acme_certificates')
        .values({
          ...{ id, directory, challenge, profile, failures: 0, created_at: at, due_at: at, due_by: 'request' },
          names_json: JSON.stringify(names),
          names_key: namesKey(names),
        })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n ? true : null;
    });
    return ordered === null ? added : { ordered };
  }

  async get(id: string): Promise<WantedCertificate | null> {
    const [row] = await this.#wanted().where('acme_certificates.id', '=', id).execute();
    return row === undefined ? null : toWanted(row);
  }

  async ofNames(names: readonly string[]): Promise<WantedCertificate | null> {
    const [row] = await this.#wanted().where('names_key', '=', namesKey(names)).execute();
    return row === undefined ? null : toWanted(row);
  }

  /** In order of ids. */
  async all(): Promise<WantedCertificate[]> {
    return (await this.#wanted().orderBy('acme_certificates.id').execute()).map(toWanted);
  }

  /**
   * Those that are due and have no open order, in the order in which they are ordered: the least remaining share of the
   * lifetime first (0 if none was issued). After them those that failed or were limited before, the longest waiting first:
   * they may fail each time, and would delay the others.
   * @param aheadMs how far the clock of this machine is ahead of the authority's, by which renewals are due
   */
  async due(now: Date, limit: number, aheadMs = 0): Promise<WantedCertificate[]> {
    const share = sql<number>`coalesce((julianday(not_after) - julianday(${now.toISOString()}))
      / (julianday(not_after) - julianday(not_before)), 0)`;
    const rows = await this.#idle()
      .where(isDue(now, aheadMs))
      .orderBy(isRepeated)
      .orderBy(sql`case when ${isRepeated} then 0 else ${share} end`)
      .orderBy('due_at')
      .orderBy('acme_certificates.id')
      .limit(limit)
      .execute();
    return rows.map(toWanted);
  }

  /** When the next without an open order is due, by the clock of this machine; null: none is. */
  async nextDue(aheadMs = 0): Promise<Date | null> {
    const next = this.#idle().orderBy('due_at').limit(1);
    const [renewal] = await next.where(isPlanned).execute();
    const [other] = await next.where(sql<SqlBool>`not (${isPlanned})`).execute();
    const times = [
      ...(renewal === undefined ? [] : [Date.parse(renewal.due_at) + aheadMs]),
      ...(other === undefined ? [] : [Date.parse(other.due_at)]),
    ];
    return times.length === 0 ? null : new Date(Math.min(...times));
  }

  /** Nothing is ordered before `until`, to stay within a limit of this service. */
  async limited(id: string, until: Date, problem: IssuanceProblem): Promise<void> {
    await this.#database.write
      .updateTable('acme_certificates')
      .set({ due_at: until.toISOString(), due_by: 'limit', problem_json: unlessAttention(JSON.stringify(problem)) })
      .where('id', '=', id)
      .execute();
  }

  /** Certificates that needed attention, or were limited, with other settings become due at once. */
  async dueAfterChange(settingsId: string, now: Date): Promise<void> {
    await this.#database.write
      .updateTable('acme_certificates')
      // One that is limited again would pause those that have not reached the authority yet.
      .set({
        due_at: now.toISOString(),
        due_by: sql<string>`iif(json_extract(problem_json, '$.class') = 'limited', due_by, 'retry')`,
      })
      .where(sql<SqlBool>`json_extract(problem_json, '$.class') in ('needs attention', 'limited')`)
      .where(sql<SqlBool>`json_extract(problem_json, '$.settings') is not ${settingsId}`)
      .execute();
  }

  /**
   * Whether its failure is to be reported: not if it was within `apartMs`. A report of the future, from before the clock was
   * set back, does not count.
   */
  async isReportDue(id: string, apartMs: number, now: Date): Promise<boolean> {
    const due = await this.#database.read
      .selectFrom('acme_certificates')
      .select('id')
      .where('id', '=', id)
      .where((eb) =>
        eb.or([
          eb('failing_reported_at', 'is', null),
          eb('failing_reported_at', '<=', new Date(now.getTime() - apartMs).toISOString()),
          eb('failing_reported_at', '>', now.toISOString()),
        ]),
      )
      .execute();
    return due.length > 0;
  }

  async failingReported(id: string, now: Date): Promise<void> {
    await this.#database.write
      .updateTable('acme_certificates')
      .set({ failing_reported_at: now.toISOString() })
      .where('id', '=', id)
      .execute();
  }

  /** Due at once. Null: there is none of this id. */
  async demand(id: string, now: Date, audited?: AuditedChange): Promise<true | null> {
    return await auditedTransaction(this.#database, this.#audit, audited, now, async (transaction) => {
      const { numUpdatedRows } = await transaction
        .updateTable('acme_certificates')
        .set({ due_at: now.toISOString(), due_by: 'request' })
        .where('id', '=', id)
        .executeTakeFirst();
      return numUpdatedRows === 1n ? true : null;
    });
  }

  /** Its open order ends. Null: there is none of this id. */
  async remove(id: string, now: Date, audited?: AuditedChange): Promise<true | null> {
    return await auditedTransaction(this.#database, this.#audit, audited, now, async (transaction) =>
      (await forget(transaction, id, now)) ? true : null,
    );
  }

  /** For each authority, the certificate whose renewal window is due to be read next. Expired ones have no window. */
  async nextPolls(now: Date): Promise<{ readonly certificate: WantedCertificate; readonly at: Date }[]> {
    const toPoll = this.#wanted().where('ari_poll_at', 'is not', null).where('not_after', '>', now.toISOString());
    const directories = await this.#database.read
      .selectFrom('acme_certificates')
      .select('directory')
      .distinct()
      .where('ari_poll_at', 'is not', null)
      .execute();
    const firsts = await Promise.all(
      directories.map(({ directory }) =>
        toPoll.where('directory', '=', directory).orderBy('ari_poll_at').limit(1).execute(),
      ),
    );
    return firsts.flat().map((row) => ({ certificate: toWanted(row), at: new Date(row.ari_poll_at!) }));
  }

  /** No effect if another version is active meanwhile. `dueAt` null keeps the time; a request and a limit are kept too. */
  async polled(
    { id, ariId }: WantedCertificate,
    next: { readonly pollAt: Date; readonly window: RenewalWindow | null; readonly dueAt: Date | null },
  ): Promise<void> {
    const { pollAt, window, dueAt } = next;
    await this.#database.write
      .updateTable('acme_certificates')
      .set((eb) => ({
        ari_poll_at: pollAt.toISOString(),
        ...(window === null ? {} : { ari_json: JSON.stringify(window) }),
        ...(dueAt === null
          ? {}
          : {
              due_at: eb.case().when(isPlanned).then(dueAt.toISOString()).else(eb.ref('due_at')).end(),
              due_by: eb.case().when(isPlanned).then('ari').else(eb.ref('due_by')).end(),
            }),
      }))
      .where('id', '=', id)
      .where('ari_id', '=', ariId)
      .execute();
  }

  /** The authority has no windows: no further window is read, and the next order names none that it replaces. */
  async withoutRenewalInfo({ id, ariId }: WantedCertificate): Promise<void> {
    await this.#database.write
      .updateTable('acme_certificates')
      .set({ ari_id: null, ari_poll_at: null })
      .where('id', '=', id)
      .where('ari_id', '=', ariId)
      .execute();
  }

  /**
   * Begins an order, unless a limit would be exceeded. What the authority was asked to issue counts as issued. A time in
   * the future, from before the clock was set back, becomes now. Ends a limit, and deletes old orders. Null: the certificate
   * was removed, or has an open order.
   */
  async plan(certificate: WantedCertificate, plan: OrderPlan, now: Date): Promise<Planned | null> {
    const { id, names } = certificate;
    return await this.#database.write.transaction().execute(async (transaction): Promise<Planned | null> => {
      await bringBack(transaction, names, now.toISOString());
      await deleteOldOrders(transaction, id, plan.issues, now);
      const exceeded = await exceededLimit(transaction, names, plan, now);
      if (exceeded !== null) return { ok: false, ...exceeded };
      const wanted = await transaction.selectFrom('acme_certificates').select('id').where('id', '=', id).execute();
      if (wanted.length === 0) return null;
      const at = now.toISOString();
      const row = await transaction
        .insertInto('acme_orders')
        .values({
          certificate: id,
          directory: plan.directory,
          names_json: JSON.stringify(names),
          names_key: namesKey(names),
          profile: plan.profile,
          replaces: plan.replaces,
          state: 'planned',
          created_at: at,
          updated_at: at,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) return null;
      await transaction
        .updateTable('acme_certificates')
        .set({ problem_json: null })
        .where('id', '=', id)
        .where(sql<SqlBool>`json_extract(problem_json, '$.class') = 'limited'`)
        .execute();
      return { ok: true, order: toOrder(row) };
    });
  }

  /** Closes an order whose certificate this transaction stores. Throws `OrderClosed`. */
  async stored(transaction: Transaction<Schema>, order: IssuanceOrder, next: NextRenewal, now: Date): Promise<void> {
    await close(transaction, order.id, { state: 'stored', problem_json: null }, now.toISOString());
    await transaction
      .updateTable('acme_certificates')
      .set({
        directory: order.directory,
        due_at: next.dueAt.toISOString(),
        due_by: 'age',
        failures: 0,
        problem_json: null,
        failing_reported_at: null,
        ari_id: next.ariId,
        ari_json: null,
        ari_poll_at: next.ariPollAt?.toISOString() ?? null,
      })
      .where('id', '=', order.certificate)
      .execute();
  }

  #wanted() {
    return this.#database.read
      .selectFrom('acme_certificates')
      .leftJoin('certificates', 'certificates.id', 'acme_certificates.id')
      .leftJoin('certificate_versions', (join) =>
        join
          .onRef('certificate_versions.certificate', '=', 'certificates.id')
          .onRef('certificate_versions.version', '=', 'certificates.active_version'),
      )
      .selectAll('acme_certificates')
      .select(['not_before', 'not_after', shownProblem.as('shown_problem')]);
  }

  #idle() {
    return this.#wanted().where(
      sql<SqlBool>`not exists (select 1 from acme_orders
        where acme_orders.certificate = acme_certificates.id and closed_at is null)`,
    );
  }
}

/** No order and no renewal follows; old orders are deleted. False: there is none of this id. */
export async function forget(transaction: Transaction<Schema>, id: string, now: Date): Promise<boolean> {
  const removed = await transaction.deleteFrom('acme_certificates').where('id', '=', id).executeTakeFirst();
  const [open] = await transaction
    .selectFrom('acme_orders')
    .select('id')
    .where('certificate', '=', id)
    .where('closed_at', 'is', null)
    .execute();
  if (open !== undefined) await close(transaction, open.id, { state: 'failed', problem_json: null }, now.toISOString());
  await deleteUnwantedOrders(transaction, now);
  return removed.numDeletedRows > 0n;
}

/** Which of these names another certificate orders, unless it has exactly these names; null: none. */
async function orderedElsewhere(
  transaction: Transaction<Schema>,
  names: readonly string[],
): Promise<NamesOrdered['ordered'] | null> {
  const { rows } = await sql<OrderedName>`select value as name, acme_certificates.id as certificate
    from acme_certificates, json_each(names_json)
    where names_key != ${namesKey(names)} and value in (${sql.join(names)}) order by value`.execute(transaction);
  const [first, ...others] = rows;
  return first === undefined ? null : [first, ...others];
}
