/**
 * What can be wrong with the database, in words that name no database product. Every failure of a running database
 * surfaces as a `StoreError`; what prevents its opening is a `DatabaseUnusable`.
 */
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';

export type StoreFailure =
  | 'locked' // another process held the write lock past the busy time-out: waiting helps
  | 'full' // no space left on the disk or in the quota
  | 'io' // the disk or the file system failed; what the last commit did is unknown
  | 'corrupt' // the file is damaged
  | 'replaced' // the file was removed or replaced while it was in use
  | 'unwritable' // the file, its folder or the file system is read-only
  | 'constraint' // the row breaks a rule of the schema: a name that exists, a time in the wrong form
  | 'other';

/** For failures that pass, or that an operator can fix. */
const retryAfterSeconds = 5;

/** Answered with 503 wherever it occurs: a read, an authentication, a reload (docs/errors.md). */
export class StoreError extends ServiceError {
  readonly reason: StoreFailure;

  constructor(reason: StoreFailure, message: string, options: ErrorOptions = {}) {
    const code = reason === 'constraint' ? codes.IntegrityViolated : codes.DatabaseUnusable;
    super(code, 'store', message, {
      ...options,
      ...(reason === 'constraint' || reason === 'corrupt' ? {} : { retryAfterSeconds }),
    });
    this.name = 'StoreError';
    this.reason = reason;
  }
}

export type UnusableReason =
  | 'missing' // no file, or an empty one, where one was expected
  | 'newer-schema' // written by a newer version of the service
  | 'foreign' // a database, but not one of ours
  | 'corrupt'
  | 'unreadable' // permissions, a folder in its place, a broken disk
  | 'locked'
  | 'unsupported'; // an address of a kind this version cannot open

/** The database cannot be used; the message says why and what to do. Nothing was changed. */
export class DatabaseUnusable extends Error {
  readonly reason: UnusableReason;

  constructor(reason: UnusableReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DatabaseUnusable';
    this.reason = reason;
  }
}

/** A page cursor that this service did not issue. */
export class InvalidCursor extends ServiceError {
  constructor() {
    const description = 'this service did not issue the cursor; start again without a cursor';
    super(codes.InvalidCursor, 'read page', description, { fields: [{ name: 'cursor', description }] });
    this.name = 'InvalidCursor';
  }
}
