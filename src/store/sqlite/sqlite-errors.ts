import SqliteDatabase from 'better-sqlite3';
import { StoreError, type StoreFailure } from '../store-error.ts';

/** SQLite's primary result codes, https://sqlite.org/rescode.html; extended codes begin with these. */
const REASONS: readonly (readonly [code: string, reason: StoreFailure, meaning: string])[] = [
  ['SQLITE_BUSY', 'locked', 'another process holds the lock of the database'],
  ['SQLITE_LOCKED', 'locked', 'the database is locked'],
  ['SQLITE_FULL', 'full', 'no space is left for the database'],
  ['SQLITE_IOERR', 'io', 'reading or writing the database failed'],
  ['SQLITE_CANTOPEN', 'io', 'a file of the database cannot be opened'],
  ['SQLITE_CORRUPT', 'corrupt', 'the database file is damaged'],
  ['SQLITE_NOTADB', 'corrupt', 'the file is not a database'],
  ['SQLITE_READONLY', 'unwritable', 'the database cannot be written'],
  ['SQLITE_PERM', 'unwritable', 'access to the database is denied'],
  ['SQLITE_CONSTRAINT', 'constraint', 'the row breaks a rule of the schema'],
];

/** Converts SQLite's failures into the store's; returns any other error unchanged. */
export function translateSqliteError(error: unknown): unknown {
  if (!(error instanceof SqliteDatabase.SqliteError)) return error;
  const code = error.code;
  const known = REASONS.find(([prefix]) => code === prefix || code.startsWith(`${prefix}_`));
  const [, reason, meaning] = known ?? [code, 'other' as const, 'the database failed'];
  return new StoreError(reason, `${meaning} (${code}: ${error.message})`, { cause: error });
}
