import { type Kysely, sql } from 'kysely';
import { parseIp } from '../../domain/ip.ts';
import type { BulkState } from '../schema.ts';
import { sortStaged } from '../staged-order.ts';
import type { StagedRow } from '../staged-rows.ts';

/** Staged rows are packed from here on. A bulk change that a crash left complete is converted; others are dropped. */
export async function bulkBlocks(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('bulk_blocks')
    .addColumn('bulk', 'integer', (c) => c.notNull())
    .addColumn('run', 'integer', (c) => c.notNull())
    .addColumn('first_key', 'blob', (c) => c.notNull())
    .addColumn('keys', 'blob', (c) => c.notNull())
    .addColumn('kinds', 'blob', (c) => c.notNull())
    .addColumn('details_json', 'text')
    .addPrimaryKeyConstraint('bulk_blocks_key', ['bulk', 'run', 'first_key'])
    .addCheckConstraint('bulk_blocks_keys', sql`length(keys) = 17 * length(kinds)`)
    .execute();
  const both = db as Kysely<Both>;
  await both.deleteFrom('bulk_changes').where('state', 'not in', ['adding', 'removing']).execute();
  const complete = both.selectFrom('bulk_changes').select('id');
  for (const table of ['bulk_staging', 'bulk_skips'] as const) {
    await both.deleteFrom(table).where('bulk', 'not in', complete).execute();
  }
  await takeOver(both);
  await db.schema.dropTable('bulk_staging').execute();
  await forgetKeyOfAnotherText(db);
}

/** A row whose text an operator corrects becomes a foreign row until the next sync gives it its key. */
async function forgetKeyOfAnotherText(db: Kysely<unknown>): Promise<void> {
  await sql`
    create trigger blocked_ips_text_corrected after update of ip_address on blocked_ips
    when new.ip_address is not old.ip_address and new.sort_key is old.sort_key
    begin
      update blocked_ips set sort_key = null where ip_address = new.ip_address;
    end`.execute(db);
}

type Place = Pick<Both['bulk_staging'], 'bulk' | 'run' | 'first_key'>;

interface Both {
  bulk_changes: { id: number; state: BulkState };
  bulk_skips: { bulk: number };
  bulk_staging: { bulk: number; run: number; first_key: Buffer; records_json: string };
  bulk_blocks: {
    bulk: number;
    run: number;
    first_key: Buffer;
    keys: Buffer;
    kinds: Uint8Array;
    details_json: string | null;
  };
}

/**
 * A block was a JSON list of `[key, text, change, endsAt
 * 0, reason
 * null
 * 0, blockedBy]`, truncated after the last value.
 */
type OldRecord = readonly [string, string, string, (string | 0)?, (string | null | 0)?, string?];

async function takeOver(db: Kysely<Both>): Promise<void> {
  for (let after: Place = { bulk: 0, run: 0, first_key: Buffer.alloc(0) }; ; ) {
    const old = await db
      .selectFrom('bulk_staging')
      .selectAll()
      .where(sql<boolean>`(bulk, run, first_key) > (${after.bulk}, ${after.run}, ${after.first_key})`)
      .orderBy('bulk')
      .orderBy('run')
      .orderBy('first_key')
      .limit(1)
      .executeTakeFirst();
    if (old === undefined) return;
    after = old;
    const rows = await sortStaged((JSON.parse(old.records_json) as OldRecord[]).map(toRow));
    const { bulk, run, first_key } = old;
    const { keys, kinds } = rows;
    await db
      .insertInto('bulk_blocks')
      .values({ bulk, run, first_key, keys, kinds, details_json: rows.detailsJson() })
      .execute();
  }
}

function toRow([, text, change, endsAt, reason, blockedBy]: OldRecord): StagedRow {
  const parsed = parseIp(text);
  if (!parsed.ok) throw new Error(`a staged row of an unfinished bulk change cannot be read: ${parsed.why}`);
  const { entry } = parsed;
  if (change === 'remove') return { op: 'remove', entry };
  const said = { reason: reason === 0 ? undefined : reason, blockedBy };
  if (change === 'at' && endsAt) return { op: 'add', entry, ...said, expiry: { kind: 'at', at: endsAt } };
  if (change === 'later-of' && endsAt)
    return { op: 'add', entry, ...said, expiry: { kind: 'later-of', until: endsAt } };
  return { op: 'add', entry, ...said, expiry: { kind: change === 'keep' ? 'keep' : 'permanent' } };
}
