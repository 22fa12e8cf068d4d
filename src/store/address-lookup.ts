import { type Kysely, sql } from 'kysely';
import { containingNetworks, type IpEntry, sortKeyRange } from '../domain/ip.ts';
import { PreparedQuery } from './prepared-query.ts';
import type { Schema } from './schema.ts';

/**
 * How many networks can cover an IPv4 and an IPv6 address: two fixed lengths, so that each statement is compiled once.
 */
const CANDIDATES = [31, 127] as const;

type AddressTable = 'blocked_ips' | 'trusted_ips';

export class AddressLookup {
  readonly #db: Kysely<Schema>;
  readonly #table: AddressTable;
  readonly #present: readonly PreparedQuery<{ ip_address: string }>[];

  constructor(db: Kysely<Schema>, table: AddressTable) {
    this.#db = db;
    this.#table = table;
    this.#present = CANDIDATES.map((length) => {
      const texts = new Array<string>(length).fill('');
      return new PreparedQuery(db.selectFrom(table).select('ip_address').where('ip_address', 'in', texts).compile());
    });
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

  /** How many of the table's entries are inside these networks, themselves included, of which none contains another. */
  async countWithin(networks: readonly IpEntry[]): Promise<number> {
    if (networks.length === 0) return 0;
    const query = sql<{ total: number }>`select count(*) as total ${this.#within(networks)}`;
    return (await query.execute(this.#db)).rows[0]!.total;
  }

  /** The first of these, in the order of the networks. */
  async firstWithin(networks: readonly IpEntry[], limit: number): Promise<string[]> {
    if (networks.length === 0) return [];
    const query = sql<{ ip_address: string }>`select ip_address ${this.#within(networks)} limit ${limit}`;
    return (await query.execute(this.#db)).rows.map((row) => row.ip_address);
  }

  /** One statement for a thousand networks. `cross join` makes SQLite go through them in their order, by the index. */
  #within(networks: readonly IpEntry[]) {
    const ranges = networks.map((network) => {
      const { first, last } = sortKeyRange(network);
      return sql`(${first}, ${last})`;
    });
    const table = sql.table(this.#table);
    return sql`from (values ${sql.join(ranges)}) as ranges cross join ${table} where sort_key between ranges.column1 and ranges.column2`;
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
