// Foreign rows: written into `blocked_ips` by an operator with a plain `INSERT INTO blocked_ips(ip_address, blocked_at)
// …`. The text may be anything and there is no sort key; a row counts from the moment at which it has one.

import type { Kysely, Transaction } from 'kysely';
import type { BlockedIp } from '../api/blocked-ips.ts';
import { type IpEntry, parseIp, sortKey } from '../domain/ip.ts';
import { BLOCKED_COLUMNS } from './blocked-rows.ts';
import type { Schema } from './schema.ts';

export interface AdoptedRows {
  readonly adopted: number;
  /** Left as they are, and never enforced. */
  readonly unusable: readonly { readonly ip_address: string; readonly why: string }[];
  /** Where to continue; null: that was all. */
  readonly last: string | null;
}

/** The next `limit` of them in text order, within the caller's transaction. */
export async function adoptForeign(
  transaction: Transaction<Schema>,
  after: string | null,
  limit: number,
  now: string,
): Promise<AdoptedRows> {
  const rows = await transaction
    .selectFrom('blocked_ips')
    .select(BLOCKED_COLUMNS)
    .where('sort_key', 'is', null)
    .$if(after !== null, (query) => query.where('ip_address', '>', after!))
    .orderBy('ip_address')
    .limit(limit)
    .execute();
  const unusable: { ip_address: string; why: string }[] = [];
  for (const row of rows) {
    // A column of type TEXT accepts a blob too.
    const parsed = parseIp(String(row.ip_address));
    if (parsed.ok) await adoptOne(transaction, row, parsed.entry, now);
    else unusable.push({ ip_address: String(row.ip_address), why: parsed.why });
  }
  const last = rows.length < limit ? null : (rows.at(-1)?.ip_address ?? null);
  return { adopted: rows.length - unusable.length, unusable, last };
}

async function adoptOne(transaction: Transaction<Schema>, row: BlockedIp, entry: IpEntry, now: string): Promise<void> {
  const existing = await keyedRow(transaction, entry.text);
  await transaction.deleteFrom('blocked_ips').where('ip_address', '=', row.ip_address).execute();
  if (existing !== undefined) {
    // Already blocked under its canonical spelling: the later expiry wins.
    const ends = [existing.expires_at, row.expires_at];
    const expires_at = ends.includes(null) ? null : (ends.sort().at(-1) ?? null);
    await transaction.updateTable('blocked_ips').set({ expires_at }).where('ip_address', '=', entry.text).execute();
    return;
  }
  const adopted = { ...adoptedRow(row, now), ip_address: entry.text, sort_key: sortKey(entry) };
  await transaction
    .insertInto('blocked_ips')
    .values(adopted)
    // The canonical spelling may exist without a key too: then one of the two is enough.
    .onConflict((conflict) => conflict.column('ip_address').doUpdateSet({ sort_key: adopted.sort_key }))
    .execute();
}

async function keyedRow(db: Kysely<Schema>, text: string): Promise<BlockedIp | undefined> {
  return await db
    .selectFrom('blocked_ips')
    .select(BLOCKED_COLUMNS)
    .where('ip_address', '=', text)
    .where('sort_key', 'is not', null)
    .executeTakeFirst();
}

/** The adopted row, except for its text and key. */
export function adoptedRow(row: BlockedIp, now: string): BlockedIp {
  return { ...row, blocked_at: asTime(row.blocked_at) ?? now };
}

/** Also reads SQLite's `datetime('now')`, `2026-11-20 12:00:00`, in UTC. Null: not a time. */
function asTime(text: string): string | null {
  const bare = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text);
  const time = new Date(bare ? `${text.replace(' ', 'T')}Z` : text);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
