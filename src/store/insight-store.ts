import { type AuditedChange, AuditRows, auditedTransaction } from './audit-rows.ts';
import type { AttacksTable, ClientsTable } from './insight-schema.ts';
import type { Database } from './open-database.ts';
import { eachBlock, RowsWriter } from './row-blocks.ts';

/** Seconds since 1970. */
export interface Gap {
  readonly from: number;
  readonly to: number;
  readonly cause: string;
}

export type Attack = Omit<AttacksTable, 'id'> & { readonly id: number };

/** Of gaps and of attacks; the oldest go first. */
const mostRows = 1_000;
/** Of gaps that were joined since there were too many. */
export const joinedCause = 'more gaps than are kept apart';

/** Gaps, attacks and loud clients: small tables. Failures are `StoreError`s. */
export class InsightStore {
  readonly #database: Database;
  readonly #audit: AuditRows;
  readonly #putClients: RowsWriter;

  constructor(database: Database) {
    this.#database = database;
    this.#audit = new AuditRows(database.write);
    const client = { address: Buffer.alloc(0), requests: 0, errors: 0, first_seen: 0, last_seen: 0, ignored_until: 0 };
    this.#putClients = new RowsWriter((count) =>
      database.write.replaceInto('clients').values(new Array<ClientsTable>(count).fill(client)).compile(),
    );
  }

  /**
   * One that overlaps or touches the last one of the same cause extends it. Of more than a thousand, the two oldest
   * become one, so that no unknown time counts as known.
   */
  async addGap(gap: Gap): Promise<void> {
    await this.#database.write.transaction().execute(async (transaction) => {
      const gaps = transaction.selectFrom('insight_gaps').selectAll();
      const last = await gaps.orderBy('id', 'desc').limit(1).executeTakeFirst();
      const one = last === undefined ? null : joinedGaps(gapOf(last), gap);
      if (one !== null) {
        await transaction.updateTable('insight_gaps').set(rowOf(one)).where('id', '=', last!.id).execute();
        return;
      }
      await transaction.insertInto('insight_gaps').values(rowOf(gap)).execute();
      const { count } = await transaction
        .selectFrom('insight_gaps')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      if (count <= mostRows) return;
      const [first, second] = await gaps.orderBy('id').limit(2).execute();
      if (first === undefined || second === undefined) return;
      const both = { from_at: Math.min(first.from_at, second.from_at), to_at: Math.max(first.to_at, second.to_at) };
      await transaction
        .updateTable('insight_gaps')
        .set({ ...both, cause: joinedCause })
        .where('id', '=', second.id)
        .execute();
      await transaction.deleteFrom('insight_gaps').where('id', '=', first.id).execute();
    });
  }

  /** Which ended after `since`, oldest first. */
  async gaps(since: number): Promise<readonly Gap[]> {
    const rows = await this.#database.read
      .selectFrom('insight_gaps')
      .selectAll()
      .where('to_at', '>', since)
      .orderBy('id')
      .execute();
    return rows.map(gapOf);
  }

  /** Returns its id. */
  async addAttack(attack: Omit<Attack, 'id'>): Promise<number> {
    return await this.#database.write.transaction().execute(async (transaction) => {
      const { id } = await transaction.insertInto('attacks').values(attack).returning('id').executeTakeFirstOrThrow();
      await transaction
        .deleteFrom('attacks')
        .where('id', '<=', id - mostRows)
        .execute();
      return id;
    });
  }

  async changeAttack({ id, ...attack }: Attack): Promise<void> {
    await this.#database.write.updateTable('attacks').set(attack).where('id', '=', id).execute();
  }

  /** Newest first. @param before ids below it; null: from the newest */
  async attacks(limit: number, before: number | null = null): Promise<readonly Attack[]> {
    const query = this.#database.read.selectFrom('attacks').selectAll().orderBy('id', 'desc').limit(limit);
    return await (before === null ? query : query.where('id', '<', before)).execute();
  }

  async attack(id: number): Promise<Attack | null> {
    return (
      (await this.#database.read.selectFrom('attacks').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
    );
  }

  async clients(): Promise<readonly ClientsTable[]> {
    return await this.#database.read.selectFrom('clients').selectAll().orderBy('last_seen').execute();
  }

  /** One transaction: replaces these rows and deletes those. */
  async writeClients(rows: readonly ClientsTable[], gone: readonly Buffer[]): Promise<void> {
    if (rows.length + gone.length === 0) return;
    await this.#database.write.transaction().execute(async (transaction) => {
      await this.#putClients.write(
        transaction,
        rows.map((row) => [row.address, row.requests, row.errors, row.first_seen, row.last_seen, row.ignored_until]),
      );
      await eachBlock(gone, async (block) => {
        await transaction.deleteFrom('clients').where('address', 'in', block).execute();
      });
    });
  }

  /** Replaces one client, with the audit row. */
  async putClient(row: ClientsTable, now: Date, audited: AuditedChange): Promise<void> {
    await auditedTransaction(this.#database, this.#audit, audited, now, async (transaction) => {
      await transaction.replaceInto('clients').values(row).execute();
      return row;
    });
  }

  /** Replaces a state, with the audit row. */
  async putState(name: string, value: unknown, now: Date, audited: AuditedChange): Promise<void> {
    await auditedTransaction(this.#database, this.#audit, audited, now, async (transaction) => {
      await transaction
        .replaceInto('insight_state')
        .values({ name, value_json: JSON.stringify(value) })
        .execute();
      return name;
    });
  }
}

/** One gap, if they overlap or touch and have the same cause; else null. */
export function joinedGaps(a: Gap, b: Gap): Gap | null {
  if (a.cause !== b.cause || a.to < b.from || b.to < a.from) return null;
  return { from: Math.min(a.from, b.from), to: Math.max(a.to, b.to), cause: a.cause };
}

function gapOf({
  from_at,
  to_at,
  cause,
}: {
  readonly from_at: number;
  readonly to_at: number;
  readonly cause: string;
}) {
  return { from: from_at, to: to_at, cause };
}

function rowOf({ from, to, cause }: Gap) {
  return { from_at: from, to_at: to, cause };
}
