import { sql } from 'kysely';
import { yieldToLoop } from '../concurrency/pause.ts';
import type { Database } from './open-database.ts';

/** Entries that one slice examines: a few milliseconds. */
const atOnce = 4_096;

/** Which entries have not been hit; times in ISO 8601 and in seconds. */
export interface NotHit {
  /** Blocked at or before this time. */
  readonly blockedBy: string;
  /** No request since, in seconds. */
  readonly since: number;
}

/** Of one slice: a source, or none, how many rows it has, and the last of their keys. */
interface SourceRows {
  readonly source: number | null;
  readonly rows: number;
  readonly last: Buffer;
}

/** Counts over entries and their hits, in slices. Failures are `StoreError`s. */
export class MatchCounts {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * How many entries have not been hit, of how many that were blocked so early.
   * Of changes made meanwhile some count and some do not.
   */
  async notHit({ blockedBy, since }: NotHit, signal?: AbortSignal): Promise<{ count: number; of: number }> {
    let [count, of] = [0, 0];
    for (let after: Buffer | null = Buffer.alloc(0); after !== null; await yieldToLoop()) {
      signal?.throwIfAborted();
      const slice: { rows: number; old: number; dead: number; last: Buffer | null } = (
        await sql<{ rows: number; old: number; dead: number; last: Buffer | null }>`
          select count(*) as rows, max(sort_key) as last, coalesce(sum(blocked_at <= ${blockedBy}), 0) as old, coalesce(sum(blocked_at <= ${blockedBy} and not exists (
            select 1 from entry_hits h where h.sort_key = b.sort_key and h.last_hit >= ${since})), 0) as dead
          from (select sort_key, blocked_at from blocked_ips where sort_key > ${after} order by sort_key limit ${atOnce}) b
        `.execute(this.#database.read)
      ).rows[0]!;
      count += slice.dead;
      of += slice.old;
      after = slice.rows < atOnce ? null : slice.last;
    }
    return { count, of };
  }

  /**
   * Entries that were hit since a time, by the number of the source whose claim they carry.
   * @throws the reason of the signal, between two slices
   */
  async hitBySource(since: number, signal?: AbortSignal): Promise<Map<number, number>> {
    const counts = new Map<number, number>();
    for (let after: Buffer | null = Buffer.alloc(0); after !== null; await yieldToLoop()) {
      signal?.throwIfAborted();
      const slice: readonly SourceRows[] = (
        await sql<SourceRows>`
          select iif(h.last_hit >= ${since}, b.source, null) as source, count(*) as rows, max(h.sort_key) as last
          from (select sort_key, last_hit from entry_hits where sort_key > ${after} order by sort_key limit ${atOnce}) h
          left join blocked_ips b on b.sort_key = h.sort_key group by 1 order by last`.execute(this.#database.read)
      ).rows;
      let read = 0;
      for (const { source, rows } of slice) {
        read += rows;
        if (source !== null) counts.set(source, (counts.get(source) ?? 0) + rows);
      }
      after = read < atOnce ? null : slice.at(-1)!.last;
    }
    return counts;
  }

  /** How many entries expire after `from` and by `to`. */
  async expiring(from: string, to: string): Promise<number> {
    const query = this.#database.read.selectFrom('blocked_ips').select((eb) => eb.fn.countAll<number>().as('count'));
    const row = await query.where('expires_at', '>', from).where('expires_at', '<=', to).executeTakeFirstOrThrow();
    return row.count;
  }
}
