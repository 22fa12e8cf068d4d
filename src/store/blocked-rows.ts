import { type Kysely, sql } from 'kysely';
import type { BlockedIp } from '../api/blocked-entries.ts';
import { InsertCounter, InsertedClaims } from './claim-counts.ts';
import type { Carried } from './claims.ts';
import { PreparedQuery, type Runner } from './prepared-query.ts';
import { BLOCK, eachBlock, filled } from './row-blocks.ts';
import type { Schema } from './schema.ts';

interface KeyedRow extends Carried {
  readonly key: Buffer;
}

export interface RowChanges {
  readonly inserts: KeyedRow[];
  readonly updates: Carried[];
  readonly deletes: string[];
}

const BEFORE_ALL = Buffer.alloc(0);

export const BLOCKED_COLUMNS = ['ip_address', 'reason', 'blocked_by', 'blocked_at', 'expires_at'] as const;

/** Reads and writes rows of `blocked_ips` by address, many at a time, with statements compiled once. */
export class BlockedRows {
  readonly #one: PreparedQuery<BlockedIp>;
  readonly #block: PreparedQuery<BlockedIp>;
  readonly #keyedBlock: PreparedQuery<BlockedIp>;
  readonly #foreignBlock: PreparedQuery<BlockedIp>;
  readonly #anyUnkeyed: PreparedQuery<{ ip_address: string }>;
  readonly #anyOver: PreparedQuery<{ ip_address: string }>;
  readonly #overBetween: PreparedQuery<{ ip_address: string }>;
  readonly #insertOne: PreparedQuery<unknown>;
  readonly #insertBlock: PreparedQuery<unknown>;
  readonly #insertAlike: PreparedQuery<unknown>;
  readonly #update: PreparedQuery<unknown>;
  readonly #deleteOne: PreparedQuery<unknown>;
  readonly #deleteBlock: PreparedQuery<unknown>;
  readonly #counter: InsertCounter;

  constructor(db: Kysely<Schema>) {
    const texts = new Array<string>(BLOCK).fill('');
    const select = db.selectFrom('blocked_ips').select(BLOCKED_COLUMNS);
    this.#one = new PreparedQuery(select.where('ip_address', '=', '').compile());
    this.#block = new PreparedQuery(select.where('ip_address', 'in', texts).compile());
    const inBlock = select.where('ip_address', 'in', texts);
    this.#keyedBlock = new PreparedQuery(inBlock.where('sort_key', 'is not', null).compile());
    // The plus keeps SQLite from reading all rows without a key, by the index, for each block.
    this.#foreignBlock = new PreparedQuery(inBlock.where(sql`+sort_key`, 'is', null).compile());
    this.#anyUnkeyed = new PreparedQuery(
      db.selectFrom('blocked_ips').select('ip_address').where('sort_key', 'is', null).limit(1).compile(),
    );
    const ending = db.selectFrom('blocked_ips').select('ip_address').where('expires_at', 'is not', null);
    this.#anyOver = new PreparedQuery(ending.where('expires_at', '<=', '').limit(1).compile());
    this.#overBetween = new PreparedQuery(
      ending
        .where('sort_key', '>', BEFORE_ALL)
        .where('sort_key', '<=', BEFORE_ALL)
        // The plus: in address order, however many rows have expired elsewhere.
        .where(sql`+expires_at`, '<=', '')
        .compile(),
    );
    const row = {
      ip_address: '',
      sort_key: Buffer.alloc(0),
      reason: '',
      blocked_by: '',
      blocked_at: '',
      expires_at: '',
      source: 0,
      claimed_at: '',
    };
    const insertOf = (rows: (typeof row)[]) => db.insertInto('blocked_ips').values(rows).compile();
    this.#insertOne = new PreparedQuery(insertOf([row]));
    this.#insertBlock = new PreparedQuery(insertOf(new Array<typeof row>(BLOCK).fill(row)));
    this.#insertAlike = new PreparedQuery(insertAlike.compile(db));
    this.#update = new PreparedQuery(
      db
        .updateTable('blocked_ips')
        .set({ reason: '', blocked_by: '', blocked_at: '', expires_at: '', source: 0, claimed_at: '' })
        .where('ip_address', '=', '')
        .compile(),
    );
    this.#deleteOne = new PreparedQuery(db.deleteFrom('blocked_ips').where('ip_address', '=', '').compile());
    this.#deleteBlock = new PreparedQuery(db.deleteFrom('blocked_ips').where('ip_address', 'in', texts).compile());
    this.#counter = new InsertCounter(db);
  }

  async get(runner: Runner, text: string): Promise<BlockedIp | null> {
    return (await this.#one.first(runner, [text])) ?? null;
  }

  /** The existing rows, by address. */
  async getMany(runner: Runner, texts: readonly string[]): Promise<Map<string, BlockedIp>> {
    if (texts.length === 1) {
      const row = await this.get(runner, texts[0]!);
      return new Map(row === null ? [] : [[row.ip_address, row]]);
    }
    return await this.#among(this.#block, runner, texts);
  }

  /** The rows that count, by address: without foreign rows that no sync adopted yet. */
  async keyedAmong(runner: Runner, texts: readonly string[]): Promise<Map<string, BlockedIp>> {
    return await this.#among(this.#keyedBlock, runner, texts);
  }

  /** Foreign rows that no sync adopted yet, as inserted. */
  async foreignAmong(runner: Runner, texts: readonly string[]): Promise<Map<string, BlockedIp>> {
    return await this.#among(this.#foreignBlock, runner, texts);
  }

  async hasUnkeyed(runner: Runner): Promise<boolean> {
    return (await this.#anyUnkeyed.first(runner, [1])) !== undefined;
  }

  /** The addresses above `after` (null: from the start) up to `last` that an `expire` at `now` would remove. */
  async overBetween(runner: Runner, after: Buffer | null, last: Buffer, now: string): Promise<ReadonlySet<string>> {
    // Usually there are none: they are removed twice a second.
    if ((await this.#anyOver.first(runner, [now, 1])) === undefined) return new Set();
    const rows = await this.#overBetween.all(runner, [after ?? BEFORE_ALL, last, now]);
    return new Set(rows.map((row) => row.ip_address));
  }

  async #among(
    query: PreparedQuery<BlockedIp>,
    runner: Runner,
    texts: readonly string[],
  ): Promise<Map<string, BlockedIp>> {
    const found = new Map<string, BlockedIp>();
    await eachBlock(texts, async (block) => {
      for (const row of await query.all(runner, filled(block))) found.set(row.ip_address, row);
    });
    return found;
  }

  /**
   * Deletes first; an insert whose address or key exists then fails. Inserts go in address order, so that a page of the
   * table is written once per group, not per row. An update sets the source of the claim too: of two statements each would
   * run the trigger that counts it, and the first would note the time of the new claim for the old source.
   */
  async write(runner: Runner, changes: RowChanges): Promise<void> {
    await eachBlock(changes.deletes, async (block) => {
      if (block.length === 1) await this.#deleteOne.write(runner, block);
      else await this.#deleteBlock.write(runner, filled(block));
    });
    await eachBlock(changes.updates, async (block) => {
      for (const changed of block) await this.#update.write(runner, [...restOf(changed), changed.row.ip_address]);
    });
    const inserts = changes.inserts.sort((a, b) => a.key.compare(b.key));
    await eachBlock(inserts, async (block) => {
      if (block.length === BLOCK) await this.#insertFull(runner, block);
      else for (const keyed of block) await this.#insertOne.write(runner, insertParameters(keyed));
    });
    const inserted = new InsertedClaims();
    for (const { source, claimedAt, row } of inserts) inserted.add(source, claimedAt ?? row.blocked_at);
    await this.#counter.count(runner, inserted, { alone: true });
  }

  async #insertFull(runner: Runner, block: readonly KeyedRow[]): Promise<void> {
    if (!areAlike(block)) {
      await this.#insertBlock.write(runner, block.flatMap(insertParameters));
      return;
    }
    const parameters = restOf(block[0]!);
    for (const { row, key } of block) parameters.push(row.ip_address, key);
    await this.#insertAlike.write(runner, parameters);
  }
}

/** The lines of a list differ in the address alone: binding the rest once saves a quarter of the insert. */
const insertAlike = sql`
  with alike(reason, blocked_by, blocked_at, expires_at, source, claimed_at) as (
    values (${''}, ${''}, ${''}, ${''}, ${0}, ${''}))
  insert into blocked_ips (ip_address, sort_key, reason, blocked_by, blocked_at, expires_at, source, claimed_at)
  select address.column1, address.column2, reason, blocked_by, blocked_at, expires_at, source, claimed_at
  from alike, (values ${sql.join(new Array(BLOCK).fill(sql`(${''}, ${BEFORE_ALL})`))}) as address`;

/** What a row has besides its address. */
function restOf({ row, source, claimedAt }: Carried): unknown[] {
  return [row.reason, row.blocked_by, row.blocked_at, row.expires_at, source, claimedAt];
}

function areAlike(block: readonly KeyedRow[]): boolean {
  const [first] = block;
  return block.every(
    ({ row, source, claimedAt }) =>
      source === first!.source &&
      claimedAt === first!.claimedAt &&
      row.blocked_at === first!.row.blocked_at &&
      row.expires_at === first!.row.expires_at &&
      row.reason === first!.row.reason &&
      row.blocked_by === first!.row.blocked_by,
  );
}

function insertParameters(keyed: KeyedRow): unknown[] {
  return [keyed.row.ip_address, keyed.key, ...restOf(keyed)];
}
