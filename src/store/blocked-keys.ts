import { type Kysely, sql } from 'kysely';
import { PreparedQuery, type Runner } from './prepared-query.ts';
import type { Schema } from './schema.ts';
import { compareKeys, KEY_BYTES } from './staged-rows.ts';

const NO_KEYS = Buffer.alloc(0);
const BEFORE_ALL = Buffer.alloc(0);
const BEHIND_ALL = Buffer.alloc(KEY_BYTES + 1, 0xff);

/**
 * Sort keys of blocked addresses, many in one buffer that SQLite builds: without an object per row a thousand of them
 * cost 0.1 ms.
 */
export class BlockedKeys {
  readonly #between: PreparedQuery<{ keys: Buffer | null }>;

  constructor(db: Kysely<Schema>) {
    const key = BEFORE_ALL;
    // The subquery's order is the index's own, and the limit keeps it a query of its own, so the order holds.
    const inOrder = db
      .selectFrom('blocked_ips')
      .select('sort_key')
      .where('sort_key', '>', key)
      .where('sort_key', '<=', key)
      .orderBy('sort_key')
      .limit(1);
    this.#between = new PreparedQuery(
      db
        .selectFrom(inOrder.as('in_order'))
        .select(sql<Buffer | null>`cast(group_concat(sort_key, '') as blob)`.as('keys'))
        .compile(),
    );
  }

  /** The keys above `after` (null: from the start) and up to `last` (null: to the end), at most `limit`. */
  async between(runner: Runner, after: Buffer | null, last: Buffer | null, limit: number): Promise<Buffer> {
    const row = await this.#between.first(runner, [after ?? BEFORE_ALL, last ?? BEHIND_ALL, limit]);
    return row?.keys ?? NO_KEYS;
  }
}

/** 1 for each of `keys` that is among `others`; both in order. */
export function presentAmong(keys: Buffer, others: Buffer): Uint8Array {
  const present = new Uint8Array(keys.length / KEY_BYTES);
  // The usual case: the same list is sent again.
  if (keys.equals(others)) return present.fill(1);
  let other = 0;
  for (let at = 0, place = 0; at < keys.length; at += KEY_BYTES, place++) {
    let order = -1;
    while (other < others.length) {
      order = compareKeys(others, other, keys, at);
      if (order >= 0) break;
      other += KEY_BYTES;
    }
    if (order === 0 && other < others.length) present[place] = 1;
  }
  return present;
}
