import { type AuditedChange, AuditRows, auditedTransaction } from './audit-rows.ts';
import type { AttacksTable, ClientsTable } from './insight-schema.ts';
import type { Database } from './open-database.ts';
import { eachBlock } from './row-blocks.ts';

/** Seconds since 1970. */
export interface Gap {
  readonly from: number;
  readonly to: number;
  readonly cause: string;
}

export type Attack = Omit<AttacksTable, 'id'> & { readonly id: number };

/** Of gaps and of attacks; the oldest go first. */
const mostRows = 1_000;

/** Gaps, attacks and loud clients: small tables. Failures are `StoreError`s. */
export class InsightStore {
  readonly #database: Database;
  readonly #audit: AuditRows;

  constructor(database: Database) {
    this.#database = database;
    this.#audit = new AuditRows(database.write);
  }

  /** One that begins where the last one of the same cause ended extends it. */
  async addGap({ from, to, cause }: Gap): Promise<void> {
    await this.#database.write.transaction().execute(async (transaction) => {
      const last = await transaction
        .selectFrom('insight_gaps')
        .selectAll()
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst();
      if (last !== undefined && last.cause === cause && last.to_at >= from) {
        await transaction.updateTable('insight_gaps').set({ to_at: to }).where('id', '=', last.id).execute();
        return;
      }
      const { id } = await transaction
        .insertInto('insight_gaps')
        .values({ from_at: from, to_at: to, cause })
        .returning('id')
        .executeTakeFirstOrThrow();
      await transaction
        .deleteFrom('insight_gaps')
        .where('id', '<=', id - mostRows)
        .execute();
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
    return rows.map(({ from_at, to_at, cause }) => ({ from: from_at, to: to_at, cause }));
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
      for (const row of rows) await transaction.replaceInto('clients').values(row).execute();
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
