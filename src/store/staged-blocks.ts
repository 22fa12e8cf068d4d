import type { Kysely } from 'kysely';
import { yieldToLoop } from '../concurrency/pause.ts';
import { PreparedQuery, type Runner } from './prepared-query.ts';
import type { Schema } from './schema.ts';
import { StagedRows } from './staged-rows.ts';

/** Rows in one block: 18 kB. A merge holds one block of every run in memory. */
const BLOCK = 1024;
const BLOCKS_PER_YIELD = 8;
/** Making their JSON takes most of a block's time. */
const DETAILED_BLOCKS_PER_YIELD = 2;
const COLUMNS = ['keys', 'kinds', 'details_json'] as const;

interface StoredBlock {
  keys: Buffer;
  kinds: Buffer;
  details_json: string | null;
}

/** By address, which of the staged rows skip it. */
export type Skips = ReadonlyMap<string, 'all' | 'removals'>;

/** Writes and reads blocks of staged rows, with statements compiled once. */
export class StagedBlocks {
  readonly #insert: PreparedQuery<unknown>;
  readonly #following: PreparedQuery<StoredBlock>;
  readonly #holding: PreparedQuery<StoredBlock>;
  readonly #nextRun: PreparedQuery<{ run: number }>;
  readonly #skips: PreparedQuery<{ ip_address: string; removals_only: number }>;

  constructor(db: Kysely<Schema>) {
    const key = Buffer.alloc(0);
    const block = { bulk: 0, run: 0, first_key: key, keys: key, kinds: key, details_json: '' };
    this.#insert = new PreparedQuery(db.insertInto('bulk_blocks').values(block).compile());
    const ofBulk = db.selectFrom('bulk_blocks').where('bulk', '=', 0);
    const ofRun = ofBulk.where('run', '=', 0).select(COLUMNS).limit(1);
    this.#following = new PreparedQuery(ofRun.where('first_key', '>', key).orderBy('first_key').compile());
    this.#holding = new PreparedQuery(ofRun.where('first_key', '<=', key).orderBy('first_key', 'desc').compile());
    this.#nextRun = new PreparedQuery(ofBulk.select('run').where('run', '>', 0).orderBy('run').limit(1).compile());
    this.#skips = new PreparedQuery(
      db
        .selectFrom('bulk_skips')
        .select(['ip_address', 'removals_only'])
        .where('bulk', '=', 0)
        .where('sort_key', '>', key)
        .where('sort_key', '<=', key)
        .compile(),
    );
  }

  /** Appends `rows` to the run. */
  async write(runner: Runner, bulk: number, run: number, rows: StagedRows): Promise<void> {
    let work = 0;
    for (let start = 0; start < rows.length; start += BLOCK) {
      const block = rows.slice(start, Math.min(start + BLOCK, rows.length));
      const details = block.detailsJson();
      await this.#insert.write(runner, [bulk, run, block.key(0), block.keys, block.kinds, details]);
      work += 1 / (details === null ? BLOCKS_PER_YIELD : DETAILED_BLOCKS_PER_YIELD);
      if (work < 1) continue;
      work = 0;
      await yieldToLoop();
    }
  }

  /** The run's first block that begins above `after` (empty: from the start); null at the end. */
  async following(runner: Runner, bulk: number, run: number, after: Buffer): Promise<StagedRows | null> {
    return unpacked(await this.#following.first(runner, [bulk, run, after, 1]));
  }

  /** The run's block that contains `key` or would; null when it would precede all of them. */
  async holding(runner: Runner, bulk: number, run: number, key: Buffer): Promise<StagedRows | null> {
    return unpacked(await this.#holding.first(runner, [bulk, run, key, 1]));
  }

  /** The numbers of the bulk's runs; found by skipping, not by reading every block. */
  async runs(runner: Runner, bulk: number): Promise<number[]> {
    const runs: number[] = [];
    for (;;) {
      const next = await this.#nextRun.first(runner, [bulk, runs.at(-1) ?? 0, 1]);
      if (next === undefined) return runs;
      runs.push(next.run);
    }
  }

  /** Addresses above `after`, up to `last`, that others changed since the bulk was complete. */
  async skips(runner: Runner, bulk: number, after: Buffer, last: Buffer): Promise<Skips> {
    const rows = await this.#skips.all(runner, [bulk, after, last]);
    return new Map(rows.map((row) => [row.ip_address, row.removals_only === 1 ? 'removals' : 'all']));
  }
}

function unpacked(block: StoredBlock | undefined): StagedRows | null {
  return block === undefined ? null : StagedRows.fromStored(block);
}
