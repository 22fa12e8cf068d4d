import { type Kysely, sql, type Transaction } from 'kysely';
import type { BlockedIp } from '../api/blocked-entries.ts';
import { entryOfSortKey } from '../domain/ip.ts';
import { type Claim, isExpired } from './blocked-changes.ts';
import { BLOCKED_COLUMNS, BlockedRows } from './blocked-rows.ts';
import { type ClaimChange, ClaimRows, furtherClaim, noLists } from './claim-rows.ts';
import {
  applyChange,
  type Claimed,
  carried,
  claimsMoved,
  furtherClaims,
  insertedRow,
  MANUAL,
  plain,
  putInOrder,
} from './claims.ts';
import { adoptedRow } from './foreign-rows.ts';
import { Generation } from './instance-store.ts';
import type { Database } from './open-database.ts';
import type { Schema } from './schema.ts';

export interface MovedClaims {
  readonly moved: number;
  /** Where to continue; null: that was all. */
  readonly last: Buffer | null;
}

export interface RepairedClaims {
  /** Rows that had another number of further claims, or not the one that ends last. */
  readonly counts: number;
  /** Addresses that were claimed and not blocked. */
  readonly restored: readonly string[];
}

/** What concerns claims alone: only `repair` changes what is blocked. Failures are `StoreError`s. */
export class ClaimsStore {
  readonly #database: Database;
  readonly #rows: BlockedRows;
  readonly #claims: ClaimRows;
  readonly #generation: Generation;

  constructor(database: Database) {
    this.#database = database;
    this.#rows = new BlockedRows(database.write);
    this.#claims = new ClaimRows(database.write);
    this.#generation = new Generation(database.write);
  }

  /** The claims to these blocked addresses; none: only `manual` claims any address. */
  async ofRows(rows: readonly BlockedIp[]): Promise<ReadonlyMap<string, readonly Claim[]>> {
    const { read } = this.#database;
    if (rows.length === 0 || !(await this.#claims.anyFurther(read))) return new Map();
    const all = await this.#claims.all(read, new Map(rows.map((row) => [row.ip_address, row])));
    return new Map([...all].map(([text, { claims }]) => [text, claims]));
  }

  /** All claims to those of these addresses that are blocked. */
  async claimedAmong(texts: readonly string[]): Promise<ReadonlyMap<string, Claimed>> {
    const { read } = this.#database;
    return await this.#claims.all(read, await this.#rows.keyedAmong(read, texts));
  }

  /**
   * Makes claims of `manual` by this author claims of another source: of the next `limit` blocked addresses after `after`.
   * Changes nothing that is blocked; call it inside a turn, since it changes what a removal drops. Where the source has a
   * claim already, the one that ends last stays.
   */
  async move(
    { author, to }: { readonly author: string; readonly to: number },
    after: Buffer | null,
    limit: number,
  ): Promise<MovedClaims> {
    const { further, ...done } = await this.#database.write.transaction().execute(async (transaction) => {
      const keyed = await transaction
        .selectFrom('blocked_ips')
        .select(['sort_key', 'others', 'source', ...BLOCKED_COLUMNS])
        .where('sort_key', '>', after ?? Buffer.alloc(0))
        .orderBy('sort_key')
        .limit(limit)
        .execute();
      const near = keyed.filter(
        ({ others, source, blocked_by }) => others > 0 || (source === MANUAL && blocked_by === author),
      );
      const rows = new Map(near.map(({ sort_key: _k, others: _o, source: _s, ...row }) => [row.ip_address, row]));
      const keys = new Map(near.map(({ ip_address, sort_key }) => [ip_address, sort_key]));
      let further = 0;
      const changes: ClaimChange[] = [];
      for (const [text, before] of await this.#claims.all(transaction, rows)) {
        const after = claimsMoved(before, author, to);
        if (after === before) continue;
        further += furtherClaims(after) - furtherClaims(before);
        changes.push({ key: keys.get(text)!, before, after });
      }
      await this.#write(transaction, changes);
      return { moved: changes.length, further, last: keyed.length < limit ? null : (keyed.at(-1)?.sort_key ?? null) };
    });
    this.#database.blockedCount.committed(nothingBlocked, further);
    return done;
  }

  /**
   * Corrects rows that disagree with the claims to their address, always so that it stays blocked: a claim without a row
   * gets one. Only another process, or a defect, causes that.
   */
  async repair(now: Date): Promise<RepairedClaims> {
    const { write } = this.#database;
    const repaired = { counts: 0, restored: [] as string[] };
    if (await countsAgree(write)) return repaired;
    await write.transaction().execute(async (transaction) => {
      for (const key of await disagreeing(transaction)) {
        const { text } = entryOfSortKey(key, 0);
        const claims = await transaction.selectFrom('claims').selectAll().where('sort_key', '=', key).execute();
        const row = (await this.#rows.keyedAmong(transaction, [text])).get(text);
        if (row !== undefined) {
          await this.#setOthers(transaction, text, claims.length);
          const before = (await this.#claims.all(transaction, new Map([[text, row]]))).get(text)!;
          const after = putInOrder(before);
          await this.#rows.write(transaction, { inserts: [], updates: [carried(after)], deletes: [] });
          await this.#claims.write(transaction, [{ key, before, after }]);
          repaired.counts += 1;
          continue;
        }
        await transaction.deleteFrom('claims').where('sort_key', '=', key).execute();
        const byHand = (await this.#rows.foreignAmong(transaction, [text])).get(text);
        const own = byHand === undefined ? [] : plain(adoptedRow(byHand, now.toISOString())).claims;
        const live = [...own, ...claims.map((claim) => furtherClaim(text, claim))].filter(
          (claim) => !isExpired(claim.row, now.toISOString()),
        );
        const [first, ...others] = live;
        if (first === undefined) continue;
        const after = putInOrder({ since: now.toISOString(), claims: [first, ...others] });
        const insert = insertedRow(key, after);
        // One that an operator inserted by hand counts from now on.
        await this.#rows.write(transaction, { inserts: [insert], updates: [], deletes: [text] });
        await this.#claims.write(transaction, [{ key, before: null, after }]);
        repaired.restored.push(text);
      }
      if (repaired.restored.length > 0) {
        await transaction.getExecutor().provideConnection((connection) => this.#generation.next(connection));
      }
    });
    this.#database.blockedCount.committed({ added: repaired.restored, removed: [] }, 0);
    await this.#database.recountFurther();
    return repaired;
  }

  /** The rows too: an operator may have shortened a row's own end. */
  async #write(transaction: Transaction<Schema>, changes: readonly ClaimChange[]): Promise<void> {
    await this.#rows.write(transaction, {
      inserts: [],
      updates: changes.map(({ after }) => carried(after)),
      deletes: [],
    });
    await this.#claims.write(transaction, changes);
  }

  async #setOthers(transaction: Transaction<Schema>, text: string, others: number): Promise<void> {
    await transaction.updateTable('blocked_ips').set({ others }).where('ip_address', '=', text).execute();
  }

  /**
   * Forgets claims that have ended by `now` although others keep their address blocked, at most `limit`. Changes nothing
   * that is blocked. Returns how many.
   */
  async sweep(now: Date, limit: number): Promise<number> {
    const at = now.toISOString();
    if ((await this.#claims.ended(this.#database.read, at, 1)).length === 0) return 0;
    const swept = await this.#database.write.transaction().execute(async (transaction) => {
      let further = 0;
      const keys = await this.#claims.ended(transaction, at, limit);
      const byText = new Map(keys.map((key) => [entryOfSortKey(key, 0).text, key]));
      const rows = await this.#rows.keyedAmong(transaction, [...byText.keys()]);
      const changes: ClaimChange[] = [];
      for (const [text, before] of await this.#claims.all(transaction, rows)) {
        const change = { op: 'expire', entry: entryOfSortKey(byText.get(text)!, 0), now: at } as const;
        const { after } = applyChange(before, change, at, noLists);
        // Null: the row has expired too, and goes with its claims.
        if (after === null) continue;
        further += furtherClaims(after) - furtherClaims(before);
        changes.push({ key: byText.get(text)!, before, after });
      }
      await this.#write(transaction, changes);
      return { keys: keys.length, further };
    });
    this.#database.blockedCount.committed(nothingBlocked, swept.further);
    return swept.keys;
  }
}

const nothingBlocked = { added: [], removed: [] };

/** By the totals: 0.3 s at a million rows and 200,000 further claims. Every address is compared only if they disagree. */
async function countsAgree(db: Kysely<Schema>): Promise<boolean> {
  const { rows } = await sql<{ said: number; sharing: number; claims: number; shared: number }>`
    select * from (select total(others) as said, count(nullif(others, 0)) as sharing from blocked_ips),
      (select count(*) as claims, count(distinct sort_key) as shared from claims)`.execute(db);
  return rows.every(({ said, sharing, claims, shared }) => said === claims && sharing === shared);
}

/** Keys of addresses whose row has another number of further claims than there are, or that have claims and no row. */
async function disagreeing(transaction: Transaction<Schema>): Promise<Buffer[]> {
  const { rows } = await sql<{ sort_key: Buffer }>`
    select sort_key from blocked_ips
    where others > 0 and others <> (select count(*) from claims where claims.sort_key = blocked_ips.sort_key)
    union
    select sort_key from claims group by sort_key
    having count(*) <> coalesce((select others from blocked_ips where blocked_ips.sort_key = claims.sort_key), -1)
  `.execute(transaction);
  return rows.map(({ sort_key }) => sort_key);
}
