import type { BlockedIp } from '../api/blocked-ips.ts';
import { entryOfSortKey } from '../domain/ip.ts';
import type { Claim } from './blocked-changes.ts';
import { BLOCKED_COLUMNS, BlockedRows } from './blocked-rows.ts';
import { ClaimRows, noLists } from './claim-rows.ts';
import { applyChange, carriedRow, claimsMoved, MANUAL } from './claims.ts';
import type { Database } from './open-database.ts';

export interface MovedClaims {
  readonly moved: number;
  /** Where to continue; null: that was all. */
  readonly last: Buffer | null;
}

/** What concerns claims alone: nothing here changes what is blocked. Failures are `StoreError`s. */
export class ClaimsStore {
  readonly #database: Database;
  readonly #rows: BlockedRows;
  readonly #claims: ClaimRows;

  constructor(database: Database) {
    this.#database = database;
    this.#rows = new BlockedRows(database.write);
    this.#claims = new ClaimRows(database.write);
  }

  /** The claims to these blocked addresses; none: only `manual` claims any address. */
  async ofRows(rows: readonly BlockedIp[]): Promise<ReadonlyMap<string, readonly Claim[]>> {
    const { read } = this.#database;
    if (rows.length === 0 || !(await this.#claims.anyFurther(read))) return new Map();
    const all = await this.#claims.all(read, new Map(rows.map((row) => [row.ip_address, row])));
    return new Map([...all].map(([text, { claims }]) => [text, claims]));
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
    return await this.#database.write.transaction().execute(async (transaction) => {
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
      let moved = 0;
      for (const [text, before] of await this.#claims.all(transaction, rows)) {
        const then = claimsMoved(before, author, to);
        if (then === before) continue;
        moved += 1;
        await this.#rows.write(transaction, { inserts: [], updates: [carriedRow(then)], deletes: [] });
        await this.#claims.write(transaction, keys.get(text)!, before, then);
      }
      return { moved, last: keyed.length < limit ? null : (keyed.at(-1)?.sort_key ?? null) };
    });
  }

  /**
   * Forgets claims that have ended by `now` although others keep their address blocked, at most `limit`. Changes nothing
   * that is blocked. Returns how many.
   */
  async sweep(now: Date, limit: number): Promise<number> {
    const at = now.toISOString();
    if ((await this.#claims.ended(this.#database.read, at, 1)).length === 0) return 0;
    return await this.#database.write.transaction().execute(async (transaction) => {
      const keys = await this.#claims.ended(transaction, at, limit);
      const byText = new Map(keys.map((key) => [entryOfSortKey(key, 0).text, key]));
      const rows = await this.#rows.keyedAmong(transaction, [...byText.keys()]);
      for (const [text, before] of await this.#claims.all(transaction, rows)) {
        const change = { op: 'expire', entry: entryOfSortKey(byText.get(text)!, 0), now: at } as const;
        const { after } = applyChange(before, change, at, noLists);
        // Null: the row has expired too, and goes with its claims.
        if (after !== null) await this.#claims.write(transaction, byText.get(text)!, before, after);
      }
      return keys.length;
    });
  }
}
