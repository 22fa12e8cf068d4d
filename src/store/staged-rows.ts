import type { Kysely } from 'kysely';
import { sortKey } from '../domain/ip.ts';
import type { BlockedAddition, BlockedChange, ExpiryChange } from './blocked-changes.ts';
import { breathe, PreparedQuery, type Runner } from './prepared-query.ts';
import type { Schema } from './schema.ts';
import { StoreError } from './store-error.ts';

/** A change of a bulk. The same address again in one bulk: the last counts. */
export type StagedRow = Exclude<BlockedChange, { op: 'expire' }>;

/**
 * One staged row. Trailing fields that say nothing are left out; a reason of 0 was not given (null takes the old one
 * away). `key`: the sort key in hexadecimal, whose text order is the order of addresses.
 */
export type StagedRecord = readonly [
  key: string,
  text: string,
  change: ExpiryChange['kind'] | 'remove',
  endsAt?: string | 0,
  reason?: string | null | 0,
  blockedBy?: string,
];

/** Records in one row. A merge holds one block of every run in memory. */
const BLOCK = 64;
const BLOCKS_PER_BREATH = 32;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The rows of one call, in order of addresses, each address once. Throws `StoreError` for a time in another form. */
export function sortStaged(rows: readonly StagedRow[]): StagedRecord[] {
  const last = new Map<string, StagedRow>();
  for (const row of rows) last.set(row.entry.text, row);
  const records: StagedRecord[] = [];
  let sorted = true;
  let previous = '';
  for (const row of last.values()) {
    const record = toRecord(row);
    if (record[0] <= previous) sorted = false;
    previous = record[0];
    records.push(record);
  }
  return sorted ? records : records.sort((a, b) => (a[0] < b[0] ? -1 : 1));
}

/** What a record adds. `entry` holds the text alone, which is all that applying it needs. */
export function toAddition([, text, change, endsAt, reason, blockedBy]: StagedRecord): BlockedAddition {
  return {
    op: 'add',
    entry: { text } as BlockedAddition['entry'],
    reason: reason === 0 ? undefined : reason,
    blockedBy,
    expiry: toExpiry(change, endsAt),
  };
}

function toRecord(row: StagedRow): StagedRecord {
  const key = sortKey(row.entry).toString('hex');
  const text = row.entry.text;
  if (row.op === 'remove') return [key, text, 'remove'];
  const endsAt = checkedTime(row);
  const { kind } = row.expiry;
  if (row.blockedBy !== undefined)
    return [key, text, kind, endsAt, row.reason === undefined ? 0 : row.reason, row.blockedBy];
  if (row.reason !== undefined) return [key, text, kind, endsAt, row.reason];
  return endsAt === 0 ? [key, text, kind] : [key, text, kind, endsAt];
}

/** Checked here, for the schema sees only the block. */
function checkedTime(row: BlockedAddition): string | 0 {
  const { expiry } = row;
  if (expiry.kind !== 'at' && expiry.kind !== 'later-of') return 0;
  const time = expiry.kind === 'at' ? expiry.at : expiry.until;
  if (TIME.test(time)) return time;
  throw new StoreError('constraint', `${row.entry.text} is to end at ${time}, which is not a UTC time in milliseconds`);
}

function toExpiry(kind: StagedRecord[2], endsAt: StagedRecord[3]): ExpiryChange {
  if (kind === 'permanent' || kind === 'keep') return { kind };
  if (kind === 'at' && endsAt) return { kind, at: endsAt };
  if (kind === 'later-of' && endsAt) return { kind, until: endsAt };
  throw new StoreError('corrupt', `a staged row says ${kind} and ends at ${String(endsAt)}`);
}

/** Writes and reads blocks, with statements compiled once. */
export class StagedBlocks {
  readonly #insert: PreparedQuery<unknown>;
  readonly #following: PreparedQuery<{ records_json: string }>;
  readonly #holding: PreparedQuery<{ records_json: string }>;
  readonly #nextRun: PreparedQuery<{ run: number }>;
  readonly #skips: PreparedQuery<{ ip_address: string }>;

  constructor(db: Kysely<Schema>) {
    const key = Buffer.alloc(0);
    const block = { bulk: 0, run: 0, first_key: key, records_json: '' };
    this.#insert = new PreparedQuery(db.insertInto('bulk_staging').values(block).compile());
    const ofBulk = db.selectFrom('bulk_staging').where('bulk', '=', 0);
    const ofRun = ofBulk.where('run', '=', 0).select('records_json').limit(1);
    this.#following = new PreparedQuery(ofRun.where('first_key', '>', key).orderBy('first_key').compile());
    this.#holding = new PreparedQuery(ofRun.where('first_key', '<=', key).orderBy('first_key', 'desc').compile());
    this.#nextRun = new PreparedQuery(ofBulk.select('run').where('run', '>', 0).orderBy('run').limit(1).compile());
    this.#skips = new PreparedQuery(
      db
        .selectFrom('bulk_skips')
        .select('ip_address')
        .where('bulk', '=', 0)
        .where('sort_key', '>', key)
        .where('sort_key', '<=', key)
        .compile(),
    );
  }

  /** `records` in order of addresses, behind what the run holds. */
  async write(runner: Runner, bulk: number, run: number, records: readonly StagedRecord[]): Promise<void> {
    for (let start = 0, count = 1; start < records.length; start += BLOCK, count++) {
      const block = records.slice(start, start + BLOCK);
      await this.#insert.write(runner, [bulk, run, Buffer.from(block[0]![0], 'hex'), JSON.stringify(block)]);
      if (count % BLOCKS_PER_BREATH === 0) await breathe();
    }
  }

  /** The run's first block that begins above `after` (hexadecimal; empty: from the start); empty at the end. */
  async following(runner: Runner, bulk: number, run: number, after: string): Promise<StagedRecord[]> {
    return parse(await this.#following.first(runner, [bulk, run, Buffer.from(after, 'hex'), 1]));
  }

  /** The run's block in which `key` is or would be; empty when it would stand before all of them. */
  async holding(runner: Runner, bulk: number, run: number, key: string): Promise<StagedRecord[]> {
    return parse(await this.#holding.first(runner, [bulk, run, Buffer.from(key, 'hex'), 1]));
  }

  /** The numbers of the bulk's runs; found by leaps, not by reading every block. */
  async runs(runner: Runner, bulk: number): Promise<number[]> {
    const runs: number[] = [];
    for (;;) {
      const next = await this.#nextRun.first(runner, [bulk, runs.at(-1) ?? 0, 1]);
      if (next === undefined) return runs;
      runs.push(next.run);
    }
  }

  /** Addresses above `after`, up to `last`, that others changed since the bulk was complete. */
  async skips(runner: Runner, bulk: number, after: Buffer, last: Buffer): Promise<Set<string>> {
    const rows = await this.#skips.all(runner, [bulk, after, last]);
    return new Set(rows.map((row) => row.ip_address));
  }
}

function parse(block: { records_json: string } | undefined): StagedRecord[] {
  return block === undefined ? [] : (JSON.parse(block.records_json) as StagedRecord[]);
}
