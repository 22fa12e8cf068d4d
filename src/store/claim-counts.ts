// The counts of claims in the table `sources`: triggers count what is changed or deleted, the rest is here (ADR 0114).

import { type Kysely, type RawBuilder, sql } from 'kysely';
import { shared } from '../concurrency/shared.ts';
import type { SliceQueue } from '../concurrency/slices.ts';
import { ForeignCommits } from './foreign-commits.ts';
import { PreparedQuery, type Runner } from './prepared-query.ts';
import type { Schema } from './schema.ts';

export interface ClaimCounts {
  readonly claims: number;
  /** Of addresses that no other source claims. */
  readonly alone: number;
  /** When the newest one was made, also if it was dropped; null: none is known. */
  readonly last_claimed_at: string | null;
}

/** `rows`: foreign ones, which block nothing yet, included. */
interface CountedSlice extends ClaimCounts {
  readonly source: number;
  readonly rows: number;
  readonly last: string;
}

interface Sum {
  claims: number;
  last: string;
}

/** Claims that the service inserts, by source. Usually all are of one, made at one time. */
export class InsertedClaims {
  readonly #sums = new Map<number, Sum>();
  #source: number | null = null;
  #sum: Sum = { claims: 0, last: '' };

  add(source: number, claimedAt: string): void {
    if (source !== this.#source) {
      this.#source = source;
      this.#sum = this.#sums.get(source) ?? { claims: 0, last: '' };
      this.#sums.set(source, this.#sum);
    }
    this.#sum.claims += 1;
    if (claimedAt > this.#sum.last) this.#sum.last = claimedAt;
  }

  get sums(): Iterable<readonly [source: number, sum: Readonly<Sum>]> {
    return this.#sums;
  }
}

/** Counts what the service inserts, in its transaction. */
export class InsertCounter {
  readonly #add: PreparedQuery<unknown>;

  constructor(db: Kysely<Schema>) {
    this.#add = new PreparedQuery(
      sql`update sources set claims = claims + ${0}, alone = alone + ${0},
        last_claimed_at = max(coalesce(last_claimed_at, ''), ${''}) where id = ${0}`.compile(db),
    );
  }

  /** @param alone whether no other source claims their addresses */
  async count(runner: Runner, { sums }: InsertedClaims, { alone }: { readonly alone: boolean }): Promise<void> {
    for (const [source, { claims, last }] of sums)
      await this.#add.write(runner, [claims, alone ? claims : 0, last, source]);
  }
}

const noClaims: ClaimCounts = { claims: 0, alone: 0, last_claimed_at: null };
const countedAtOnce = 4_096;

interface RecountDeps {
  readonly write: Kysely<Schema>;
  /** Runs `work` with a connection whose reads all see one state of the database. */
  readonly snapshot: <T>(work: (db: Kysely<Schema>) => Promise<T>) => Promise<T>;
  readonly turns: SliceQueue;
}

/** What a source said in a snapshot, and what there was. */
interface Correction {
  readonly id: number;
  readonly claims: number;
  readonly alone: number;
  readonly last_claimed_at: string | null;
}

/**
 * Corrects the counts after another program wrote to the database: what it inserts or replaces (`insert or replace`) no
 * trigger counts. All claims are counted in one state of the database, beside the service's own changes, and the
 * differences to what the sources said in the same state are added. That is exact because the changes since have changed
 * both alike.
 */
export class ClaimRecount {
  readonly #deps: RecountDeps;
  readonly #foreign: ForeignCommits;
  readonly #closing = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  /**
   * Nothing to do unless another program has committed since the last count, which is the case for the first. One count
   * at a time: two that begin with the same figures would add the differences twice. Throws `StoreError`; then the next
   * one counts.
   */
  readonly correct: () => Promise<void>;

  constructor(deps: RecountDeps) {
    this.#deps = deps;
    this.#foreign = new ForeignCommits(deps.write);
    const next = shared(() => this.#correct());
    this.correct = () => {
      const run = next();
      this.#running = run.catch(() => undefined);
      return run;
    };
  }

  /** Before the connections are closed. A count in progress is given up: the next start counts. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #correct(): Promise<void> {
    const { signal } = this.#closing;
    try {
      signal.throwIfAborted();
      if (!(await this.#foreign.any())) return;
      // Before the snapshot: what another program commits in between is in it, and makes the next call count again.
      const begun = await this.#foreign.version();
      const { snapshot, turns } = this.#deps;
      await this.#add(await snapshot((db) => corrections(db, () => turns.next(signal))));
      this.#foreign.tableRead(begun);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async #add(all: readonly Correction[]): Promise<void> {
    if (all.length === 0) return;
    await this.#deps.write.transaction().execute(async (transaction) => {
      for (const { id, claims, alone, last_claimed_at: last } of all)
        await sql`update sources set claims = claims + ${claims}, alone = alone + ${alone},
          last_claimed_at = nullif(max(coalesce(last_claimed_at, ''), ${last ?? ''}), '')
          where id = ${id}`.execute(transaction);
    });
  }
}

/** Of the sources whose figures are wrong. A claim of a source that does not exist counts for none. */
async function corrections(db: Kysely<Schema>, rest: () => Promise<void>): Promise<readonly Correction[]> {
  const said = await db.selectFrom('sources').select(['id', 'claims', 'alone', 'last_claimed_at']).execute();
  const counts = await countedClaims(db, rest);
  return said.flatMap(({ id, claims, alone, last_claimed_at }) => {
    const counted = counts.get(id) ?? noClaims;
    const isLater = (counted.last_claimed_at ?? '') > (last_claimed_at ?? '');
    if (counted.claims === claims && counted.alone === alone && !isLater) return [];
    const last = isLater ? counted.last_claimed_at : null;
    return [{ id, claims: counted.claims - claims, alone: counted.alone - alone, last_claimed_at: last }];
  });
}

/** By number of the source. Rests between slices. */
async function countedClaims(db: Kysely<Schema>, rest: () => Promise<void>): Promise<ReadonlyMap<number, ClaimCounts>> {
  const counts = new Map<number, ClaimCounts>();
  const count = (source: number, more: ClaimCounts): void => {
    counts.set(source, together(counts.get(source) ?? noClaims, more));
  };
  // In the order of the table itself, which takes half as long as that of the addresses.
  for (let after: string | null = ''; after !== null; await rest()) {
    const slice: readonly CountedSlice[] = (
      await sql<CountedSlice>`
        select source, count(*) as rows, sum(sort_key is not null) as claims,
          sum(others = 0 and sort_key is not null) as alone,
          max(iif(sort_key is null, null, coalesce(claimed_at, blocked_at))) as last_claimed_at,
          max(ip_address) as last
        from (
          select ip_address, sort_key, source, others, claimed_at, blocked_at from blocked_ips
          where ip_address > ${after} order by ip_address limit ${countedAtOnce}
        ) group by source`.execute(db)
    ).rows;
    let rows = 0;
    let last: string = after;
    for (const { rows: ofSource, last: own, source, ...more } of slice) {
      count(source, more);
      rows += ofSource;
      // SQLite compares bytes. Where that differs, in rows without a key, the next slice reads some again: they count 0.
      if (own > last) last = own;
    }
    after = rows < countedAtOnce ? null : last;
  }
  for await (const slice of furtherSlices(db, rest)) {
    const further = await sql<{ source: number; claims: number; last_claimed_at: string }>`
      select source, count(*) as claims, max(claimed_at) as last_claimed_at
      from claims where ${slice} group by source`.execute(db);
    for (const { source, claims, last_claimed_at } of further.rows)
      count(source, { claims, alone: 0, last_claimed_at });
  }
  return counts;
}

/** Conditions that divide `claims` by its key. Rests after each. */
async function* furtherSlices(db: Kysely<Schema>, rest: () => Promise<void>): AsyncGenerator<RawBuilder<unknown>> {
  const none = { sort_key: Buffer.alloc(0), source: 0 };
  for (let after: typeof none | undefined = none; after !== undefined; await rest()) {
    const from: RawBuilder<unknown> = sql`(sort_key, source) > (${after.sort_key}, ${after.source})`;
    const end = await sql<typeof none>`
      select sort_key, source from claims where ${from}
      order by sort_key, source limit 1 offset ${countedAtOnce - 1}`.execute(db);
    after = end.rows[0];
    yield after === undefined ? from : sql`${from} and (sort_key, source) <= (${after.sort_key}, ${after.source})`;
  }
}

/** Text order is time order. */
function together(one: ClaimCounts, other: ClaimCounts): ClaimCounts {
  const times = [one.last_claimed_at ?? '', other.last_claimed_at ?? ''].sort();
  return {
    claims: one.claims + other.claims,
    alone: one.alone + other.alone,
    last_claimed_at: times[1] === '' ? null : times[1]!,
  };
}
