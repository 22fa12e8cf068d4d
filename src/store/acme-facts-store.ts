import { sql } from 'kysely';
import { shownProblem } from './acme-problems.ts';
import type { FailureClass, IssuanceProblem } from './issuance-problem.ts';
import type { Database } from './open-database.ts';

/** A certificate of an authority that is due, or is not issued. */
export interface UnrenewedCertificate {
  readonly id: string;
  readonly names: readonly string[];
  readonly dueAt: Date;
  readonly problem: IssuanceProblem | null;
  /** The lifetime of the active version; null: nothing was issued yet. */
  readonly life: { readonly notBefore: Date; readonly notAfter: Date } | null;
}

export interface AcmeTotals {
  readonly total: number;
  /** By class of the problem; absent: none. */
  readonly byClass: ReadonlyMap<FailureClass, number>;
  /** Due, with a problem or without. */
  readonly due: number;
  /** Since when the one that waits longest is due, or its orders fail; null: none waits. */
  readonly waitingSince: Date | null;
}

/** What health and metrics report of certificates of an authority: reads alone. */
export class AcmeFactsStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Those that are due or have a problem; what expires first comes first, and what was never issued last. */
  async unrenewed(now: Date, limit: number): Promise<UnrenewedCertificate[]> {
    const rows = await this.#database.read
      .selectFrom('acme_certificates')
      .leftJoin('certificates', 'certificates.id', 'acme_certificates.id')
      .leftJoin('certificate_versions', (join) =>
        join
          .onRef('certificate_versions.certificate', '=', 'certificates.id')
          .onRef('certificate_versions.version', '=', 'certificates.active_version'),
      )
      .select([
        'acme_certificates.id',
        'acme_certificates.names_json',
        'due_at',
        shownProblem.as('problem_json'),
        'not_before',
        'not_after',
      ])
      .where((eb) => eb.or([eb(shownProblem, 'is not', null), eb('due_at', '<=', now.toISOString())]))
      .orderBy(sql`not_after is null`)
      .orderBy('not_after')
      .orderBy('acme_certificates.id')
      .limit(limit)
      .execute();
    return rows.map(({ id, names_json, due_at, problem_json, not_before, not_after }) => ({
      id,
      names: JSON.parse(names_json) as string[],
      dueAt: new Date(due_at),
      problem: problem_json === null ? null : (JSON.parse(problem_json) as IssuanceProblem),
      life:
        not_before === null || not_after === null
          ? null
          : { notBefore: new Date(not_before), notAfter: new Date(not_after) },
    }));
  }

  async totals(now: Date): Promise<AcmeTotals> {
    const classes = await this.#database.read
      .selectFrom('acme_certificates')
      .select((eb) => [
        sql<FailureClass | null>`json_extract(${shownProblem}, '$.class')`.as('failure'),
        eb.fn.countAll<number>().as('count'),
        eb.fn.countAll<number>().filterWhere('due_at', '<=', now.toISOString()).as('due'),
        eb.fn.min('due_at').filterWhere('due_at', '<=', now.toISOString()).as('since'),
      ])
      .groupBy('failure')
      .execute();
    // `due_at` of one that fails is its next order, so its first failure counts.
    const failing = await this.#database.read
      .selectFrom('acme_orders')
      .innerJoin('acme_certificates', 'acme_certificates.id', 'acme_orders.certificate')
      .select((eb) => eb.fn.min('acme_orders.created_at').as('since'))
      .where('failures', '>', 0)
      .where('state', '=', 'failed')
      .where(
        sql<boolean>`acme_orders.id > coalesce((select max(id) from acme_orders as stored
          where stored.certificate = acme_orders.certificate and stored.state = 'stored'), 0)`,
      )
      .executeTakeFirst();
    const since = [...classes.map((one) => one.since), failing?.since ?? null].filter((one) => one !== null);
    const first = since.toSorted()[0];
    return {
      total: classes.reduce((sum, { count }) => sum + count, 0),
      byClass: new Map(classes.flatMap(({ failure, count }) => (failure === null ? [] : [[failure, count]]))),
      due: classes.reduce((sum, { due }) => sum + due, 0),
      waitingSince: first === undefined ? null : new Date(first),
    };
  }
}
