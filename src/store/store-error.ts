/**
 * What can be wrong with the database, in words that name no database product. Every failure of a running
 * database surfaces as a `StoreError`; what keeps one from being opened at all is a `DatabaseUnusable`.
 */

export type StoreFailure =
  | 'locked' // somebody else held the write lock past the busy timeout: waiting helps
  | 'full' // no space left on the disk or in the quota
  | 'io' // the disk or the file system failed; what the last commit did is unknown
  | 'corrupt' // the file is damaged
  | 'unwritable' // the file, its folder or the file system is read-only
  | 'constraint' // the row breaks a rule of the schema: a name that exists, a time in the wrong form
  | 'other';

export class StoreError extends Error {
  readonly reason: StoreFailure;

  constructor(reason: StoreFailure, message: string, options?: ErrorOptions) {
    super(message, options);
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

/** A page cursor that this service did not hand out. */
export class InvalidCursor extends Error {
  constructor() {
    super('the cursor is not one that this service gave out; start again without a cursor');
    this.name = 'InvalidCursor';
  }
}
