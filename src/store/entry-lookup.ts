import { sql } from 'kysely';
import { yieldToLoop } from '../concurrency/pause.ts';
import { commonNetwork, covers, entryOfSortKey, type IpEntry, lookupForms, parseIp, sortKey } from '../domain/ip.ts';
import type { Database } from './open-database.ts';
import { PreparedQuery } from './prepared-query.ts';

/** The entry that covers an address. */
export interface EntryAround {
  /** Canonical text. */
  readonly entry: string;
  readonly sortKey: Buffer;
  /** The number of the source whose claim it carries. */
  readonly source: number;
  /** How many further claims it has. */
  readonly others: number;
  readonly blockedAt: string;
}

interface Row {
  readonly sort_key: Buffer;
  readonly ip_address: string;
  readonly source: number;
  readonly others: number;
  readonly blocked_at: string;
}

const noKey = Buffer.alloc(0);
/** Look-ups between two yields to the event loop: a few milliseconds. */
const atOnce = 200;

/** Longest prefixes among the blocked entries. */
export class EntryLookup {
  readonly #database: Database;
  readonly #before: PreparedQuery<Row>;

  constructor(database: Database) {
    this.#database = database;
    this.#before = new PreparedQuery(
      database.read
        .selectFrom('blocked_ips')
        .select(['sort_key', 'ip_address', 'source', 'others', 'blocked_at'])
        .where('sort_key', '<=', noKey)
        .orderBy(sql.ref('sort_key'), 'desc')
        .limit(1)
        .compile(),
    );
  }

  /** The number of the last change of the blocked set. */
  async generation(): Promise<number> {
    const row = await this.#database.read.selectFrom('instance').select('generation').executeTakeFirstOrThrow();
    return row.generation;
  }

  /** @param addresses canonical  @returns by address; absent: no entry covers it */
  async around(addresses: readonly string[]): Promise<Map<string, EntryAround>> {
    const found = new Map<string, EntryAround>();
    for (const [at, address] of addresses.entries()) {
      const parsed = parseIp(address);
      if (parsed.ok) {
        for (const form of lookupForms(parsed.entry)) {
          const row = await this.#longest(form);
          if (row === null) continue;
          const { ip_address, sort_key, blocked_at, source, others } = row;
          found.set(address, { entry: ip_address, sortKey: sort_key, blockedAt: blocked_at, source, others });
          break;
        }
      }
      if (at % atOnce === atOnce - 1) await yieldToLoop();
    }
    return found;
  }

  /**
   * Each step reads the last entry that does not sort after `place`. What covers `place` and is not that entry covers
   * both, so it is at most as long as what they have in common: the next place.
   */
  async #longest(address: IpEntry): Promise<Row | null> {
    for (let place: IpEntry | null = address; place !== null; ) {
      const row: Row | undefined = await this.#before.first(this.#database.read, [sortKey(place), 1]);
      if (row === undefined) return null;
      const entry = entryOfSortKey(row.sort_key, 0);
      if (covers(entry, address)) return row;
      place = commonNetwork(address, entry);
    }
    return null;
  }
}
