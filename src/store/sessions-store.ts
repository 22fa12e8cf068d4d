import { type AuditedChange, AuditRows, auditedTransaction } from './audit-rows.ts';
import type { Database } from './open-database.ts';
import type { SessionsTable } from './schema.ts';

export type SessionRow = Readonly<SessionsTable>;

/** Which sessions end when another starts. Times are ISO 8601, UTC, milliseconds. */
interface SessionRetention {
  /** Started before then, last used before, or started after (the clock was ahead): they have ended. */
  readonly createdBefore: string;
  readonly createdAfter: string;
  readonly usedBefore: string;
  /** Sessions of one key, the new one included; the one idle longest ends first. */
  readonly mostOfKey: number;
}

export class SessionsStore {
  readonly #database: Database;
  readonly #audit: AuditRows;

  constructor(database: Database) {
    this.#database = database;
    this.#audit = new AuditRows(database.write);
  }

  async start(row: SessionRow, retention: SessionRetention, audited?: AuditedChange): Promise<void> {
    const now = new Date(row.created_at);
    await auditedTransaction(this.#database, this.#audit, audited, now, async (transaction) => {
      await transaction
        .deleteFrom('sessions')
        .where((or) =>
          or.or([
            or('created_at', '<', retention.createdBefore),
            or('created_at', '>', retention.createdAfter),
            or('last_used_at', '<', retention.usedBefore),
          ]),
        )
        .execute();
      const surplus = transaction
        .selectFrom('sessions')
        .select('hash')
        .where('key_name', '=', row.key_name)
        .orderBy('last_used_at', 'desc')
        .limit(-1)
        .offset(retention.mostOfKey - 1);
      await transaction.deleteFrom('sessions').where('hash', 'in', surplus).execute();
      await transaction.insertInto('sessions').values(row).execute();
      return row;
    });
  }

  /** Also finds ended sessions; the caller decides whether they count. */
  async find(hash: string): Promise<SessionRow | null> {
    const query = this.#database.read.selectFrom('sessions').selectAll().where('hash', '=', hash);
    return (await query.executeTakeFirst()) ?? null;
  }

  async touch(hash: string, now: Date): Promise<void> {
    await this.#database.write
      .updateTable('sessions')
      .set({ last_used_at: now.toISOString() })
      .where('hash', '=', hash)
      .execute();
  }

  async end(hash: string, now: Date, audited?: AuditedChange): Promise<void> {
    await auditedTransaction(this.#database, this.#audit, audited, now, async (transaction) => {
      const { numDeletedRows } = await transaction.deleteFrom('sessions').where('hash', '=', hash).executeTakeFirst();
      return numDeletedRows === 0n ? null : true;
    });
  }
}
