import { type RawBuilder, sql } from 'kysely';
import { yieldToLoop } from '../concurrency/pause.ts';
import type { Database } from './open-database.ts';
import type { SourceKind } from './schema.ts';

export interface SourceRow {
  readonly id: number;
  readonly name: string;
  readonly kind: SourceKind;
  readonly note: string | null;
  readonly release_at: string | null;
  /** 1: an operator removed it. */
  readonly removed: number;
  /** As in `ReleasesStore`. */
  readonly released: number;
  readonly created_at: string;
}

export interface ClaimCounts {
  readonly claims: number;
  /** Of addresses that no other source claims. */
  readonly alone: number;
  /** The newest of them; null: there are none. */
  readonly last_claimed_at: string | null;
}

/** `rows`: foreign ones, which block nothing yet, included. */
interface CountedSlice extends ClaimCounts {
  readonly source: number;
  readonly rows: number;
  readonly last: string;
}

type CountedOfOne = Omit<CountedSlice, 'source'>;

/** Each is read by every unblock, and a key that may only block can name new ones. */
export const mostSources = 1_000;

/** The table `sources`. Failures are `StoreError`s. */
export class SourcesStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async find(name: string): Promise<SourceRow | null> {
    const query = this.#database.read.selectFrom('sources').select(columns).where('name', '=', name);
    return (await query.executeTakeFirst()) ?? null;
  }

  /** By number, removed ones included. */
  async list(): Promise<SourceRow[]> {
    return await this.#database.read.selectFrom('sources').select(columns).orderBy('id').execute();
  }

  /** Returns the existing one if there is one; a removed one is as if new. Null: there are a thousand. */
  async create(name: string, kind: SourceKind, now: Date): Promise<SourceRow | null> {
    return await this.#database.write.transaction().execute(async (transaction) => {
      const known = await transaction.selectFrom('sources').select(columns).where('name', '=', name).executeTakeFirst();
      if (known?.removed === 0) return known;
      const { count } = await transaction
        .selectFrom('sources')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('removed', '=', 0)
        .executeTakeFirstOrThrow();
      if (count >= mostSources) return null;
      if (known !== undefined) {
        const fresh = { kind, note: null, removed: 0, created_at: now.toISOString() };
        const again = transaction.updateTable('sources').set(fresh).where('id', '=', known.id);
        return await again.returning(columns).executeTakeFirstOrThrow();
      }
      const row = { name, kind, note: null, release_at: null, created_at: now.toISOString() };
      return await transaction.insertInto('sources').values(row).returning(columns).executeTakeFirstOrThrow();
    });
  }

  /** Of a source that was created for a request that was refused: as if it had not been named. */
  async createdInVain(id: number): Promise<void> {
    await this.#database.write.updateTable('sources').set({ removed: 1 }).where('id', '=', id).execute();
  }

  /**
   * Of a source to which a `keep` reported that its claims were dropped. Changes nothing if they were dropped again since.
   * @param released as it was when the claims were not stored yet
   */
  async claimsAgain(id: number, released: number): Promise<void> {
    const query = this.#database.write.updateTable('sources').set({ released: released + 1 });
    await query.where('id', '=', id).where('released', '=', released).execute();
  }

  /**
   * The claims of each source, ended ones included; by number. Yields to others between slices, so of the changes made
   * meanwhile some count and some do not, and an address whose carried claim changes meanwhile may have one claim
   * counted twice or not at all. Exact if nothing changes.
   * @throws the reason of the signal, between two slices
   */
  async counts(signal?: AbortSignal): Promise<Map<number, ClaimCounts>> {
    const counts = new Map<number, ClaimCounts>();
    const count = (source: number, more: ClaimCounts): void => {
      counts.set(source, together(counts.get(source) ?? noClaims, more));
    };
    const { read } = this.#database;
    // In the order of the table itself, which takes half as long as that of the addresses.
    for (let after: string | null = ''; after !== null; await yieldToLoop()) {
      signal?.throwIfAborted();
      const slice: readonly CountedSlice[] = (
        await sql<CountedSlice>`
          select source, count(*) as rows, sum(sort_key is not null) as claims,
            sum(others = 0 and sort_key is not null) as alone,
            max(coalesce(claimed_at, blocked_at)) as last_claimed_at, max(ip_address) as last
          from (
            select ip_address, sort_key, source, others, claimed_at, blocked_at from blocked_ips
            where ip_address > ${after} order by ip_address limit ${countedAtOnce}
          ) group by source`.execute(read)
      ).rows;
      let rows = 0;
      let last: string = after;
      for (const { rows: ofSource, last: own, source, ...more } of slice) {
        if (more.claims > 0) count(source, more);
        rows += ofSource;
        // SQLite compares bytes. Where that differs, in foreign rows, some are counted twice.
        if (own > last) last = own;
      }
      after = rows < countedAtOnce ? null : last;
    }
    for await (const slice of this.#furtherSlices()) {
      signal?.throwIfAborted();
      const further = await sql<{ source: number; claims: number; last_claimed_at: string }>`
        select source, count(*) as claims, max(claimed_at) as last_claimed_at
        from claims where ${slice} group by source`.execute(read);
      for (const { source, claims, last_claimed_at } of further.rows)
        count(source, { claims, alone: 0, last_claimed_at });
    }
    return counts;
  }

  /** The claims of one source, as `counts` counts them. @throws the reason of the signal, between two slices */
  async countsOf(source: number, signal?: AbortSignal): Promise<ClaimCounts> {
    const { read } = this.#database;
    let counts = noClaims;
    for (let after: string | null = ''; after !== null; await yieldToLoop()) {
      signal?.throwIfAborted();
      const slice: CountedOfOne = (
        await sql<CountedOfOne>`
          select count(*) as rows, count(own) as claims, coalesce(sum(own = 0), 0) as alone,
            max(iif(own is null, null, coalesce(claimed_at, blocked_at))) as last_claimed_at, max(ip_address) as last
          from (
            select ip_address, iif(source = ${source} and sort_key is not null, others, null) as own, claimed_at,
              blocked_at
            from blocked_ips where ip_address > ${after} order by ip_address limit ${countedAtOnce}
          )`.execute(read)
      ).rows[0]!;
      counts = together(counts, slice);
      after = slice.rows < countedAtOnce ? null : slice.last;
    }
    for await (const slice of this.#furtherSlices()) {
      signal?.throwIfAborted();
      const further = await sql<Omit<ClaimCounts, 'alone'>>`
        select count(*) as claims, max(claimed_at) as last_claimed_at
        from claims where source = ${source} and ${slice}`.execute(read);
      counts = together(counts, { ...further.rows[0]!, alone: 0 });
    }
    return counts;
  }

  /** Conditions that divide `claims` by its key. Yields to others after each. */
  async *#furtherSlices(): AsyncGenerator<RawBuilder<unknown>> {
    const none = { sort_key: Buffer.alloc(0), source: 0 };
    for (let after: typeof none | undefined = none; after !== undefined; await yieldToLoop()) {
      const from: RawBuilder<unknown> = sql`(sort_key, source) > (${after.sort_key}, ${after.source})`;
      const end = await sql<typeof none>`
        select sort_key, source from claims where ${from}
        order by sort_key, source limit 1 offset ${countedAtOnce - 1}`.execute(this.#database.read);
      after = end.rows[0];
      yield after === undefined ? from : sql`${from} and (sort_key, source) <= (${after.sort_key}, ${after.source})`;
    }
  }

  /** How many claims the sources of each kind have. While `manual` is the only source, nothing is read but that. */
  async claimsByKind(): Promise<Readonly<Record<SourceKind, number>>> {
    const byKind = { manual: 0, agent: 0, list: 0 };
    const sources = await this.list();
    if (sources.length === 1) return { ...byKind, manual: this.#database.blockedCount.value };
    const counts = await this.counts();
    for (const { id, kind } of sources) byKind[kind] += counts.get(id)?.claims ?? 0;
    return byKind;
  }
}

export const noClaims: ClaimCounts = { claims: 0, alone: 0, last_claimed_at: null };

/** Text order is time order. */
function together(one: ClaimCounts, other: ClaimCounts): ClaimCounts {
  const times = [one.last_claimed_at ?? '', other.last_claimed_at ?? ''].sort();
  return {
    claims: one.claims + other.claims,
    alone: one.alone + other.alone,
    last_claimed_at: times[1] === '' ? null : times[1]!,
  };
}

const columns = ['id', 'name', 'kind', 'note', 'release_at', 'removed', 'released', 'created_at'] as const;
const countedAtOnce = 4_096;
