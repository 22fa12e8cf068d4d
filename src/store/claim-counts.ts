// The counts of claims in the table `sources`: triggers count what is changed or deleted, the rest is here (ADR 0114).

import { type Kysely, type RawBuilder, sql } from 'kysely';
import { yieldToLoop } from '../concurrency/pause.ts';
import { PreparedQuery, type Runner } from './prepared-query.ts';
import type { Schema } from './schema.ts';

export interface ClaimCounts {
  readonly claims: number;
  /** Of addresses that no other source claims. */
  readonly alone: number;
  /** When the newest one was made, also if it was dropped; null: there was none. */
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

/**
 * Counts all claims again if there are more or fewer than the sources say: another program replaced rows (`insert or
 * replace`), for which no trigger ran. Such a row always counts once too often, so the total shows it. Nothing else is
 * written meanwhile: a second at a million rows, in slices. Returns whether it was necessary.
 * @param there how many claims there are
 */
export async function correctCounts(write: Kysely<Schema>, there: number): Promise<boolean> {
  const said = write.selectFrom('sources').select((eb) => eb.fn.sum<number | null>('claims').as('claims'));
  if (((await said.executeTakeFirstOrThrow()).claims ?? 0) === there) return false;
  await write.transaction().execute(async (transaction) => {
    const counts = await countedClaims(transaction);
    for (const { id } of await transaction.selectFrom('sources').select('id').execute()) {
      const { claims, alone, last_claimed_at } = counts.get(id) ?? noClaims;
      const last = sql<string | null>`nullif(max(coalesce(last_claimed_at, ''), ${last_claimed_at ?? ''}), '')`;
      await transaction
        .updateTable('sources')
        .set({ claims, alone, last_claimed_at: last })
        .where('id', '=', id)
        .execute();
    }
  });
  return true;
}

/** By number of the source. Yields to others between slices. */
async function countedClaims(db: Kysely<Schema>): Promise<ReadonlyMap<number, ClaimCounts>> {
  const counts = new Map<number, ClaimCounts>();
  const count = (source: number, more: ClaimCounts): void => {
    counts.set(source, together(counts.get(source) ?? noClaims, more));
  };
  // In the order of the table itself, which takes half as long as that of the addresses.
  for (let after: string | null = ''; after !== null; await yieldToLoop()) {
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
      // SQLite compares bytes. Where that differs, in foreign rows, some are counted twice.
      if (own > last) last = own;
    }
    after = rows < countedAtOnce ? null : last;
  }
  for await (const slice of furtherSlices(db)) {
    const further = await sql<{ source: number; claims: number; last_claimed_at: string }>`
      select source, count(*) as claims, max(claimed_at) as last_claimed_at
      from claims where ${slice} group by source`.execute(db);
    for (const { source, claims, last_claimed_at } of further.rows)
      count(source, { claims, alone: 0, last_claimed_at });
  }
  return counts;
}

/** Conditions that divide `claims` by its key. Yields to others after each. */
async function* furtherSlices(db: Kysely<Schema>): AsyncGenerator<RawBuilder<unknown>> {
  const none = { sort_key: Buffer.alloc(0), source: 0 };
  for (let after: typeof none | undefined = none; after !== undefined; await yieldToLoop()) {
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
