import { Kysely } from 'kysely';
import { crashPoint } from '../faults/crash-point.ts';
import { BlockedCount } from './blocked-count.ts';
import { migrate } from './migrations.ts';
import type { Schema } from './schema.ts';
import { ImmediateSqliteDialect } from './sqlite/sqlite-dialect.ts';
import { openSqliteFile } from './sqlite/sqlite-file.ts';
import { DatabaseUnusable, StoreError, type UnusableReason } from './store-error.ts';

export interface OpenOptions {
  /** Whether a missing (or empty) database may be created. Nothing that holds data is ever recreated. */
  readonly createIfMissing: boolean;
  /** How long, in milliseconds, a lock of another process is waited for; the process stands still meanwhile. */
  readonly busyTimeoutMs?: number;
}

/** An open database: what the stores are made of. Nothing outside `store/` looks inside. */
export class Database {
  /** The only connection that writes; its transactions take turns. */
  readonly write: Kysely<Schema>;
  /** For lists and look-ups, which then never wait for a transaction that is open. */
  readonly read: Kysely<Schema>;
  readonly blockedCount: BlockedCount;
  /** Whether this call made the database. */
  readonly created: boolean;

  readonly #close: () => Promise<void>;

  constructor(parts: {
    write: Kysely<Schema>;
    read: Kysely<Schema>;
    blockedCount: BlockedCount;
    created: boolean;
    close: () => Promise<void>;
  }) {
    this.write = parts.write;
    this.read = parts.read;
    this.blockedCount = parts.blockedCount;
    this.created = parts.created;
    this.#close = parts.close;
  }

  /** Waits for no transaction: to be called when nothing is under way any more. */
  async close(): Promise<void> {
    await this.#close();
  }

  /** Throws `StoreError` when the database does not answer. For `/health`. */
  async ping(): Promise<void> {
    await this.read.selectFrom('instance').select('generation').execute();
  }
}

/**
 * Opens `sqlite:<path>`, creating the folder (mode 700) and the file (mode 600) where that is allowed, and migrates.
 * Throws `DatabaseUnusable` with a reason and what to do; then nothing was changed.
 */
export async function openDatabase(url: string, options: OpenOptions): Promise<Database> {
  const path = sqlitePath(url);
  const timeout = options.busyTimeoutMs ?? 1000;
  const open: { db: Kysely<Schema>; connection: { close(): void } }[] = [];
  const connect = (createIfMissing: boolean, queryOnly: boolean): Kysely<Schema> => {
    const connection = openSqliteFile(path, { createIfMissing, timeout, queryOnly });
    const db = new Kysely<Schema>({ dialect: new ImmediateSqliteDialect(connection) });
    open.push({ db, connection });
    return db;
  };
  const close = async () => {
    for (const { db, connection } of open) {
      await db.destroy();
      // Kysely closes only what it was once asked something.
      connection.close();
    }
  };
  try {
    const write = connect(options.createIfMissing, false);
    const { created } = await migrate(write);
    crashPoint('migration.committed');
    const { total } = await write
      .selectFrom('blocked_ips')
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .where('sort_key', 'is not', null)
      .executeTakeFirstOrThrow();
    const read = connect(false, true);
    return new Database({ write, read, blockedCount: new BlockedCount(total), created, close });
  } catch (error) {
    await close();
    throw unusable(path, error);
  }
}

function sqlitePath(url: string): string {
  const path = url.startsWith('sqlite:') ? url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '') : '';
  if (path !== '') return path;
  throw new DatabaseUnusable(
    'unsupported',
    'the database URL must be sqlite:<path>, such as sqlite:/var/lib/proxy-manager/proxy-manager.sqlite',
  );
}

const UNUSABLE: Partial<Record<StoreError['reason'], readonly [UnusableReason, string]>> = {
  corrupt: [
    'corrupt',
    'it was left as it is; restore it from a backup, or move it away and start with --accept-empty-database',
  ],
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
