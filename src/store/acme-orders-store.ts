import { type Selectable, type SqlBool, sql, type Transaction } from 'kysely';
import { unlessAttention } from './acme-problems.ts';
import type { AcmeOrdersTable } from './acme-schema.ts';
import type { IssuanceProblem } from './issuance-problem.ts';
import type { Database } from './open-database.ts';
import type { Schema } from './schema.ts';

/**
 * What a state names is stored before the authority is asked for anything else. `finalizing`: key and CSR are stored, the
 * certificate may be issued. `stored`: the certificate has a new version.
 */
export type OrderState = 'planned' | 'created' | 'showing' | 'told' | 'finalizing' | 'issued' | 'stored' | 'failed';

export type ChallengeType = 'http-01' | 'dns-01';

/** A challenge that is shown while the order is in the states `showing` and `told`. */
export interface OrderChallenge {
  readonly type: ChallengeType;
  /** As in the order: with `*.` for a wildcard. */
  readonly name: string;
  readonly authorizationUrl: string;
  readonly challengeUrl: string;
  readonly token: string;
  readonly keyAuthorization: string;
}

export interface IssuanceOrder {
  readonly id: number;
  readonly certificate: string;
  readonly directory: string;
  readonly names: readonly string[];
  readonly profile: string | null;
  /** The id of the certificate that it renews (RFC 9773, 4.1). */
  readonly replaces: string | null;
  readonly state: OrderState;
  readonly url: string | null;
  readonly finalizeUrl: string | null;
  readonly challenges: readonly OrderChallenge[];
  readonly key: OrderKey | null;
  readonly finalizedAt: Date | null;
  readonly certificateUrl: string | null;
  /** Why it failed, or what it waits for. */
  readonly problem: IssuanceProblem | null;
  readonly createdAt: Date;
  /** When its state began. */
  readonly updatedAt: Date;
  readonly closedAt: Date | null;
}

export interface OrderKey {
  readonly sealed: Uint8Array;
  readonly publicKeySha256: string;
  /** DER. */
  readonly csr: Uint8Array;
}

/** The next state of an open order. Without a member: it keeps what it has. */
export interface OrderStep {
  readonly state: OrderState;
  readonly replaces?: null;
  readonly url?: string;
  readonly finalizeUrl?: string;
  readonly challenges?: readonly OrderChallenge[];
  readonly key?: OrderKey;
  readonly finalizedAt?: Date;
  readonly certificateUrl?: string;
}

export interface OrderFailure {
  readonly problem: IssuanceProblem;
  /** When the next order is due. */
  readonly dueAt: Date;
  /** `limit`: the authority did not begin the order, which counts as no failure. */
  readonly dueBy: 'retry' | 'limit';
  /** Whose validation failed. */
  readonly failedNames: readonly string[];
  /** It does not count as an issue. */
  readonly notIssued: boolean;
}

/** The order was closed meanwhile: its certificate was removed. */
export class OrderClosed extends Error {
  constructor(id: number) {
    super(`the order ${id} is closed`);
    this.name = 'OrderClosed';
  }
}

/** Its TXT records may still be there. */
export const hasRecords = sql<SqlBool>`coalesce(challenges_json like '%"type":"dns-01"%', 0)`;
/** Failed validations: longer than any limit looks back. */
const KEPT_MS = 8 * 86_400_000;

/** The tables `acme_orders` and `acme_failed_validations`; orders are planned by `AcmeCertificatesStore`. */
export class AcmeOrdersStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Null: there is none, or it is closed. */
  async open(id: number): Promise<IssuanceOrder | null> {
    const row = await this.#database.read
      .selectFrom('acme_orders')
      .selectAll()
      .where('id', '=', id)
      .where('closed_at', 'is', null)
      .executeTakeFirst();
    return row === undefined ? null : toOrder(row);
  }

  /** In order of their begin. */
  async allOpen(): Promise<IssuanceOrder[]> {
    const query = this.#database.read.selectFrom('acme_orders').selectAll().where('closed_at', 'is', null);
    return (await query.orderBy('id').execute()).map(toOrder);
  }

  /** The last orders of a certificate, the newest first, open ones too. */
  async ofCertificate(certificate: string, limit: number): Promise<IssuanceOrder[]> {
    const query = this.#database.read.selectFrom('acme_orders').selectAll().where('certificate', '=', certificate);
    return (await query.orderBy('id', 'desc').limit(limit).execute()).map(toOrder);
  }

  /** What HAProxy has to answer now: token → key authorization. */
  async challenges(): Promise<Map<string, string>> {
    const rows = await this.#database.read
      .selectFrom('acme_orders')
      .select('challenges_json')
      .where('closed_at', 'is', null)
      .where('state', 'in', ['showing', 'told'])
      .orderBy('id')
      .execute();
    const challenges = rows
      .flatMap(({ challenges_json: json }) => challengesOf(json))
      .filter(({ type }) => type === 'http-01');
    return new Map(challenges.map(({ token, keyAuthorization }) => [token, keyAuthorization]));
  }

  /** Those whose challenges by dns-01 are not needed any more, and whose records may still be there. */
  async withRecords(): Promise<IssuanceOrder[]> {
    const query = this.#database.read
      .selectFrom('acme_orders')
      .selectAll()
      .where(hasRecords)
      .where((eb) => eb.or([eb('closed_at', 'is not', null), eb('state', 'not in', ['showing', 'told'])]));
    return (await query.orderBy('id').execute()).map(toOrder);
  }

  async recordsRemoved(id: number): Promise<void> {
    await this.#database.write.updateTable('acme_orders').set({ challenges_json: null }).where('id', '=', id).execute();
  }

  /** Throws `OrderClosed`. */
  async step(id: number, step: OrderStep, now: Date): Promise<void> {
    const { state, replaces, url, finalizeUrl, challenges, key, finalizedAt, certificateUrl } = step;
    const { numUpdatedRows } = await this.#database.write
      .updateTable('acme_orders')
      .set({
        state,
        ...(replaces === undefined ? {} : { replaces }),
        ...(url === undefined ? {} : { url }),
        ...(finalizeUrl === undefined ? {} : { finalize_url: finalizeUrl }),
        ...(challenges === undefined ? {} : { challenges_json: JSON.stringify(challenges) }),
        ...(key === undefined
          ? {}
          : {
              key_sealed: Buffer.from(key.sealed),
              public_key_sha256: key.publicKeySha256,
              csr: Buffer.from(key.csr),
            }),
        ...(finalizedAt === undefined ? {} : { finalized_at: finalizedAt.toISOString() }),
        ...(certificateUrl === undefined ? {} : { certificate_url: certificateUrl }),
        problem_json: null,
        updated_at: now.toISOString(),
      })
      .where('id', '=', id)
      .where('closed_at', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new OrderClosed(id);
  }

  /** What an open order waits for, until its next step: shown with it and with its certificate. */
  async waiting(order: IssuanceOrder, problem: IssuanceProblem): Promise<void> {
    await this.#database.write
      .updateTable('acme_orders')
      .set({ problem_json: JSON.stringify(problem) })
      .where('id', '=', order.id)
      .where('closed_at', 'is', null)
      .execute();
  }

  /** Closes the order, and says when the next is due. Throws `OrderClosed`. */
  async fail(order: IssuanceOrder, failure: OrderFailure, now: Date): Promise<void> {
    const { problem, dueAt, dueBy, failedNames, notIssued } = failure;
    const at = now.toISOString();
    const json = JSON.stringify(problem);
    const isLimit = dueBy === 'limit';
    await this.#database.write.transaction().execute(async (transaction) => {
      const end = { state: 'failed', problem_json: json, ...(notIssued && { finalized_at: null }) } as const;
      await close(transaction, order.id, end, at);
      await transaction
        .updateTable('acme_certificates')
        .set((eb) => ({
          due_at: dueAt.toISOString(),
          due_by: dueBy,
          ...(isLimit ? {} : { failures: eb('failures', '+', 1) }),
          problem_json: isLimit ? unlessAttention(json) : json,
          // What an operator has to correct is reported at once, also soon after a failure that ends by itself.
          ...(problem.class === 'needs attention' && {
            failing_reported_at: sql<
              string | null
            >`iif(json_extract(problem_json, '$.class') is 'needs attention', failing_reported_at, null)`,
          }),
        }))
        .where('id', '=', order.certificate)
        .execute();
      const old = new Date(now.getTime() - KEPT_MS).toISOString();
      await transaction.deleteFrom('acme_failed_validations').where('at', '<', old).execute();
      const { directory } = order;
      for (const name of failedNames)
        await transaction.insertInto('acme_failed_validations').values({ directory, name, at }).execute();
    });
  }
}

/** Closes an open order, without its key, which has no use any more. Throws `OrderClosed`. */
export async function close(
  transaction: Transaction<Schema>,
  id: number,
  end: { readonly state: OrderState; readonly problem_json: string | null; readonly finalized_at?: null },
  at: string,
): Promise<void> {
  const { numUpdatedRows } = await transaction
    .updateTable('acme_orders')
    .set({
      ...{ ...end, key_sealed: null, csr: null, updated_at: at, closed_at: at },
      // The records of dns-01 are still to be removed.
      challenges_json: sql<string | null>`case when ${hasRecords} then challenges_json end`,
    })
    .where('id', '=', id)
    .where('closed_at', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new OrderClosed(id);
}

export function toOrder(row: Selectable<AcmeOrdersTable>): IssuanceOrder {
  const { key_sealed: sealed, public_key_sha256: publicKeySha256, csr } = row;
  return {
    id: row.id,
    certificate: row.certificate,
    directory: row.directory,
    names: JSON.parse(row.names_json) as string[],
    profile: row.profile,
    replaces: row.replaces,
    state: row.state as OrderState,
    url: row.url,
    finalizeUrl: row.finalize_url,
    challenges: challengesOf(row.challenges_json),
    key: sealed === null || publicKeySha256 === null || csr === null ? null : { sealed, publicKeySha256, csr },
    finalizedAt: dateOf(row.finalized_at),
    certificateUrl: row.certificate_url,
    problem: row.problem_json === null ? null : (JSON.parse(row.problem_json) as IssuanceProblem),
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
    closedAt: dateOf(row.closed_at),
  };
}

function challengesOf(json: string | null): OrderChallenge[] {
  const challenges =
    json === null ? [] : (JSON.parse(json) as (Omit<OrderChallenge, 'type'> & Partial<OrderChallenge>)[]);
  // Before there was dns-01, they had no type.
  return challenges.map((one) => ({ ...one, type: one.type ?? 'http-01' }));
}

function dateOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
