import { sql } from 'kysely';
import { yieldToLoop } from '../concurrency/pause.ts';
import { containingNetworks, covers, type IpEntry, lookupForms, parseIp, sortKey } from '../domain/ip.ts';
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
  readonly ip_address: string;
  readonly source: number;
  readonly others: number;
}

const noKey = Buffer.alloc(0);
const columns = ['ip_address', 'source', 'others'] as const;
/** How many networks can cover an IPv4 and an IPv6 address: two lengths, so that each statement is compiled once. */
const candidates = [31, 127] as const;

/** Longest prefixes among the blocked entries. */
export class EntryLookup {
  readonly #database: Database;
  readonly #exact: PreparedQuery<Row>;
  readonly #before: PreparedQuery<Row & { readonly place: number }>;
  readonly #among: readonly PreparedQuery<Row>[];

  constructor(database: Database) {
    this.#database = database;
    const blocked = () => database.read.selectFrom('blocked_ips').select(columns);
    const among = (length: number) =>
      new PreparedQuery<Row>(blocked().where('ip_address', 'in', new Array<string>(length).fill('')).compile());
    this.#exact = among(BLOCK);
    this.#among = candidates.map(among);
    const asked = Array.from({ length: BLOCK }, (_, place) => sql`(${sql.lit(place)}, ${noKey})`);
    // Places and texts instead of keys: see key-text.ts.
    const before = sql<Row & { place: number }>`
      with asked(place, key) as (values ${sql.join(asked)})
      select asked.place, ${sql.join(columns.map((column) => sql.ref(column)))} from asked
      join blocked_ips on sort_key =
        (select sort_key from blocked_ips where sort_key <= asked.key order by sort_key desc limit 1)`;
    this.#before = new PreparedQuery(before.compile(database.read));
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
    for (let at = 0; at < rest.length; at += BLOCK) {
      for (const [address, row] of await this.#longest(rest.slice(at, at + BLOCK))) found.set(address, aroundOf(row));
      await yieldToLoop();
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

  /** Of the forms in which HAProxy looks up each address, the first that an entry covers. @param addresses a block */
  async #longest(addresses: readonly string[]): Promise<Map<string, Row>> {
    const found = new Map<string, Row>();
    let asked = addresses.flatMap((address) => {
      const parsed = parseIp(address);
      return parsed.ok ? [{ address, forms: lookupForms(parsed.entry) }] : [];
    });
    while (asked.length > 0) {
      const rows = await this.#longestOf(asked.map(({ forms }) => forms[0]!));
      for (const [at, { address }] of asked.entries()) if (rows[at] != null) found.set(address, rows[at]);
      asked = asked.flatMap(({ address, forms: [, ...forms] }) =>
        found.has(address) || forms.length === 0 ? [] : [{ address, forms }],
      );
    }
    return found;
  }

  /** In the order of the addresses, of which there are not more than a block. */
  async #longestOf(addresses: readonly IpEntry[]): Promise<(Row | null)[]> {
    const { read } = this.#database;
    const before: (Row | undefined)[] = [];
    for (const row of await this.#before.all(read, filled(addresses.map(sortKey)))) before[row.place] = row;
    const longest: (Row | null)[] = [];
    for (const [at, address] of addresses.entries()) {
      const row = before[at];
      // The last entry that does not sort after the address is the longest, if it covers it at all.
      if (row === undefined || coversText(row.ip_address, address)) longest.push(row ?? null);
      else longest.push(await this.#longestAmong(containingNetworks(address)));
    }
    return longest;
  }

  /** @param networks the longest first */
  async #longestAmong(networks: readonly string[]): Promise<Row | null> {
    const at = candidates.findIndex((length) => networks.length <= length);
    const padding = new Array<string>(candidates[at]! - networks.length).fill(networks[0]!);
    const rows = await this.#among[at]!.all(this.#database.read, [...networks, ...padding]);
    const present = new Map(rows.map((row) => [row.ip_address, row]));
    const longest = networks.find((text) => present.has(text));
    return longest === undefined ? null : present.get(longest)!;
  }
}

function coversText(entry: string, address: IpEntry): boolean {
  const parsed = parseIp(entry);
  return parsed.ok && covers(parsed.entry, address);
}

function aroundOf({ ip_address, source, others }: Row): EntryAround {
  return { entry: ip_address, source, others };
}
