import { type Kysely, sql } from 'kysely';
import type { BlockedIpRow } from './blocked-changes.ts';
import { breathe, PreparedQuery, type Runner } from './prepared-query.ts';
import type { Schema } from './schema.ts';

/** A row to be written, with the order of its address. */
export interface KeyedRow {
  readonly key: Buffer;
  readonly row: BlockedIpRow;
}

export interface RowChanges {
  readonly inserts: KeyedRow[];
  readonly updates: BlockedIpRow[];
  readonly deletes: string[];
}

/** Rows a statement: a longer one costs more to bind than it saves. */
const BLOCK = 64;
/** Blocks between two breaths: about 5 ms of writing. */
const BLOCKS_PER_BREATH = 16;

export const BLOCKED_COLUMNS = ['ip_address', 'reason', 'blocked_by', 'blocked_at', 'expires_at'] as const;

/** Reads and writes rows of `blocked_ips` by address, many at a time, with statements compiled once. */
export class BlockedRows {
  readonly #one: PreparedQuery<BlockedIpRow>;
  readonly #block: PreparedQuery<BlockedIpRow>;
  readonly #unkeyedBlock: PreparedQuery<{ ip_address: string }>;
  readonly #countBlock: PreparedQuery<{ total: number }>;
  readonly #insertOne: PreparedQuery<unknown>;
  readonly #insertBlock: PreparedQuery<unknown>;
  readonly #update: PreparedQuery<unknown>;
  readonly #deleteOne: PreparedQuery<unknown>;
  readonly #deleteBlock: PreparedQuery<unknown>;

  constructor(db: Kysely<Schema>) {
    const texts = new Array<string>(BLOCK).fill('');
    const select = db.selectFrom('blocked_ips').select(BLOCKED_COLUMNS);
    this.#one = new PreparedQuery(select.where('ip_address', '=', '').compile());
    this.#block = new PreparedQuery(select.where('ip_address', 'in', texts).compile());
    this.#unkeyedBlock = new PreparedQuery(
      db
        .selectFrom('blocked_ips')
        .select('ip_address')
        .where('sort_key', 'is', null)
        .where('ip_address', 'in', texts)
        .compile(),
    );
    this.#countBlock = new PreparedQuery(
      db.selectFrom('blocked_ips').select(sql<number>`count(*)`.as('total')).where('ip_address', 'in', texts).compile(),
    );
    const row = {
      ip_address: '',
      sort_key: Buffer.alloc(0),
      reason: '',
      blocked_by: '',
      blocked_at: '',
      expires_at: '',
    };
    // A row of this text that has no key was inserted by hand a moment ago: it is taken up, as a sync would.
    const insertOf = (rows: (typeof row)[]) =>
      db
        .insertInto('blocked_ips')
        .values(rows)
        .onConflict((conflict) =>
          conflict
            .column('ip_address')
            .doUpdateSet((eb) => ({
              sort_key: eb.ref('excluded.sort_key'),
              blocked_at: eb.ref('excluded.blocked_at'),
              expires_at: eb.ref('excluded.expires_at'),
            }))
            .where('blocked_ips.sort_key', 'is', null),
        )
        .compile();
    this.#insertOne = new PreparedQuery(insertOf([row]));
    this.#insertBlock = new PreparedQuery(insertOf(new Array<typeof row>(BLOCK).fill(row)));
    this.#update = new PreparedQuery(
      db
        .updateTable('blocked_ips')
        .set({ reason: '', blocked_by: '', blocked_at: '', expires_at: '' })
        .where('ip_address', '=', '')
        .compile(),
    );
    this.#deleteOne = new PreparedQuery(db.deleteFrom('blocked_ips').where('ip_address', '=', '').compile());
    this.#deleteBlock = new PreparedQuery(db.deleteFrom('blocked_ips').where('ip_address', 'in', texts).compile());
  }

  async get(runner: Runner, text: string): Promise<BlockedIpRow | null> {
    return (await this.#one.first(runner, [text])) ?? null;
  }

  /** The rows that exist, by address. */
  async getMany(runner: Runner, texts: readonly string[]): Promise<Map<string, BlockedIpRow>> {
    const found = new Map<string, BlockedIpRow>();
    if (texts.length === 1) {
      const row = await this.get(runner, texts[0]!);
      if (row !== null) found.set(row.ip_address, row);
      return found;
    }
    await eachBlock(texts, async (block) => {
      for (const row of await this.#block.all(runner, filled(block))) found.set(row.ip_address, row);
    });
    return found;
  }

  /** Which of these addresses have a row that an operator inserted and that no sync adopted yet. */
  async unkeyedAmong(runner: Runner, texts: readonly string[]): Promise<Set<string>> {
    const found = new Set<string>();
    await eachBlock(texts, async (block) => {
      for (const row of await this.#unkeyedBlock.all(runner, filled(block))) found.add(row.ip_address);
    });
    return found;
  }

  /** How many of these addresses, each given once, have a row. */
  async countMany(runner: Runner, texts: readonly string[]): Promise<number> {
    let total = 0;
    await eachBlock(texts, async (block) => {
      total += (await this.#countBlock.first(runner, filled(block)))?.total ?? 0;
    });
    return total;
  }

  /** Inserts go in order of addresses: a page of the table is then written once a group, not once a row. */
  async write(runner: Runner, changes: RowChanges): Promise<void> {
    await eachBlock(changes.deletes, async (block) => {
      if (block.length === 1) await this.#deleteOne.write(runner, block);
      else await this.#deleteBlock.write(runner, filled(block));
    });
    await eachBlock(changes.updates, async (block) => {
      for (const row of block) {
        const { reason, blocked_by, blocked_at, expires_at, ip_address } = row;
        await this.#update.write(runner, [reason, blocked_by, blocked_at, expires_at, ip_address]);
      }
    });
    const inserts = changes.inserts.sort((a, b) => a.key.compare(b.key));
    await eachBlock(inserts, async (block) => {
      if (block.length === BLOCK) await this.#insertBlock.write(runner, block.flatMap(insertParameters));
      else for (const keyed of block) await this.#insertOne.write(runner, insertParameters(keyed));
    });
  }
}

function insertParameters({ key, row }: KeyedRow): unknown[] {
  return [row.ip_address, key, row.reason, row.blocked_by, row.blocked_at, row.expires_at];
}

/** Makes a short block as long as its statement; the same address again changes nothing in an `in (…)`. */
function filled(block: readonly string[]): readonly string[] {
  if (block.length === BLOCK) return block;
  return [...block, ...new Array<string>(BLOCK - block.length).fill(block[0]!)];
}

/** Not an async generator: that costs a group of one more than its statement. */
async function eachBlock<T>(items: readonly T[], work: (block: readonly T[]) => Promise<void>): Promise<void> {
  for (let start = 0, count = 1; start < items.length; start += BLOCK, count++) {
    await work(items.length <= BLOCK ? items : items.slice(start, start + BLOCK));
    if (count % BLOCKS_PER_BREATH === 0) await breathe();
  }
}
