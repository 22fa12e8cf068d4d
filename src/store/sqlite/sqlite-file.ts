import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { crashPoint } from '../../faults/crash-point.ts';
import { DatabaseUnusable } from '../store-error.ts';
import { translateSqliteError } from './sqlite-errors.ts';

/** "PxMg": identifies our files among other SQLite files. */
const APPLICATION_ID = 0x50784d67;

interface SqliteFileOptions {
  readonly createIfMissing: boolean;
  readonly timeout: number;
  readonly queryOnly?: boolean;
}

/**
 * Opens one connection and sets it up. Does not wait for locks met later (`LockRetry`). Throws `DatabaseUnusable` or
 * `StoreError`; never replaces a file with content.
 */
export function openSqliteFile(path: string, options: SqliteFileOptions): SqliteDatabase.Database {
  const existed = prepareFile(path, options.createIfMissing);
  crashPoint('database.file-made');
  let connection: SqliteDatabase.Database | undefined;
  try {
    connection = new SqliteDatabase(path, { fileMustExist: true, timeout: options.timeout });
    const empty = connection.pragma('schema_version', { simple: true }) === 0;
    if (empty && existed && !options.createIfMissing) throw missing(path, 'is empty');
    if (!empty) refuseForeign(path, connection);
    configure(connection, options);
    crashPoint('database.configured');
    if (empty) connection.pragma(`application_id = ${APPLICATION_ID}`);
    connection.pragma('busy_timeout = 0');
    return connection;
  } catch (error) {
    connection?.close();
    throw translateSqliteError(error);
  }
}

function configure(connection: SqliteDatabase.Database, options: SqliteFileOptions): void {
  connection.pragma('journal_mode = WAL');
  // Promise 1: what was committed survives a crash of the machine too, so the log is synced at every commit.
  connection.pragma('synchronous = FULL');
  connection.pragma('foreign_keys = ON');
  connection.pragma('temp_store = MEMORY');
  connection.pragma(`cache_size = ${options.queryOnly === true ? -4000 : -16000}`);
  // After a bulk change the log would keep its largest size for ever.
  connection.pragma('journal_size_limit = 67108864');
  if (options.queryOnly === true) connection.pragma('query_only = ON');
}

/** Returns whether the file existed. The mode is set at creation, so that it is never wider for a moment. */
function prepareFile(path: string, createIfMissing: boolean): boolean {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return true;
  if (!createIfMissing) throw missing(path, 'does not exist');
  try {
    const first = mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'wx', 0o600));
    // SQLite syncs the file's own folder, but not the parents created here.
    if (first !== undefined) syncFolders(dirname(dirname(path)), dirname(first));
    return false;
  } catch (error) {
    // Another process created it at the same moment: the same as finding it.
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return true;
    throw new DatabaseUnusable('unreadable', `the database ${path} cannot be created: ${String(error)}`, {
      cause: error,
    });
  }
}

function syncFolders(from: string, to: string): void {
  for (let at = from; ; at = dirname(at)) {
    const folder = openSync(at, 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
    if (at === to || dirname(at) === at) return;
  }
}

function refuseForeign(path: string, connection: SqliteDatabase.Database): void {
  if (connection.pragma('application_id', { simple: true }) === APPLICATION_ID) return;
  throw new DatabaseUnusable(
    'foreign',
    `${path} is a SQLite database of another program; set PROXY_MANAGER_DATABASE_URL to a path of its own`,
  );
}

function missing(path: string, what: string): DatabaseUnusable {
  return new DatabaseUnusable(
    'missing',
    `the database ${path} ${what}, but this instance had one before; nothing was changed. Restore it from a backup, or ` +
      'start once with --accept-empty-database: an empty one takes over what the map files hold',
  );
}
