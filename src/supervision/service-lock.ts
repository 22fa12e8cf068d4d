// Two services on one proxy would undo each other's work. A lock on a file beside the blocked map, and one beside the
// master socket; the kernel frees it when the process dies, however it dies. SQLite's own file lock does this exactly
// and is here already.
import { accessSync, chmodSync, closeSync, constants, lstatSync, openSync } from 'node:fs';
import { getuid } from 'node:process';
import Database from 'better-sqlite3';

export class ServiceLock {
  readonly #database: Database.Database;

  private constructor(database: Database.Database) {
    this.#database = database;
  }

  /** @throws Error that names the file when another process holds it, or it cannot be made */
  static take(path: string, what: string): ServiceLock {
    let database: Database.Database;
    try {
      prepareFile(path);
      database = new Database(path, { timeout: 0, fileMustExist: true });
    } catch (error) {
      throw new Error(`the lock ${path} cannot be opened: ${(error as Error).message}`, { cause: error });
    }
    try {
      database.pragma('journal_mode = DELETE');
      database.exec('BEGIN EXCLUSIVE');
      return new ServiceLock(database);
    } catch (error) {
      database.close();
      const busy = (error as { code?: string }).code?.startsWith('SQLITE_BUSY') === true;
      throw new Error(
        busy
          ? `another proxy-manager works on ${what} already (it holds ${path}); two would undo each other's work`
          : `the lock ${path} cannot be taken: ${(error as Error).message}`,
        { cause: error },
      );
    }
  }

  free(): void {
    this.#database.exec('ROLLBACK');
    this.#database.close();
  }
}

/**
 * Makes the file for us alone, or finds the one that we made. Its folder may be everybody's (the master socket's default
 * is), so another user may have made it first: as a link to a file that SQLite would then write to, with a journal that
 * it would roll back, or to hold the lock for ever. Whoever may read a lock file can hold its lock, hence mode 600.
 */
function prepareFile(path: string): void {
  for (const suffix of ['-journal', '-wal', '-shm']) ownFileAt(`${path}${suffix}`);
  if (ownFileAt(path)) return;
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    // Another process of ours made it in the same moment, or somebody else did.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !ownFileAt(path)) throw error;
  }
}

/**
 * Whether there is one. Nothing is opened: closing a descriptor would free a lock that this process holds on the file.
 * @throws Error when it is not a file of ours
 */
function ownFileAt(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false;
  const ownUid = getuid?.() ?? 0;
  const mend = `; look who made it, and remove it: rm ${path}`;
  if (!found.isFile() || found.nlink > 1)
    throw new Error(`it is not a file of its own, but a link or something else${mend}`);
  if (found.uid !== ownUid && found.uid !== 0)
    throw new Error(`it belongs to user ${found.uid}, not to user ${ownUid}${mend}`);
  if (found.uid !== ownUid) accessSync(path, constants.R_OK | constants.W_OK);
  else if ((found.mode & 0o077) !== 0) chmodSync(path, 0o600);
  return true;
}
