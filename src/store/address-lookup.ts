import { type Kysely, sql } from 'kysely';
import { containingNetworks, type IpEntry, sortKeyRange } from '../domain/ip.ts';
import { PreparedQuery } from './prepared-query.ts';
import type { Schema } from './schema.ts';

/**
 * How many networks can cover an IPv4 and an IPv6 address: two fixed lengths, so that each statement is compiled once.
 */
const CANDIDATES = [31, 127] as const;

const noKey = Buffer.alloc(0);

type AddressTable = 'blocked_ips' | 'trusted_ips';

export class AddressLookup {
  readonly #db: Kysely<Schema>;
  readonly #table: AddressTable;
  readonly #present: readonly PreparedQuery<{ ip_address: string }>[];
  readonly #within: PreparedQuery<{ ip_address: string }>;
  readonly #countWithin: PreparedQuery<{ total: number }>;

  constructor(db: Kysely<Schema>, table: AddressTable) {
    this.#db = db;
    this.#table = table;
    this.#present = CANDIDATES.map((length) => {
      const texts = new Array<string>(length).fill('');
      return new PreparedQuery(db.selectFrom(table).select('ip_address').where('ip_address', 'in', texts).compile());
    });
    const within = db.selectFrom(table).where('sort_key', '>=', noKey).where('sort_key', '<=', noKey);
    this.#within = new PreparedQuery(within.select('ip_address').orderBy(sql.ref('sort_key')).limit(1).compile());
    this.#countWithin = new PreparedQuery(within.select((eb) => eb.fn.countAll<number>().as('total')).compile());
  }

  /** The table's networks that contain `entry`, without itself, narrowest first. */
  async coveringOf(entry: IpEntry): Promise<string[]> {
    const candidates = containingNetworks(entry);
    if (candidates.length === 0) return [];
    const at = CANDIDATES.findIndex((length) => candidates.length <= length);
    // Padding with a duplicate does not change an `in (…)`.
    const padding = new Array<string>(CANDIDATES[at]! - candidates.length).fill(candidates[0]!);
    const rows = await this.#present[at]!.all(this.#db, [...candidates, ...padding]);
    const found = new Set(rows.map((row) => row.ip_address));
    return candidates.filter((text) => found.has(text));
  }

  /** The table's entries inside `entry`, itself included, in address order. */
  async firstWithin(entry: IpEntry, limit: number): Promise<string[]> {
    const { first, last } = sortKeyRange(entry);
    const rows = await this.#within.all(this.#db, [first, last, limit]);
    return rows.map((row) => row.ip_address);
  }

  /** How many these are. */
  async countWithin(entry: IpEntry): Promise<number> {
    const { first, last } = sortKeyRange(entry);
    return (await this.#countWithin.first(this.#db, [first, last]))?.total ?? 0;
  }

  /** The table's entries inside `entry`, without itself, in address order. */
  async insideOf(entry: IpEntry, limit: number): Promise<string[]> {
    const { first, last } = sortKeyRange(entry);
    const rows = await this.#db
      .selectFrom(this.#table)
      .select('ip_address')
      .where('sort_key', '>', first)
      .where('sort_key', '<=', last)
      .orderBy(sql.ref('sort_key'))
      .limit(limit)
      .execute();
    return rows.map((row) => row.ip_address);
  }
}
