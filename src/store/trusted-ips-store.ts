import type { Kysely } from 'kysely';
import type { TrustedIp } from '../api/trusted-ips.ts';
import { type IpEntry, sortKey } from '../domain/ip.ts';
import { AddressLookup } from './address-lookup.ts';
import { type AuditedChange, AuditRows, auditedTransaction } from './audit-rows.ts';
import type { Database } from './open-database.ts';
import type { Schema } from './schema.ts';

export type TrustExpiry =
  /** Unchanged; permanent for a new entry. */
  | { readonly kind: 'keep' }
  | { readonly kind: 'permanent' }
  /** `expires_at`: stored as given. */
  | { readonly kind: 'at'; readonly at: Date }
  /** `duration_seconds`: the later expiry wins, and permanent stays permanent. */
  | { readonly kind: 'duration'; readonly seconds: number };

const COLUMNS = ['ip_address', 'note', 'added_at', 'expires_at'] as const;

/** The table `trusted_ips`: addresses and networks that are never denied. Maintained by hand, so it is short. */
export class TrustedIpsStore {
  readonly #database: Database;
  readonly #lookup: AddressLookup;
  readonly #audit: AuditRows;

  constructor(database: Database) {
    this.#database = database;
    this.#lookup = new AddressLookup(database.read, 'trusted_ips');
    this.#audit = new AuditRows(database.write);
  }

  /** An absent note keeps the old one, null removes it; `added_at` stays. An expired entry counts as absent. */
  async put(
    entry: IpEntry,
    change: { readonly note?: string | null | undefined; readonly expiry: TrustExpiry },
    now: Date,
    audited?: AuditedChange,
  ): Promise<{ created: boolean; row: TrustedIp }> {
    const done = await auditedTransaction(this.#database, this.#audit, audited, now, async (transaction) => {
      const stored = await transaction
        .selectFrom('trusted_ips')
        .select(COLUMNS)
        .where('ip_address', '=', entry.text)
        .executeTakeFirst();
      const existing = stored !== undefined && !hasExpired(stored, now) ? stored : null;
      const row: TrustedIp = {
        ip_address: entry.text,
        note: change.note === undefined ? (existing?.note ?? null) : change.note,
        added_at: existing?.added_at ?? now.toISOString(),
        expires_at: endAfter(existing, change.expiry, now),
      };
      await this.#write(transaction, entry, row);
      return { created: existing === null, row };
    });
    return done!;
  }

  /** Restores the row exactly, whatever is stored now: for a rollback. */
  async putBack(entry: IpEntry, row: TrustedIp): Promise<void> {
    await this.#write(this.#database.write, entry, row);
  }

  /** Null: there was none. */
  async remove(entry: IpEntry, now: Date, audited?: AuditedChange): Promise<TrustedIp | null> {
    return await auditedTransaction(this.#database, this.#audit, audited, now, async (transaction) => {
      const removed = await transaction
        .deleteFrom('trusted_ips')
        .where('ip_address', '=', entry.text)
        .returning(COLUMNS)
        .executeTakeFirst();
      return removed ?? null;
    });
  }

  /** Null, and nothing is changed, if it is absent, permanent or was extended. */
  async removeExpired(entry: IpEntry, now: Date, audited?: AuditedChange): Promise<TrustedIp | null> {
    return await auditedTransaction(this.#database, this.#audit, audited, now, async (transaction) => {
      const removed = await transaction
        .deleteFrom('trusted_ips')
        .where('ip_address', '=', entry.text)
        .where('expires_at', '<=', now.toISOString())
        .returning(COLUMNS)
        .executeTakeFirst();
      return removed ?? null;
    });
  }

  /** Null, and nothing is changed, if it is absent or permanent. */
  async removeTemporary(entry: IpEntry, now: Date, audited?: AuditedChange): Promise<TrustedIp | null> {
    return await auditedTransaction(this.#database, this.#audit, audited, now, async (transaction) => {
      const removed = await transaction
        .deleteFrom('trusted_ips')
        .where('ip_address', '=', entry.text)
        .where('expires_at', 'is not', null)
        .returning(COLUMNS)
        .executeTakeFirst();
      return removed ?? null;
    });
  }

  /** Entries that have expired by `now`, the earliest first. */
  async expiredBefore(now: Date, limit: number): Promise<string[]> {
    const query = this.#database.read
      .selectFrom('trusted_ips')
      .select('ip_address')
      .where('expires_at', 'is not', null)
      .where('expires_at', '<=', now.toISOString())
      .orderBy('expires_at')
      .limit(limit);
    return (await query.execute()).map((row) => row.ip_address);
  }

  async get(ip: string): Promise<TrustedIp | null> {
    const query = this.#database.read.selectFrom('trusted_ips').select(COLUMNS).where('ip_address', '=', ip);
    return (await query.executeTakeFirst()) ?? null;
  }

  /** In address order. */
  async list(): Promise<TrustedIp[]> {
    return await this.#database.read.selectFrom('trusted_ips').select(COLUMNS).orderBy('sort_key').execute();
  }

  /** Trusted networks that contain `entry`, without itself, narrowest first. */
  async coveringOf(entry: IpEntry): Promise<string[]> {
    return await this.#lookup.coveringOf(entry);
  }

  /** Trusted entries inside `entry`, without itself, in address order. */
  async insideOf(entry: IpEntry, limit: number): Promise<string[]> {
    return await this.#lookup.insideOf(entry, limit);
  }

  async #write(runner: Kysely<Schema>, entry: IpEntry, row: TrustedIp): Promise<void> {
    const { ip_address: _, ...columns } = row;
    await runner
      .insertInto('trusted_ips')
      .values({ ...row, sort_key: sortKey(entry) })
      .onConflict((conflict) => conflict.column('ip_address').doUpdateSet(columns))
      .execute();
  }
}

/** An expired entry stays until the next check for such entries. */
export function hasExpired({ expires_at: end }: TrustedIp, now: Date): boolean {
  return end !== null && end <= now.toISOString();
}

function endAfter(existing: TrustedIp | null, expiry: TrustExpiry, now: Date): string | null {
  switch (expiry.kind) {
    case 'keep':
      return existing?.expires_at ?? null;
    case 'permanent':
      return null;
    case 'at':
      return expiry.at.toISOString();
    case 'duration': {
      if (existing !== null && existing.expires_at === null) return null;
      const end = new Date(now.getTime() + expiry.seconds * 1000).toISOString();
      return existing?.expires_at != null && existing.expires_at > end ? existing.expires_at : end;
    }
  }
}
