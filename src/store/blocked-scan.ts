import type { Kysely } from 'kysely';
import type { BlockedIp } from '../api/blocked-entries.ts';
import { yieldToLoop } from '../concurrency/pause.ts';
import { parseIp, sortKey } from '../domain/ip.ts';
import { BLOCKED_COLUMNS } from './blocked-rows.ts';
import { PreparedQuery, type Runner } from './prepared-query.ts';
import type { Schema } from './schema.ts';
import { StoreError } from './store-error.ts';

const BEFORE_ALL = Buffer.alloc(0);
/** Some 0.3 ms. */
const countSlice = 2_000;

/**
 * Reads the whole table in slices, and what expires next. Reads only the last key: a buffer costs three times as much
 * as an address.
 */
export class BlockedScan {
  readonly #db: Kysely<Schema>;
  readonly #texts: PreparedQuery<{ ip_address: string }>;
  readonly #rows: PreparedQuery<BlockedIp>;
  readonly #expired: PreparedQuery<{ ip_address: string }>;
  readonly #next: PreparedQuery<{ expires_at: string | null }>;
  readonly #endingKey: PreparedQuery<{ sort_key: Buffer }>;
  readonly #endingCount: PreparedQuery<{ total: number }>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
    const after = db.selectFrom('blocked_ips').where('sort_key', '>', BEFORE_ALL).orderBy('sort_key').limit(1);
    this.#texts = new PreparedQuery(after.select('ip_address').compile());
    this.#rows = new PreparedQuery(after.select(BLOCKED_COLUMNS).compile());
    // A row without a key was never enforced; it expires after a sync adopted it.
    const ending = db
      .selectFrom('blocked_ips')
      .where('expires_at', 'is not', null)
      .where('sort_key', 'is not', null)
      .orderBy('expires_at')
      .limit(1);
    this.#expired = new PreparedQuery(ending.select('ip_address').where('expires_at', '<=', '').compile());
    this.#next = new PreparedQuery(ending.select('expires_at').compile());
    const endingAfter = db
      .selectFrom('blocked_ips')
      .where('expires_at', 'is not', null)
      .where('sort_key', '>', BEFORE_ALL);
    this.#endingKey = new PreparedQuery(
      endingAfter.select('sort_key').orderBy('sort_key').limit(1).offset(1).compile(),
    );
    this.#endingCount = new PreparedQuery(endingAfter.select((eb) => eb.fn.countAll<number>().as('total')).compile());
  }

  /** `runner`: the transaction to read in. */
  async texts(
    after: Uint8Array | null,
    limit: number,
    runner: Runner = this.#db,
  ): Promise<{ texts: string[]; last: Buffer | null }> {
    const texts = (await this.#texts.all(runner, [asKey(after), limit])).map((row) => row.ip_address);
    return { texts, last: keyAfter(texts.at(-1)) };
  }

  async rows(after: Uint8Array | null, limit: number): Promise<{ rows: BlockedIp[]; last: Uint8Array | null }> {
    const rows = await this.#rows.all(this.#db, [asKey(after), limit]);
    return { rows, last: keyAfter(rows.at(-1)?.ip_address) };
  }

  async nextExpiry(): Promise<string | null> {
    return (await this.#next.first(this.#db, [1]))?.expires_at ?? null;
  }

  /** In slices: a million of them are 0.1 s of work. Concurrent changes may count or not. */
  async countEnding(): Promise<number> {
    let after: Buffer = BEFORE_ALL;
    for (let counted = 0; ; counted += countSlice) {
      const last = await this.#endingKey.first(this.#db, [after, 1, countSlice - 1]);
      if (last === undefined) {
        const [row] = await this.#endingCount.all(this.#db, [after]);
        return counted + Number(row?.total ?? 0);
      }
      after = last.sort_key;
      await yieldToLoop();
    }
  }

  async expiredBefore(now: string, limit: number): Promise<string[]> {
    return (await this.#expired.all(this.#db, [now, limit])).map((row) => row.ip_address);
  }
}

/** Of an address in the table. */
export function keyOf(text: string): Buffer {
  const parsed = parseIp(text);
  if (!parsed.ok) throw new StoreError('corrupt', `the database holds ${text} as a blocked address: ${parsed.why}`);
  return sortKey(parsed.entry);
}

function asKey(after: Uint8Array | null): Buffer {
  return after === null ? BEFORE_ALL : Buffer.from(after);
}

function keyAfter(text: string | undefined): Buffer | null {
  return text === undefined ? null : keyOf(text);
}
