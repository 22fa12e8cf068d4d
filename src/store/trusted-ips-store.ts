import { type IpEntry, sortKey } from '../domain/ip.ts';
import { AddressLookup } from './address-lookup.ts';
import { type AuditedChange, AuditRows, auditedTransaction } from './audit-rows.ts';
import type { Database } from './open-database.ts';

export interface TrustedIpRow {
  ip_address: string;
  note: string | null;
  added_at: string;
}

const COLUMNS = ['ip_address', 'note', 'added_at'] as const;

/** The table `trusted_ips`: addresses and networks that are never denied. A list of people's own, so it is short. */
export class TrustedIpsStore {
  readonly #database: Database;
  readonly #lookup: AddressLookup;
  readonly #audit: AuditRows;

  constructor(database: Database) {
    this.#database = database;
    this.#lookup = new AddressLookup(database.read, 'trusted_ips');
    this.#audit = new AuditRows(database.write);
  }

  /** An absent note keeps the old one, null takes it away; `added_at` stays. */
  async put(
    entry: IpEntry,
    note: string | null | undefined,
    now: Date = new Date(),
    audited?: AuditedChange,
  ): Promise<{ created: boolean; row: TrustedIpRow }> {
    const done = await auditedTransaction(this.#database, this.#audit, audited, now, async (transaction) => {
      const existing = await transaction
        .selectFrom('trusted_ips')
        .select(COLUMNS)
        .where('ip_address', '=', entry.text)
        .executeTakeFirst();
      const row: TrustedIpRow = {
        ip_address: entry.text,
        note: note === undefined ? (existing?.note ?? null) : note,
        added_at: existing?.added_at ?? now.toISOString(),
      };
      await transaction
        .insertInto('trusted_ips')
        .values({ ...row, sort_key: sortKey(entry) })
        .onConflict((conflict) => conflict.column('ip_address').doUpdateSet({ note: row.note }))
        .execute();
      return { created: existing === undefined, row };
    });
    return done!;
  }

  /** The row that was there; null when there was none. */
  async remove(entry: IpEntry, now: Date = new Date(), audited?: AuditedChange): Promise<TrustedIpRow | null> {
    return await auditedTransaction(this.#database, this.#audit, audited, now, async (transaction) => {
      const removed = await transaction
        .deleteFrom('trusted_ips')
        .where('ip_address', '=', entry.text)
        .returning(COLUMNS)
        .executeTakeFirst();
      return removed ?? null;
    });
  }

  /** `ip`: canonical text. */
  async get(ip: string): Promise<TrustedIpRow | null> {
    const query = this.#database.read.selectFrom('trusted_ips').select(COLUMNS).where('ip_address', '=', ip);
    return (await query.executeTakeFirst()) ?? null;
  }

  /** In order of addresses. */
  async list(): Promise<TrustedIpRow[]> {
    return await this.#database.read.selectFrom('trusted_ips').select(COLUMNS).orderBy('sort_key').execute();
  }

  /** Trusted networks that contain `entry`, itself left out, narrowest first. */
  async coveringOf(entry: IpEntry): Promise<string[]> {
    return await this.#lookup.coveringOf(entry);
  }

  /** Trusted entries inside `entry`, itself left out, in order of addresses. */
  async insideOf(entry: IpEntry, limit: number): Promise<string[]> {
    return await this.#lookup.insideOf(entry, limit);
  }
}
