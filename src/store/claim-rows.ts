import type { Kysely } from 'kysely';
import type { BlockedIp } from '../api/blocked-ips.ts';
import { type IpEntry, sortKey } from '../domain/ip.ts';
import type { BlockedChange } from './blocked-changes.ts';
import { type Claim, type Claimed, isPlain, type KindOf, MANUAL, plain } from './claims.ts';
import { PreparedQuery, type Runner } from './prepared-query.ts';
import type { Schema, SourceKind } from './schema.ts';

const noKey = Buffer.alloc(0);

interface Carried {
  readonly source: number;
  readonly others: number;
  readonly claimed_at: string | null;
}

type FurtherClaim = Omit<BlockedIp, 'ip_address' | 'blocked_at'> & { source: number; claimed_at: string };

/** What the table `claims` and the rows of `blocked_ips` say together. */
export class ClaimRows {
  readonly #carried: PreparedQuery<Carried>;
  readonly #further: PreparedQuery<FurtherClaim>;
  readonly #anyClaims: PreparedQuery<{ id: number }>;
  readonly #kinds: PreparedQuery<{ id: number; kind: SourceKind }>;
  readonly #delete: PreparedQuery<unknown>;
  readonly #insert: PreparedQuery<unknown>;
  readonly #carry: PreparedQuery<unknown>;

  constructor(db: Kysely<Schema>) {
    this.#carried = new PreparedQuery(
      db.selectFrom('blocked_ips').select(['source', 'others', 'claimed_at']).where('ip_address', '=', '').compile(),
    );
    this.#further = new PreparedQuery(
      db
        .selectFrom('claims')
        .select(['source', 'reason', 'blocked_by', 'claimed_at', 'expires_at'])
        .where('sort_key', '=', noKey)
        .compile(),
    );
    // A source is never deleted while it has claims, so without a second one there are none.
    this.#anyClaims = new PreparedQuery(
      db.selectFrom('sources').select('id').where('id', '>', MANUAL).limit(1).compile(),
    );
    this.#kinds = new PreparedQuery(db.selectFrom('sources').select(['id', 'kind']).compile());
    this.#delete = new PreparedQuery(db.deleteFrom('claims').where('sort_key', '=', noKey).compile());
    this.#insert = new PreparedQuery(
      db
        .insertInto('claims')
        .values({ sort_key: noKey, source: 0, reason: '', blocked_by: '', claimed_at: '', expires_at: '' })
        .compile(),
    );
    this.#carry = new PreparedQuery(
      db
        .updateTable('blocked_ips')
        .set({ source: 0, others: 0, claimed_at: '' })
        .where('ip_address', '=', '')
        .compile(),
    );
  }

  /** The claims to the addresses of these rows, which are about to be changed. */
  async claimed(
    runner: Runner,
    rows: ReadonlyMap<string, BlockedIp>,
    changes: readonly BlockedChange[],
  ): Promise<{ claimed: Map<string, Claimed>; kindOf: KindOf }> {
    const claimed = new Map<string, Claimed>();
    // The usual block: nothing to read.
    if (rows.size === 0 && changes.every((change) => change.op !== 'add' || change.source === undefined)) {
      return { claimed, kindOf: onlyManual };
    }
    if (!(await this.anyFurther(runner))) {
      for (const [text, row] of rows) claimed.set(text, plain(row));
      return { claimed, kindOf: onlyManual };
    }
    for (const { entry } of changes) {
      const row = rows.get(entry.text);
      if (row !== undefined && !claimed.has(entry.text))
        claimed.set(entry.text, await this.#claimedOne(runner, row, entry));
    }
    const kinds = new Map((await this.#kinds.all(runner, [])).map(({ id, kind }) => [id, kind]));
    return { claimed, kindOf: (source) => kinds.get(source) ?? 'list' };
  }

  /** False: all claims are of `manual`. */
  async anyFurther(runner: Runner): Promise<boolean> {
    return (await this.#anyClaims.first(runner, [MANUAL, 1])) !== undefined;
  }

  async #claimedOne(runner: Runner, row: BlockedIp, entry: IpEntry): Promise<Claimed> {
    const carried = await this.#carried.first(runner, [row.ip_address]);
    if (carried === undefined) return plain(row);
    const first: Claim = { source: carried.source, row: { ...row, blocked_at: carried.claimed_at ?? row.blocked_at } };
    const further = carried.others === 0 ? [] : await this.#further.all(runner, [sortKey(entry)]);
    const others = further.map(({ source, claimed_at, ...said }) => ({
      source,
      row: { ip_address: row.ip_address, ...said, blocked_at: claimed_at },
    }));
    return { since: row.blocked_at, claims: [first, ...others] };
  }

  /** After the row of `blocked_ips` was written. A deleted row's claims are gone with it. */
  async write(runner: Runner, entry: IpEntry, before: Claimed | null, after: Claimed): Promise<void> {
    if ((before === null || isPlain(before)) && isPlain(after)) return;
    const key = sortKey(entry);
    const [carried, ...others] = after.claims;
    if (before !== null && before.claims.length > 1) await this.#delete.write(runner, [key]);
    for (const { source, row } of others) {
      const { reason, blocked_by, blocked_at, expires_at } = row;
      await this.#insert.write(runner, [key, source, reason, blocked_by, blocked_at, expires_at]);
    }
    const claimedAt = carried.row.blocked_at === after.since ? null : carried.row.blocked_at;
    await this.#carry.write(runner, [carried.source, others.length, claimedAt, entry.text]);
  }
}

/** Where no other source has a claim. */
function onlyManual(): SourceKind {
  return 'manual';
}
