import { sql, type Transaction } from 'kysely';
import { yieldToLoop } from '../concurrency/pause.ts';
import { sortedInSlices } from '../concurrency/slices.ts';
import type { EntryHitsTable, KnockingTable } from './insight-schema.ts';
import { keyOfText, keyText, nullableKeyText } from './key-text.ts';
import type { Database } from './open-database.ts';
import { eachBlock, RowsWriter } from './row-blocks.ts';
import type { Schema } from './schema.ts';

/** Increase of an entry's hits; times in seconds. */
export interface EntryIncrease {
  readonly sortKey: Buffer;
  readonly hits: number;
  readonly firstHit: number;
  readonly lastHit: number;
}

/** One transaction: what is stored of addresses, and what their hits add to entries. */
export interface HitsSlice {
  readonly knocking: readonly KnockingTable[];
  readonly entries: readonly EntryIncrease[];
  /** Addresses that are forgotten. */
  readonly gone: readonly Buffer[];
}

export interface KeyHits {
  readonly sortKey: Buffer;
  readonly hits: number;
}

/** Rows that one transaction may write: about 20 ms. */
export const hitsAtOnce = 2_000;
/** The loudest keys that are kept of each day; of each hour so many entries and as many addresses. */
export const loudest = 2_000;
const readAtOnce = 5_000;
const hourSeconds = 3_600;
const daySeconds = 86_400;
const keepSeconds = { entry_hours: 48 * hourSeconds, entry_days: 400 * daySeconds } as const;

const noKey = Buffer.alloc(0);

/** Hits of addresses and entries. Failures are `StoreError`s. */
export class HitsStore {
  readonly #database: Database;
  readonly #putAddresses: RowsWriter;
  readonly #addToEntries: RowsWriter;
  readonly #putHours: RowsWriter;
  readonly #putDays: RowsWriter;

  constructor(database: Database) {
    this.#database = database;
    const db = database.write;
    const rows =
      <Row>(row: Row) =>
      (count: number) =>
        new Array<Row>(count).fill(row);
    const addresses = rows({
      address: noKey,
      entry: noKey,
      total: 0,
      first_hit: 0,
      last_hit: 0,
      counters: '',
      hour_hits: 0,
    });
    this.#putAddresses = new RowsWriter((count) => db.replaceInto('knocking').values(addresses(count)).compile());
    const entries = rows({ sort_key: noKey, total: 0, first_hit: 0, last_hit: 0 });
    this.#addToEntries = new RowsWriter((count) =>
      db
        .insertInto('entry_hits')
        .values(entries(count))
        .onConflict((conflict) =>
          conflict.column('sort_key').doUpdateSet({
            total: sql`entry_hits.total + excluded.total`,
            last_hit: sql`max(entry_hits.last_hit, excluded.last_hit)`,
          }),
        )
        .compile(),
    );
    const hours = rows({ at: 0, sort_key: noKey, hits: 0 });
    this.#putHours = new RowsWriter((count) => db.replaceInto('entry_hours').values(hours(count)).compile());
    this.#putDays = new RowsWriter((count) => db.replaceInto('entry_days').values(hours(count)).compile());
  }

  /** Those longest without a request first, so that reading them in order leaves the latest last. In slices. */
  async *knocking(): AsyncGenerator<readonly KnockingTable[]> {
    const { read } = this.#database;
    const order = await sql<{
      key: string;
    }>`select ${keyText('address')} as key from knocking order by last_hit`.execute(read);
    for (let at = 0; at < order.rows.length; at += readAtOnce) {
      const slice = order.rows.slice(at, at + readAtOnce).map(({ key }) => keyOfText(key));
      const rows = await read
        .selectFrom('knocking')
        .select(['total', 'first_hit', 'last_hit', 'counters', 'hour_hits'])
        .select([keyText('address').as('address'), nullableKeyText('entry').as('entry')])
        .where('address', 'in', slice)
        .orderBy('last_hit')
        .execute();
      yield rows.map((row) => ({
        ...row,
        address: keyOfText(row.address),
        entry: row.entry === null ? null : keyOfText(row.entry),
      }));
      await yieldToLoop();
    }
  }

  /** One transaction. At most `hitsAtOnce` rows keep it short. */
  async write({ knocking, entries, gone }: HitsSlice): Promise<void> {
    if (knocking.length + entries.length + gone.length === 0) return;
    await this.#database.write.transaction().execute(async (transaction) => {
      await this.#putAddresses.write(
        transaction,
        knocking.map((row) => [
          row.address,
          row.entry,
          row.total,
          row.first_hit,
          row.last_hit,
          row.counters,
          row.hour_hits,
        ]),
      );
      await this.#addToEntries.write(
        transaction,
        entries.map(({ sortKey, hits, firstHit, lastHit }) => [sortKey, hits, firstHit, lastHit]),
      );
      await eachBlock(gone, async (block) => {
        await transaction.deleteFrom('knocking').where('address', 'in', block).execute();
      });
    });
  }

  /** Stored hits by hexadecimal sort key. */
  async ofEntries(keys: readonly Buffer[]): Promise<Map<string, Omit<EntryHitsTable, 'sort_key'>>> {
    const found = new Map<string, Omit<EntryHitsTable, 'sort_key'>>();
    for (let at = 0; at < keys.length; at += readAtOnce) {
      const slice = keys.slice(at, at + readAtOnce);
      const rows = await this.#database.read
        .selectFrom('entry_hits')
        .select([keyText('sort_key').as('key'), 'total', 'first_hit', 'last_hit'])
        .where('sort_key', 'in', slice)
        .execute();
      for (const { key, ...hits } of rows) found.set(key, hits);
    }
    return found;
  }

  /** Replaces what was stored of this hour. @param at its start  @param rows at most `hitsAtOnce` */
  async putHour(at: number, rows: readonly KeyHits[]): Promise<void> {
    await this.#database.write.transaction().execute(async (transaction) => {
      await this.#putHours.write(
        transaction,
        rows.map(({ sortKey, hits }) => [at, sortKey, hits]),
      );
    });
  }

  /** From `since` on, in slices; times are starts of hours, keys hexadecimal sort keys. */
  async *hours(since: number): AsyncGenerator<readonly { at: number; key: string; hits: number }[]> {
    const hours = this.#database.read.selectFrom('entry_hours').select('at').distinct().where('at', '>=', since);
    for (const { at } of await hours.execute()) {
      const rows = await this.#database.read
        .selectFrom('entry_hours')
        .select(['at', 'hits', keyText('sort_key').as('key')])
        .where('at', '=', at)
        .orderBy('sort_key')
        .execute();
      yield rows;
      await yieldToLoop();
    }
  }

  /** The loudest entries of a day, from its hours. @param at its start  @param isEntry which keys are of entries */
  async dayOf(
    at: number,
    isEntry: (keys: readonly Buffer[]) => Promise<ReadonlySet<string>>,
  ): Promise<readonly KeyHits[]> {
    const sums = new Map<string, number>();
    for await (const rows of this.hours(at)) {
      for (const { at: hour, key, hits } of rows) {
        if (hour >= at + daySeconds) continue;
        sums.set(key, (sums.get(key) ?? 0) + hits);
      }
    }
    const sorted = await sortedInSlices([...sums], (a, b) => b[1] - a[1]);
    const rows: KeyHits[] = [];
    for (let start = 0; start < sorted.length && rows.length < loudest; start += loudest) {
      const slice = sorted.slice(start, start + loudest).map(([key, hits]) => ({ key: keyOfText(key), hits }));
      const entries = await isEntry(slice.map(({ key }) => key));
      for (const { key, hits } of slice)
        if (rows.length < loudest && entries.has(key.toString('hex'))) rows.push({ sortKey: key, hits });
      await yieldToLoop();
    }
    return rows;
  }

  /** @param at its start  @param rows at most `loudest` */
  async putDay(at: number, rows: readonly KeyHits[]): Promise<void> {
    await this.#database.write.transaction().execute(async (transaction) => {
      await this.#putDays.write(
        transaction,
        rows.map(({ sortKey, hits }) => [at, sortKey, hits]),
      );
    });
  }

  /** Hits of an entry on these days, which are few: the table is in the order of days. */
  async daysOf(sortKey: Buffer, days: readonly number[]): Promise<readonly { at: number; hits: number }[]> {
    const query = this.#database.read.selectFrom('entry_days').select(['at', 'hits']).where('sort_key', '=', sortKey);
    return await query.where('at', 'in', days).orderBy('at').execute();
  }

  /** Whether a day has been stored. */
  async hasDay(at: number): Promise<boolean> {
    const query = this.#database.read.selectFrom('entry_days').select('at').where('at', '=', at).limit(1);
    return (await query.executeTakeFirst()) !== undefined;
  }

  /** Deletes at most `hitsAtOnce` old rows of each kind. Returns whether more are left. */
  async prune(now: number): Promise<boolean> {
    let more = false;
    for (const table of ['entry_hours', 'entry_days'] as const) {
      const before = now - keepSeconds[table];
      const old = this.#database.write.selectFrom(table).select(['at', 'sort_key']).where('at', '<', before);
      const last = await old
        .orderBy('at')
        .orderBy('sort_key')
        .limit(1)
        .offset(hitsAtOnce - 1)
        .executeTakeFirst();
      let gone = this.#database.write.deleteFrom(table).where('at', '<', before);
      if (last !== undefined) gone = gone.where(sql<boolean>`(at, sort_key) <= (${last.at}, ${last.sort_key})`);
      await gone.execute();
      more ||= last !== undefined;
    }
    return more;
  }

  /**
   * Deletes the hits of entries that are gone, or were blocked again since their last hit.
   * @param after the sort key up to which this is done; null: the beginning
   * @returns for the next call; null: all done
   */
  async pruneEntries(after: Buffer | null): Promise<Buffer | null> {
    const { rows } = await sql<{ key: string; last_hit: number; blocked_at: string | null }>`
      select ${keyText('h.sort_key')} as key, h.last_hit, b.blocked_at from (
        select sort_key, last_hit from entry_hits where sort_key > ${after ?? noKey} order by sort_key limit ${hitsAtOnce}
      ) h left join blocked_ips b on b.sort_key = h.sort_key order by h.sort_key`.execute(this.#database.write);
    const gone = rows.filter(
      ({ last_hit, blocked_at }) => blocked_at === null || last_hit < Math.floor(Date.parse(blocked_at) / 1_000),
    );
    await this.#deleteEntries(gone.map(({ key }) => keyOfText(key)));
    return rows.length < hitsAtOnce ? null : keyOfText(rows.at(-1)!.key);
  }

  async #deleteEntries(keys: readonly Buffer[]): Promise<void> {
    if (keys.length === 0) return;
    await this.#database.write.transaction().execute(async (transaction: Transaction<Schema>) => {
      await eachBlock(keys, async (block) => {
        await transaction.deleteFrom('entry_hits').where('sort_key', 'in', block).execute();
      });
    });
  }
}
