import { sql } from 'kysely';
import { yieldToLoop } from '../concurrency/pause.ts';
import {
  containingNetworks,
  covers,
  entryOfSortKey,
  type IpEntry,
  lookupForms,
  parseIp,
  sortKey,
} from '../domain/ip.ts';
import type { Database } from './open-database.ts';
import { PreparedQuery } from './prepared-query.ts';
import { BLOCK, eachBlock, filled } from './row-blocks.ts';

/** The entry that covers an address. */
export interface EntryAround {
  /** Canonical text. */
  readonly entry: string;
  /** The number of the source whose claim it carries. */
  readonly source: number;
  /** How many further claims it has. */
  readonly others: number;
}

interface Row {
  readonly sort_key: Buffer;
  readonly ip_address: string;
  readonly source: number;
  readonly others: number;
}

const noKey = Buffer.alloc(0);
const columns = ['sort_key', 'ip_address', 'source', 'others'] as const;
/** How many networks can cover an IPv4 and an IPv6 address: two lengths, so that each statement is compiled once. */
const candidates = [31, 127] as const;
/** Look-ups between two yields to the event loop: a few milliseconds. */
const atOnce = 100;

/** Longest prefixes among the blocked entries. */
export class EntryLookup {
  readonly #database: Database;
  readonly #exact: PreparedQuery<Row>;
  readonly #before: PreparedQuery<Row>;
  readonly #among: readonly PreparedQuery<Row>[];

  constructor(database: Database) {
    this.#database = database;
    const blocked = () => database.read.selectFrom('blocked_ips').select(columns);
    const among = (length: number) =>
      new PreparedQuery<Row>(blocked().where('ip_address', 'in', new Array<string>(length).fill('')).compile());
    this.#exact = among(BLOCK);
    this.#among = candidates.map(among);
    const before = blocked().where('sort_key', '<=', noKey).orderBy(sql.ref('sort_key'), 'desc').limit(1);
    this.#before = new PreparedQuery(before.compile());
  }

  /** The number of the last change of the blocked set. */
  async generation(): Promise<number> {
    const row = await this.#database.read.selectFrom('instance').select('generation').executeTakeFirstOrThrow();
    return row.generation;
  }

  /** @param addresses canonical  @returns by address; absent: no entry covers it */
  async around(addresses: readonly string[]): Promise<Map<string, EntryAround>> {
    const found = new Map<string, EntryAround>();
    // Most entries are plain addresses: many of them are found with one statement.
    await eachBlock(addresses, async (block) => {
      for (const row of await this.#exact.all(this.#database.read, filled(block)))
        found.set(row.ip_address, aroundOf(row));
    });
    const rest = addresses.filter((address) => !found.has(address));
    for (const [at, address] of rest.entries()) {
      const row = await this.#longest(address);
      if (row !== null) found.set(address, aroundOf(row));
      if (at % atOnce === atOnce - 1) await yieldToLoop();
    }
    return found;
  }

  /** Numbers of all sources that claim these entries besides those that they carry. @param entries canonical */
  async sourcesOf(entries: readonly string[]): Promise<Set<number>> {
    const sources = new Set<number>();
    await eachBlock(entries, async (block) => {
      const { rows } = await sql<{ source: number }>`
        select distinct claims.source from blocked_ips join claims on claims.sort_key = blocked_ips.sort_key
        where blocked_ips.ip_address in (${sql.join(block)})`.execute(this.#database.read);
      for (const { source } of rows) sources.add(source);
    });
    return sources;
  }

  /** Of the forms in which HAProxy looks up the address, the first that an entry covers. */
  async #longest(address: string): Promise<Row | null> {
    const parsed = parseIp(address);
    if (!parsed.ok) return null;
    for (const form of lookupForms(parsed.entry)) {
      const row = await this.#longestOf(form);
      if (row !== null) return row;
    }
    return null;
  }

  async #longestOf(address: IpEntry): Promise<Row | null> {
    const { read } = this.#database;
    const before = await this.#before.first(read, [sortKey(address), 1]);
    if (before === undefined) return null;
    // The last entry that does not sort after the address is the longest, if it covers it at all.
    if (covers(entryOfSortKey(before.sort_key), address)) return before;
    const networks = containingNetworks(address);
    const at = candidates.findIndex((length) => networks.length <= length);
    const padding = new Array<string>(candidates[at]! - networks.length).fill(networks[0]!);
    const rows = await this.#among[at]!.all(read, [...networks, ...padding]);
    const present = new Map(rows.map((row) => [row.ip_address, row]));
    const longest = networks.find((text) => present.has(text));
    return longest === undefined ? null : present.get(longest)!;
  }
}

function aroundOf({ ip_address, source, others }: Row): EntryAround {
  return { entry: ip_address, source, others };
}
