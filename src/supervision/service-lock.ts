// Two services on one proxy would undo each other's changes, so each locks a file beside the blocked map and one beside
// the master socket. The kernel frees a lock whenever its process dies. SQLite's file lock does exactly this, and is
// already a dependency.
import Database from 'better-sqlite3';
import { holderOf, prepareLockFile } from './lock-file.ts';

export class LockHeld extends Error {
  override readonly name = 'LockHeld';
}

export class ServiceLock {
  readonly #database: Database.Database;

  private constructor(database: Database.Database) {
    this.#database = database;
  }

  /** @throws LockHeld when another process has it, Error when it cannot be created; both name the file */
  static take(path: string, what: string): ServiceLock {
    let database: Database.Database;
    try {
      prepareLockFile(path);
      database = new Database(path, { timeout: 0, fileMustExist: true });
    } catch (error) {
      throw new Error(
        `the lock ${path} cannot be opened: ${(error as Error).message}; remove it if no proxy-manager works on ${what}`,
        { cause: error },
      );
    }
    try {
      database.pragma('journal_mode = DELETE');
      database.exec('BEGIN EXCLUSIVE');
      return new ServiceLock(database);
    } catch (error) {
      database.close();
      if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY') === true) {
        throw new LockHeld(
          `another proxy-manager works on ${what} already (${holderOf(path) ?? 'an unknown process holds it'}: ${path}); two would undo each other's work`,
        );
      }
      throw new Error(`the lock ${path} cannot be taken: ${(error as Error).message}`, { cause: error });
    }
  }

  /** Idempotent. */
  free(): void {
    if (!this.#database.open) return;
    this.#database.exec('ROLLBACK');
    this.#database.close();
  }
}
