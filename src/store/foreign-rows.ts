// Foreign rows: written into `blocked_ips` by an operator with a plain `INSERT INTO blocked_ips(ip_address, blocked_at)
// …`. The text may be anything and there is no sort key; a row counts from the moment at which it has one.

import { type Kysely, sql, type Transaction } from 'kysely';
import type { BlockedIp } from '../api/blocked-entries.ts';
import { type IpEntry, parseIp, sortKey } from '../domain/ip.ts';
import type { BlockedAddition } from './blocked-changes.ts';
import { BLOCKED_COLUMNS, type BlockedRows } from './blocked-rows.ts';
import { type ClaimRows, noLists } from './claim-rows.ts';
import { applyChange, type Claimed, carried, furtherClaims, MANUAL } from './claims.ts';
import type { Schema } from './schema.ts';

export interface AdoptedRows {
  readonly adopted: number;
  /** Left as they are, and never enforced. */
  readonly unusable: readonly { readonly ip_address: string; readonly why: string }[];
  /** Where to continue; null: that was all. */
  readonly last: string | null;
}

interface AdoptedPiece extends AdoptedRows {
  /** How many claims beyond the first of each address there are more. */
  readonly further: number;
}

interface Adoption {
  readonly rows: BlockedRows;
  readonly claims: ClaimRows;
  readonly now: string;
}

/** The next `limit` of them in text order, within the caller's transaction. */
export async function adoptForeign(
  transaction: Transaction<Schema>,
  after: string | null,
  limit: number,
  adoption: Adoption,
): Promise<AdoptedPiece> {
  const rows = await transaction
    .selectFrom('blocked_ips')
    .select(BLOCKED_COLUMNS)
    .where('sort_key', 'is', null)
    .$if(after !== null, (query) => query.where('ip_address', '>', after!))
    .orderBy('ip_address')
    .limit(limit)
    .execute();
  const unusable: { ip_address: string; why: string }[] = [];
  let further = 0;
  for (const row of rows) {
    // A column of type TEXT accepts a blob too.
    const parsed = parseIp(String(row.ip_address));
    if (parsed.ok) further += await adoptOne(transaction, row, parsed.entry, adoption);
    else unusable.push({ ip_address: String(row.ip_address), why: parsed.why });
  }
  const last = rows.length < limit ? null : (rows.at(-1)?.ip_address ?? null);
  return { adopted: rows.length - unusable.length, further, unusable, last };
}

/** Returns how many claims beyond the first the address has more. */
async function adoptOne(
  transaction: Transaction<Schema>,
  row: BlockedIp,
  entry: IpEntry,
  { rows, claims, now }: Adoption,
): Promise<number> {
  const existing = await keyedRow(transaction, entry.text);
  await transaction.deleteFrom('blocked_ips').where('ip_address', '=', row.ip_address).execute();
  if (existing !== undefined) {
    const before = (await claims.all(transaction, new Map([[entry.text, existing]]))).get(entry.text)!;
    const { after } = applyChange(before, claimOf(row, entry, before), now, noLists);
    if (after === null || after === before) return 0;
    await rows.write(transaction, { inserts: [], updates: [carried(after)], deletes: [] });
    await claims.write(transaction, [{ key: sortKey(entry), before, after }]);
    return furtherClaims(after) - furtherClaims(before);
  }
  const key = sortKey(entry);
  const own = { ...adoptedRow(row, now), ip_address: entry.text };
  // The canonical spelling may exist without a key too: then one of the two is enough.
  await sql`insert into blocked_ips (ip_address, reason, blocked_by, blocked_at, expires_at)
    values (${own.ip_address}, ${own.reason}, ${own.blocked_by}, ${own.blocked_at}, ${own.expires_at})
    on conflict (ip_address) do nothing`.execute(transaction);
  // A row counts from the moment at which it has a key.
  await transaction.updateTable('blocked_ips').set({ sort_key: key }).where('ip_address', '=', entry.text).execute();
  const { claimed: after, left } = await claims.withLeftOver(transaction, key, own);
  if (left === 0) return 0;
  await claims.forget(transaction, [key]);
  await rows.write(transaction, { inserts: [], updates: [carried(after)], deletes: [] });
  await claims.write(transaction, [{ key, before: null, after }]);
  // Those that it had were counted with the row that it replaced.
  return furtherClaims(after) - left;
}

/** Already blocked under its canonical spelling: a claim of `manual`; of two ends the later wins. */
function claimOf(row: BlockedIp, entry: IpEntry, { claims }: Claimed): BlockedAddition {
  const { expires_at: until } = row;
  const known = claims.some(({ source }) => source === MANUAL);
  return {
    op: 'add',
    entry,
    expiry: until === null ? { kind: 'permanent' } : { kind: 'later-of', until },
    ...(!known && { reason: row.reason, blockedBy: row.blocked_by ?? undefined }),
  };
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
