import type { Selectable } from 'kysely';
import { type AuditedChange, AuditRows, auditedTransaction } from './audit-rows.ts';
import type { Database } from './open-database.ts';
import type { ApiKeysTable } from './schema.ts';

export interface ApiKeyRow extends Readonly<Omit<Selectable<ApiKeysTable>, 'scopes_json' | 'moves_claims'>> {
  readonly scopes: readonly string[];
}

interface NewApiKey {
  readonly name: string;
  readonly hash: string;
  readonly scopes: readonly string[];
  /** ISO 8601, UTC, milliseconds; null: no expiry. */
  readonly expiresAt?: string | null | undefined;
  /** Null: not bound to a source. */
  readonly source?: string | null | undefined;
}

export type RevocationJudge = (key: ApiKeyRow, others: readonly ApiKeyRow[]) => void;

const TOUCH_EVERY_MS = 60_000;

/** The table `api_keys`. A revoked key stays, so that its name is never reused. */
export class ApiKeysStore {
  readonly #database: Database;
  readonly #audit: AuditRows;
  /** When each key's last use was written, in ms. */
  readonly #touched = new Map<string, number>();

  constructor(database: Database) {
    this.#database = database;
    this.#audit = new AuditRows(database.write);
  }

  /** Null when the name is taken, even by a revoked key. */
  async create(key: NewApiKey, now: Date, audited?: AuditedChange): Promise<ApiKeyRow | null> {
    return await auditedTransaction(this.#database, this.#audit, audited, now, async (transaction) => {
      const row = await transaction
        .insertInto('api_keys')
        .values({
          name: key.name,
          hash: key.hash,
          scopes_json: JSON.stringify(key.scopes),
          created_at: now.toISOString(),
          expires_at: key.expiresAt ?? null,
          source: key.source ?? null,
        })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? null : toKey(row);
    });
  }

  /** Also finds expired and revoked keys; the caller decides whether they count. */
  async findByHash(hash: string): Promise<ApiKeyRow | null> {
    return await this.#findBy('hash', hash);
  }

  /** Also finds expired and revoked keys. */
  async findByName(name: string): Promise<ApiKeyRow | null> {
    return await this.#findBy('name', name);
  }

  /** By name, revoked ones too. */
  async list(): Promise<ApiKeyRow[]> {
    const rows = await this.#database.read.selectFrom('api_keys').selectAll().orderBy('name').execute();
    return rows.map(toKey);
  }

  /**
   * Null when there is no key of that name, or it is already revoked. `judge` may throw; then nothing was changed. No
   * other change comes between its input and the revocation.
   * @param judge gets the key and all others not revoked, including expired ones
   */
  async revoke(
    name: string,
    now: Date,
    judge: RevocationJudge = () => undefined,
    audited?: AuditedChange,
  ): Promise<ApiKeyRow | null> {
    return await auditedTransaction(this.#database, this.#audit, audited, now, async (transaction) => {
      const rows = await transaction.selectFrom('api_keys').selectAll().where('revoked_at', 'is', null).execute();
      const key = rows.find((row) => row.name === name);
      if (key === undefined) return null;
      judge(toKey(key), rows.filter((row) => row !== key).map(toKey));
      const revokedAt = now.toISOString();
      await transaction.updateTable('api_keys').set({ revoked_at: revokedAt }).where('name', '=', name).execute();
      return toKey({ ...key, revoked_at: revokedAt });
    });
  }

  /**
   * Binds a key to a source. Its earlier claims remain to be moved, until `claimsMoved`, also after a crash. Null when
   * there is no key of that name, or it is revoked.
   */
  async bind(name: string, source: string, now: Date, audited: AuditedChange): Promise<ApiKeyRow | null> {
    return await auditedTransaction(this.#database, this.#audit, audited, now, async (transaction) => {
      const row = await transaction
        .updateTable('api_keys')
        .set({ source, moves_claims: 1 })
        .where('name', '=', name)
        .where('revoked_at', 'is', null)
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? null : toKey(row);
    });
  }

  async claimsMoved(name: string): Promise<void> {
    await this.#database.write.updateTable('api_keys').set({ moves_claims: 0 }).where('name', '=', name).execute();
  }

  /** Keys that were bound, but whose earlier claims a crash kept from being moved. */
  async withClaimsToMove(): Promise<{ readonly name: string; readonly source: string }[]> {
    const rows = await this.#database.read
      .selectFrom('api_keys')
      .select(['name', 'source'])
      .where('moves_claims', '=', 1)
      .execute();
    return rows.flatMap(({ name, source }) => (source === null ? [] : [{ name, source }]));
  }

  /** Written at most once a minute per key: a request must not cost a disk sync. */
  async touch(name: string, now: Date): Promise<void> {
    const last = this.#touched.get(name);
    // In both directions: after the clock was set back, last uses must still be written.
    if (last !== undefined && Math.abs(now.getTime() - last) < TOUCH_EVERY_MS) return;
    this.#touched.set(name, now.getTime());
    await this.#database.write
      .updateTable('api_keys')
      .set({ last_used_at: now.toISOString() })
      .where('name', '=', name)
      .execute();
  }

  async #findBy(column: 'hash' | 'name', value: string): Promise<ApiKeyRow | null> {
    const query = this.#database.read.selectFrom('api_keys').selectAll().where(column, '=', value);
    const row = await query.executeTakeFirst();
    return row === undefined ? null : toKey(row);
  }
}

function toKey({ scopes_json, moves_claims: _, ...row }: Selectable<ApiKeysTable>): ApiKeyRow {
  return { ...row, scopes: JSON.parse(scopes_json) as string[] };
}
