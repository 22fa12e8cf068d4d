// Only the columns that the contract demands (no sort key, no second index, no staging), as durable as the service's.
import Database from 'better-sqlite3';
import { time } from './clock.ts';

const expiresNever = null;
const by = 'bench';

export class RawDatabase {
  readonly #database: Database.Database;
  readonly #insert: Database.Statement;
  readonly #remove: Database.Statement;
  readonly #claim: Database.Statement;

  constructor(path: string) {
    this.#database = new Database(path);
    this.#database.pragma('journal_mode = WAL');
    this.#database.pragma('synchronous = FULL');
    this.#database.exec(
      `CREATE TABLE blocked_ips (ip_address TEXT PRIMARY KEY NOT NULL, reason TEXT, blocked_by TEXT,
        blocked_at TEXT NOT NULL, expires_at TEXT) WITHOUT ROWID`,
    );
    this.#database.exec(
      `CREATE TABLE claims (ip_address TEXT NOT NULL, source INTEGER NOT NULL, reason TEXT, blocked_by TEXT,
        claimed_at TEXT NOT NULL, expires_at TEXT, PRIMARY KEY (ip_address, source)) WITHOUT ROWID`,
    );
    this.#insert = this.#database.prepare('INSERT OR REPLACE INTO blocked_ips VALUES (?, ?, ?, ?, ?)');
    this.#remove = this.#database.prepare('DELETE FROM blocked_ips WHERE ip_address = ?');
    this.#claim = this.#database.prepare('INSERT OR REPLACE INTO claims VALUES (?, 2, ?, ?, ?, ?)');
  }

  /** One committed and synced row. */
  insert(ip: string): void {
    this.#insert.run(ip, null, by, new Date().toISOString(), expiresNever);
  }

  remove(ip: string): void {
    this.#remove.run(ip);
  }

  /** One transaction; all lists in index order. `claims`: of a second source, to addresses of the first. Milliseconds. */
  change(removals: readonly string[], additions: readonly string[], claims: readonly string[] = []): number {
    const at = new Date().toISOString();
    return time(() => {
      this.#database.exec('BEGIN IMMEDIATE');
      for (const ip of removals) this.#remove.run(ip);
      for (const ip of additions) this.#insert.run(ip, null, by, at, expiresNever);
      for (const ip of claims) this.#claim.run(ip, null, by, at, expiresNever);
      this.#database.exec('COMMIT');
    });
  }

  /** Every address once, in storage order. Milliseconds. */
  readTable(): number {
    return time(() => {
      const addresses = this.#database.prepare('SELECT ip_address FROM blocked_ips').pluck();
      for (const _ of addresses.iterate());
    });
  }

  /** The rows are read but not used. */
  page(sql: string): Database.Statement {
    return this.#database.prepare(sql);
  }

  close(): void {
    this.#database.close();
  }
}
