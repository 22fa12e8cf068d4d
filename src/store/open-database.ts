import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Kysely, sql } from 'kysely';
import { SliceQueue } from '../concurrency/slices.ts';
import { crashPoint } from '../faults/crash-point.ts';
import { ClaimRecount } from './claim-counts.ts';
import { LiveColumns } from './columns/live-columns.ts';
import { databaseFile } from './database-file.ts';
import { migrate } from './migrations.ts';
import type { Schema } from './schema.ts';
import { FileGuard } from './sqlite/file-guard.ts';
import { LockRetry } from './sqlite/lock-retry.ts';
import { ImmediateSqliteDialect } from './sqlite/sqlite-dialect.ts';
import { openSqliteFile } from './sqlite/sqlite-file.ts';
import { DatabaseUnusable, StoreError, type UnusableReason } from './store-error.ts';

interface OpenOptions {
  /** Whether a missing (or empty) database may be created. One that contains data is never recreated. */
  readonly createIfMissing: boolean;
  /** How long to wait for another process's lock, in ms; the process blocks only at the opening. */
  readonly busyTimeoutMs?: number;
}

/**
 * How many addresses are blocked, and how many claims they have beyond the first of each. SQLite counts a million rows in
 * 20 to 50 ms, and each page of the list and each health check needs the number: it is counted at the opening and updated with each commit. That is exact because one
 * service owns the database (it holds a lock); each rewrite of the map file corrects it after changes by other
 * programs.
 */
class BlockedCount {
  #value: number;
  #further: number;
  #commits = 0;

  constructor(counted: { readonly entries: number; readonly further: number }) {
    this.#value = counted.entries;
    this.#further = counted.further;
  }

  get value(): number {
    return this.#value;
  }

  get further(): number {
    return this.#further;
  }

  /** The complete table was read, and nothing was committed since. */
  counted(value: number): void {
    this.#value = value;
  }

  /** Of no use if something is committed meanwhile; then the next one corrects it. */
  async recountFurther(count: () => Promise<number>): Promise<void> {
    const commits = this.#commits;
    const further = await count();
    if (commits === this.#commits) this.#further = further;
  }

  /** Call after the commit, never before it. `further`: how many such claims there are more. */
  committed(net: { readonly added: readonly string[]; readonly removed: readonly string[] }, further: number): void {
    this.#commits += 1;
    this.#value += net.added.length - net.removed.length;
    this.#further += further;
  }
}

/** Runs `work` with a connection of its own, whose reads all see one state of the database. */
type Snapshot = <T>(work: (db: Kysely<Schema>) => Promise<T>) => Promise<T>;

interface Connected {
  readonly db: Kysely<Schema>;
  readonly connection: { close(): void };
}

/** An open database for the stores; private to `store/`. */
export class Database {
  /** The only connection that writes, one transaction at a time. */
  readonly write: Kysely<Schema>;
  /** For lists and lookups, which then never wait for an open transaction. */
  readonly read: Kysely<Schema>;
  readonly blockedCount: BlockedCount;
  /** Of all lists and searches together. */
  readonly turns = new SliceQueue();
  readonly columns: LiveColumns;
  readonly claimRecount: ClaimRecount;
  /** Whether this call created the database. */
  readonly created: boolean;

  readonly #folder: string;
  readonly #close: () => Promise<void>;

  constructor(parts: {
    write: Kysely<Schema>;
    read: Kysely<Schema>;
    snapshot: Snapshot;
    blockedCount: BlockedCount;
    created: boolean;
    folder: string;
    close: () => Promise<void>;
  }) {
    this.write = parts.write;
    this.read = parts.read;
    this.blockedCount = parts.blockedCount;
    this.columns = new LiveColumns({ read: parts.read, write: parts.write, turns: this.turns });
    this.claimRecount = new ClaimRecount({ write: parts.write, snapshot: parts.snapshot, turns: this.turns });
    this.created = parts.created;
    this.#folder = parts.folder;
    this.#close = parts.close;
  }

  /** Waits for no transaction: call it when none is in progress. */
  async close(): Promise<void> {
    await this.columns.close();
    await this.claimRecount.close();
    await this.#close();
  }

  /** On the disk of the database, for this user. Throws `StoreError`. */
  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#folder).catch((cause: Error) => {
      throw new StoreError('io', `the free space of the database's disk cannot be read: ${cause.message}`, { cause });
    });
    return bavail * bsize;
  }

  /** After changes by another process. */
  async recountFurther(): Promise<void> {
    await this.blockedCount.recountFurther(() => countClaims(this.read));
  }

  /** Throws `StoreError` when the database cannot be read. */
  async ping(): Promise<void> {
    await this.read.selectFrom('instance').select('generation').execute();
  }

  /**
   * For `/health`: writes one page, synced like any other, since reads do not notice a full or read-only disk. Throws
   * `StoreError`.
   */
  async probe(): Promise<void> {
    await this.ping();
    await this.write.transaction().execute(async (transaction) => {
      // Always another number: SQLite does not write an unchanged page.
      const { numUpdatedRows } = await transaction
        .updateTable('health_probe')
        .set((eb) => ({ probes: eb('probes', '+', 1) }))
        .executeTakeFirst();
      if (numUpdatedRows !== 1n) throw new StoreError('corrupt', 'the database has lost the row of its health probe');
    });
  }
}

/**
 * Opens `sqlite:<path>`, creating the folder (mode 700) and the file (mode 600) if allowed, and migrates. Throws
 * `DatabaseUnusable` with a reason and what to do; then nothing was changed.
 */
export async function openDatabase(url: string, options: OpenOptions): Promise<Database> {
  const path = databaseFile(url);
  const timeout = options.busyTimeoutMs ?? 1000;
  const open: Connected[] = [];
  let guard: FileGuard | null = null;
  /** Once set, nothing more is written: what SQLite writes into a damaged file may be lost. */
  let damage: StoreError | null = null;
  const connect = (createIfMissing: boolean, queryOnly: boolean): Connected => {
    const connection = openSqliteFile(path, { createIfMissing, timeout, queryOnly });
    const dialect = new ImmediateSqliteDialect({
      database: connection,
      lockRetry: new LockRetry(timeout),
      // Reads continue with the open file: it contains everything acknowledged.
      beforeWork: queryOnly
        ? () => undefined
        : () => {
            if (damage !== null) throw damage;
            guard?.check();
          },
      failed: (error) => {
        damage ??= damageIn(error);
      },
    });
    return { db: new Kysely<Schema>({ dialect }), connection };
  };
  const keep = (connected: Connected): Kysely<Schema> => {
    open.push(connected);
    return connected.db;
  };
  const close = async () => {
    for (const connected of open) await disconnect(connected);
  };
  const snapshot: Snapshot = async (work) => {
    const connected = connect(false, true);
    try {
      // It was opened just now: perhaps another file.
      guard?.check();
      await sql`begin`.execute(connected.db);
      return await work(connected.db);
    } finally {
      await disconnect(connected);
    }
  };
  try {
    const write = keep(connect(options.createIfMissing, false));
    await refuseDamage(write);
    const { created } = await migrate(write);
    crashPoint('migration.committed');
    const { total } = await write
      .selectFrom('blocked_ips')
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .where('sort_key', 'is not', null)
      .executeTakeFirstOrThrow();
    const further = await countClaims(write);
    const read = keep(connect(false, true));
    guard = new FileGuard(path);
    return new Database({
      write,
      read,
      snapshot,
      blockedCount: new BlockedCount({ entries: total, further }),
      created,
      folder: dirname(path),
      close,
    });
  } catch (error) {
    await close();
    throw unusable(path, error);
  }
}

async function disconnect({ db, connection }: Connected): Promise<void> {
  await db.destroy();
  // Kysely closes only connections that were used.
  connection.close();
}

async function countClaims(db: Kysely<Schema>): Promise<number> {
  const query = db.selectFrom('claims').select((eb) => eb.fn.countAll<number>().as('claims'));
  return (await query.executeTakeFirstOrThrow()).claims;
}

const wayBack =
  'restore it from a backup (and remove its -wal and -shm files), or move all three files away and start with --accept-empty-database';

/**
 * Damage shows only where it is read, and lists do not read rows that are looked up singly. A second at a million rows;
 * comparing rows with indexes would take several.
 */
async function refuseDamage(db: Kysely<Schema>): Promise<void> {
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(db);
  const found = rows[0]?.quick_check;
  if (found !== 'ok') throw new StoreError('corrupt', `the database file is damaged (${found})`);
}

function damageIn(error: unknown): StoreError | null {
  if (!(error instanceof StoreError) || error.reason !== 'corrupt') return null;
  const text = `${error.message}; the service writes nothing more to it: stop the service, then ${wayBack}`;
  return new StoreError('corrupt', text, { cause: error });
}

const UNUSABLE: Partial<Record<StoreError['reason'], readonly [UnusableReason, string]>> = {
  corrupt: ['corrupt', `nothing was changed; ${wayBack}`],
  locked: ['locked', 'another process holds its lock; stop that process and start again'],
  unwritable: ['unreadable', 'the file and its folder must be writable for the user of the service'],
  io: ['unreadable', 'check the disk and the permissions of the file and its folder'],
  full: ['unreadable', 'make room on the disk'],
};

function unusable(path: string, error: unknown): unknown {
  if (!(error instanceof StoreError)) return error;
  const [reason, advice] = UNUSABLE[error.reason] ?? ['unreadable' as const, 'see the cause'];
  return new DatabaseUnusable(reason, `the database ${path} cannot be used: ${error.message}; ${advice}`, {
    cause: error,
  });
}
