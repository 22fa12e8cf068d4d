import type { Kysely } from 'kysely';
import { parseIp, sortKey } from '../domain/ip.ts';
import type { BlockedIpRow } from './blocked-changes.ts';
import { BLOCKED_COLUMNS } from './blocked-rows.ts';
import { PreparedQuery, type Runner } from './prepared-query.ts';
import type { Schema } from './schema.ts';
import { StoreError } from './store-error.ts';

/** Sorts before every key of an address. */
const BEFORE_ALL = Buffer.alloc(0);

/**
 * Reads the whole table piece by piece, and what ends next. Keys are not read: a buffer costs three times what an
 * address does, and the last one alone is needed.
 */
export class BlockedScan {
  readonly #db: Kysely<Schema>;
  readonly #texts: PreparedQuery<{ ip_address: string }>;
  readonly #rows: PreparedQuery<BlockedIpRow>;
  readonly #expired: PreparedQuery<{ ip_address: string }>;
  readonly #next: PreparedQuery<{ expires_at: string | null }>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
    const after = db.selectFrom('blocked_ips').where('sort_key', '>', BEFORE_ALL).orderBy('sort_key').limit(1);
    this.#texts = new PreparedQuery(after.select('ip_address').compile());
    this.#rows = new PreparedQuery(after.select(BLOCKED_COLUMNS).compile());
    // A row without a key was never enforced; it ends after a sync has taken it up.
    const ending = db
      .selectFrom('blocked_ips')
      .where('expires_at', 'is not', null)
      .where('sort_key', 'is not', null)
      .orderBy('expires_at')
      .limit(1);
    this.#expired = new PreparedQuery(ending.select('ip_address').where('expires_at', '<=', '').compile());
    this.#next = new PreparedQuery(ending.select('expires_at').compile());
  }

  /** `runner`: a transaction in which to read. */
  async texts(
    after: Uint8Array | null,
    limit: number,
    runner: Runner = this.#db,
  ): Promise<{ texts: string[]; last: Buffer | null }> {
    const texts = (await this.#texts.all(runner, [asKey(after), limit])).map((row) => row.ip_address);
    return { texts, last: keyOf(texts.at(-1)) };
  }

  async rows(after: Uint8Array | null, limit: number): Promise<{ rows: BlockedIpRow[]; last: Uint8Array | null }> {
    const rows = await this.#rows.all(this.#db, [asKey(after), limit]);
    return { rows, last: keyOf(rows.at(-1)?.ip_address) };
  }

  async nextExpiry(): Promise<string | null> {
    return (await this.#next.first(this.#db, [1]))?.expires_at ?? null;
  }

  async expiredBefore(now: string, limit: number): Promise<string[]> {
    return (await this.#expired.all(this.#db, [now, limit])).map((row) => row.ip_address);
  }
}

function asKey(after: Uint8Array | null): Buffer {
  return after === null ? BEFORE_ALL : Buffer.from(after);
}

function keyOf(text: string | undefined): Buffer | null {
  if (text === undefined) return null;
  const parsed = parseIp(text);
  if (!parsed.ok) throw new StoreError('corrupt', `the database holds ${text} as a blocked address: ${parsed.why}`);
  return sortKey(parsed.entry);
}
