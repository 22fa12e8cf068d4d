import { type Kysely, sql } from 'kysely';
import { PreparedQuery, type Runner } from './prepared-query.ts';
import type { Schema } from './schema.ts';
import { compareKeys, KEY_BYTES } from './staged-rows.ts';

export const NO_KEYS = Buffer.alloc(0);
const BEFORE_ALL = Buffer.alloc(0);
const BEHIND_ALL = Buffer.alloc(KEY_BYTES + 1, 0xff);

/**
 * Sort keys of blocked addresses, many in one buffer that SQLite builds: without an object per row a thousand of them
 * cost 0.1 ms.
 */
export class BlockedKeys {
  readonly #between: PreparedQuery<{ keys: Buffer | null }>;
  readonly #claimed: PreparedQuery<ClaimedRange>;
  readonly #further: PreparedQuery<{ keys: Buffer | null }>;

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
    const withSource = inOrder.select(['source', 'others']);
    const keysWhere = (condition: ReturnType<typeof sql<number>>) =>
      sql<Buffer | null>`cast(group_concat(iif(${condition}, sort_key, x''), '') as blob)`;
    this.#claimed = new PreparedQuery(
      db
        .selectFrom(withSource.as('in_order'))
        .select([
          sql<Buffer | null>`cast(group_concat(sort_key, '') as blob)`.as('keys'),
          keysWhere(sql<number>`source = ${0}`).as('own'),
          keysWhere(sql<number>`source = ${0} and others = 0`).as('alone'),
          sql<number>`total(others)`.as('others'),
        ])
        .compile(),
    );
    const further = db
      .selectFrom('claims')
      .select('sort_key')
      .where('sort_key', '>', key)
      .where('sort_key', '<=', key)
      .where('source', '=', 0)
      .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', '')]))
      .orderBy('sort_key')
      .limit(-1);
    this.#further = new PreparedQuery(
      db
        .selectFrom(further.as('in_order'))
        .select(sql<Buffer | null>`cast(group_concat(sort_key, '') as blob)`.as('keys'))
        .compile(),
    );
  }

  /** The keys above `after` (null: from the start) and up to `last` (null: to the end), at most `limit`. */
  async between(runner: Runner, after: Buffer | null, last: Buffer | null, limit: number): Promise<Buffer> {
    const row = await this.#between.first(runner, [after ?? BEFORE_ALL, last ?? BEHIND_ALL, limit]);
    return row?.keys ?? NO_KEYS;
  }

  /** The same, and which of them `source` claims at `now`. `limit` counts all blocked addresses. */
  async ofSource(
    runner: Runner,
    { source, now }: { readonly source: number; readonly now: string },
    after: Buffer | null,
    last: Buffer | null,
    limit: number,
  ): Promise<KeysOfSource> {
    const from = after ?? BEFORE_ALL;
    const row = await this.#claimed.first(runner, [source, source, from, last ?? BEHIND_ALL, limit]);
    const all = row?.keys ?? NO_KEYS;
    const own = row?.own ?? NO_KEYS;
    const alone = row?.alone ?? NO_KEYS;
    if (row === undefined || row.others === 0) return { all, own, alone };
    const further = await this.#further.first(runner, [from, all.subarray(-KEY_BYTES), source, now, -1]);
    return { all, own: merged(own, further?.keys ?? NO_KEYS), alone };
  }
}

/** No key is in both. */
function merged(a: Buffer, b: Buffer): Buffer {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const both = Buffer.allocUnsafe(a.length + b.length);
  let atA = 0;
  let atB = 0;
  for (let to = 0; to < both.length; to += KEY_BYTES) {
    if (atB === b.length || (atA < a.length && compareKeys(a, atA, b, atB) < 0)) {
      a.copy(both, to, atA, atA + KEY_BYTES);
      atA += KEY_BYTES;
    } else {
      b.copy(both, to, atB, atB + KEY_BYTES);
      atB += KEY_BYTES;
    }
  }
  return both;
}

interface ClaimedRange {
  readonly keys: Buffer | null;
  readonly own: Buffer | null;
  readonly alone: Buffer | null;
  readonly others: number;
}

/** Keys in order. */
export interface KeysOfSource {
  /** Of all blocked addresses. */
  readonly all: Buffer;
  /** Of those that the source claims. */
  readonly own: Buffer;
  /** Of those that no other source claims. */
  readonly alone: Buffer;
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
