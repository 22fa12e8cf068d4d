import type { Kysely } from 'kysely';
import type { BlockedIp } from '../api/blocked-entries.ts';
import type { BlockedChange, Claim } from './blocked-changes.ts';
import { InsertCounter, InsertedClaims } from './claim-counts.ts';
import type { ClaimStep } from './claim-steps.ts';
import { type Claimed, furtherClaims, isPlain, type Lists, MANUAL, plain, putInOrder } from './claims.ts';
import { PreparedQuery, type Runner } from './prepared-query.ts';
import { BLOCK, eachBlock, filled } from './row-blocks.ts';
import type { Schema } from './schema.ts';

const noKey = Buffer.alloc(0);

/** What a row of `blocked_ips` says about the claims to its address. */
interface CarryingRow {
  readonly ip_address: string;
  readonly sort_key: Buffer;
  readonly source: number;
  readonly others: number;
  readonly claimed_at: string | null;
}

type FurtherClaim = Omit<BlockedIp, 'ip_address' | 'blocked_at'> & {
  sort_key: Buffer;
  source: number;
  claimed_at: string;
};

/** `before`: null of an address whose row was just inserted, with the source of its first claim. */
export interface ClaimChange {
  readonly key: Buffer;
  readonly before: Claimed | null;
  readonly after: Claimed;
}

export const noLists: Lists = new Set();

/** What the table `claims` and the rows of `blocked_ips` say together. */
export class ClaimRows {
  readonly #carried: PreparedQuery<CarryingRow>;
  readonly #further: PreparedQuery<FurtherClaim>;
  readonly #ended: PreparedQuery<{ sort_key: Buffer }>;
  readonly #anyClaims: PreparedQuery<{ id: number }>;
  readonly #lists: PreparedQuery<{ id: number }>;
  readonly #names: PreparedQuery<{ id: number; name: string }>;
  readonly #delete: PreparedQuery<unknown>;
  readonly #insertOne: PreparedQuery<unknown>;
  readonly #insertBlock: PreparedQuery<unknown>;
  readonly #share: PreparedQuery<unknown>;
  readonly #counter: InsertCounter;

  constructor(db: Kysely<Schema>) {
    const texts = new Array<string>(BLOCK).fill('');
    const keys = new Array<Buffer>(BLOCK).fill(noKey);
    this.#carried = new PreparedQuery(
      db
        .selectFrom('blocked_ips')
        .select(['ip_address', 'sort_key', 'source', 'others', 'claimed_at'])
        .where('ip_address', 'in', texts)
        .compile(),
    );
    this.#further = new PreparedQuery(
      db
        .selectFrom('claims')
        .select(['sort_key', 'source', 'reason', 'blocked_by', 'claimed_at', 'expires_at'])
        .where('sort_key', 'in', keys)
        .compile(),
    );
    this.#ended = new PreparedQuery(
      db
        .selectFrom('claims')
        .select('sort_key')
        .where('expires_at', 'is not', null)
        .where('expires_at', '<=', '')
        .orderBy('expires_at')
        .limit(1)
        .compile(),
    );
    // A source is never deleted while it has claims, so without a second one there are none.
    this.#anyClaims = new PreparedQuery(
      db.selectFrom('sources').select('id').where('id', '>', MANUAL).limit(1).compile(),
    );
    this.#lists = new PreparedQuery(db.selectFrom('sources').select('id').where('kind', '=', 'list').compile());
    this.#names = new PreparedQuery(db.selectFrom('sources').select(['id', 'name']).compile());
    this.#delete = new PreparedQuery(db.deleteFrom('claims').where('sort_key', 'in', keys).compile());
    const claim = { sort_key: noKey, source: 0, reason: '', blocked_by: '', claimed_at: '', expires_at: '' };
    const insertOf = (claims: (typeof claim)[]) => db.insertInto('claims').values(claims).compile();
    this.#insertOne = new PreparedQuery(insertOf([claim]));
    this.#insertBlock = new PreparedQuery(insertOf(new Array<typeof claim>(BLOCK).fill(claim)));
    this.#counter = new InsertCounter(db);
    this.#share = new PreparedQuery(
      db.updateTable('blocked_ips').set({ others: 0 }).where('ip_address', 'in', texts).compile(),
    );
  }

  /** The claims to the addresses of these rows, which `changes` are about to change. */
  async claimed(
    runner: Runner,
    rows: ReadonlyMap<string, BlockedIp>,
    changes: readonly BlockedChange[],
  ): Promise<{ claimed: Map<string, Claimed>; lists: Lists }> {
    // The usual block: nothing to read.
    if (rows.size === 0 && changes.every((change) => change.op !== 'add' || change.source === undefined)) {
      return { claimed: new Map(), lists: noLists };
    }
    if (await this.anyFurther(runner))
      return { claimed: await this.all(runner, rows), lists: await this.lists(runner) };
    return { claimed: allPlain(rows), lists: noLists };
  }

  /** False: all claims are of `manual`. */
  async anyFurther(runner: Runner): Promise<boolean> {
    return (await this.#anyClaims.first(runner, [MANUAL, 1])) !== undefined;
  }

  async lists(runner: Runner): Promise<Lists> {
    return new Set((await this.#lists.all(runner, ['list'])).map(({ id }) => id));
  }

  /** With the names of their sources; of `manual` alone nothing is read. */
  async named(runner: Runner, steps: readonly ClaimStep[]): Promise<(ClaimStep & { readonly sourceName: string })[]> {
    const known = steps.every(({ source }) => source === MANUAL) ? [] : await this.#names.all(runner, []);
    const names = new Map([[MANUAL, 'manual'], ...known.map(({ id, name }) => [id, name] as const)]);
    return steps.map((step) => ({ ...step, sourceName: names.get(step.source) ?? `#${step.source}` }));
  }

  /** The claims to the addresses of these rows, by address. */
  async all(runner: Runner, rows: ReadonlyMap<string, BlockedIp>): Promise<Map<string, Claimed>> {
    const claimed = allPlain(rows);
    await eachBlock([...rows.keys()], async (texts) => {
      const carried = (await this.#carried.all(runner, filled(texts))).filter(
        (one) => one.source !== MANUAL || one.others > 0 || one.claimed_at !== null,
      );
      const shared = carried.filter(({ others }) => others > 0).map(({ sort_key }) => sort_key);
      const further = shared.length === 0 ? [] : await this.#further.all(runner, filled(shared));
      for (const one of carried) claimed.set(one.ip_address, together(rows.get(one.ip_address)!, one, further));
    });
    return claimed;
  }

  /**
   * A row without a key counts as a claim of `manual`. The claims that are there may be those of a row that it
   * replaced (`INSERT OR REPLACE`, which runs no trigger): they count too. `left`: how many there are; `forget` them
   * before `write`, for of two claims of `manual` only one is in `claimed`.
   */
  async withLeftOver(runner: Runner, key: Buffer, row: BlockedIp): Promise<{ claimed: Claimed; left: number }> {
    const own = plain(row);
    if (!(await this.anyFurther(runner))) return { claimed: own, left: 0 };
    const left = (await this.#further.all(runner, filled([key]))).map((claim) => furtherClaim(row.ip_address, claim));
    const claimed = left.length === 0 ? own : putInOrder({ ...own, claims: [own.claims[0], ...left] });
    return { claimed, left: left.length };
  }

  /** Keys of addresses with further claims that have ended by `now`. */
  async ended(runner: Runner, now: string, limit: number): Promise<Buffer[]> {
    return (await this.#ended.all(runner, [now, limit])).map(({ sort_key }) => sort_key);
  }

  /** For rows whose deletion ran no trigger. */
  async forget(runner: Runner, keys: readonly Buffer[]): Promise<void> {
    await eachBlock(keys, async (block) => {
      await this.#delete.write(runner, filled(block));
    });
  }

  /** After the rows of `blocked_ips` were written. A deleted row's claims are gone with it. */
  async write(runner: Runner, changes: readonly ClaimChange[]): Promise<void> {
    const gone: Buffer[] = [];
    const further: (readonly unknown[])[] = [];
    const inserted = new InsertedClaims();
    const shared = new Map<number, string[]>();
    for (const { key, before, after } of changes) {
      const [carried, ...others] = after.claims;
      // The rest of the row was written with it.
      if (before === null ? others.length === 0 : isPlain(before) && isPlain(after)) continue;
      if (furtherClaims(before) > 0) gone.push(key);
      for (const { source, row } of others) {
        further.push([key, source, row.reason, row.blocked_by, row.blocked_at, row.expires_at]);
        inserted.add(source, row.blocked_at);
      }
      const texts = shared.get(others.length) ?? [];
      texts.push(carried.row.ip_address);
      shared.set(others.length, texts);
    }
    await this.forget(runner, gone);
    await eachBlock(further, async (block) => {
      if (block.length === BLOCK) await this.#insertBlock.write(runner, block.flat());
      else for (const claim of block) await this.#insertOne.write(runner, claim);
    });
    await this.#counter.count(runner, inserted, { alone: false });
    for (const [others, texts] of shared) {
      await eachBlock(texts, async (block) => {
        await this.#share.write(runner, [others, ...filled(block)]);
      });
    }
  }
}

function allPlain(rows: ReadonlyMap<string, BlockedIp>): Map<string, Claimed> {
  return new Map([...rows].map(([text, row]) => [text, plain(row)]));
}

function together(row: BlockedIp, carried: CarryingRow, further: readonly FurtherClaim[]): Claimed {
  const first: Claim = { source: carried.source, row: { ...row, blocked_at: carried.claimed_at ?? row.blocked_at } };
  const others = further
    .filter(({ sort_key }) => carried.others > 0 && sort_key.equals(carried.sort_key))
    .map((claim) => furtherClaim(row.ip_address, claim));
  return { since: row.blocked_at, claims: [first, ...others] };
}

export function furtherClaim(text: string, { sort_key: _, source, claimed_at, ...said }: FurtherClaim): Claim {
  return { source, row: { ip_address: text, ...said, blocked_at: claimed_at } };
}
