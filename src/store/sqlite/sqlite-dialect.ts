import type SqliteDatabase from 'better-sqlite3';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { LockRetry } from './lock-retry.ts';
import { translateSqliteError } from './sqlite-errors.ts';

/** Statements kept prepared per connection; the service has far fewer. */
const STATEMENT_CACHE_SIZE = 256;

type Statement = SqliteDatabase.Statement<unknown[]>;

interface SqliteDeps {
  readonly database: SqliteDatabase.Database;
  /** For locks of other processes. */
  readonly lockRetry: LockRetry;
  /** Called before a transaction, and before a query outside of one that may write; throws to prevent it. */
  readonly beforeWork: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Kysely's own SQLite driver begins transactions deferred (a later upgrade to a writer fails at once, whatever the busy
 * timeout) and prepares each statement again; this one begins immediate and prepares each text once.
 */
export class ImmediateSqliteDialect implements Dialect {
  readonly #deps: SqliteDeps;

  constructor(deps: SqliteDeps) {
    this.#deps = deps;
  }

  createDriver(): Driver {
    return new ImmediateSqliteDriver(this.#deps);
  }

  createQueryCompiler(): SqliteQueryCompiler {
    return new SqliteQueryCompiler();
  }

  createAdapter(): SqliteAdapter {
    return new SqliteAdapter();
  }

  // biome-ignore lint/suspicious/noExplicitAny: the signature of Kysely's interface
  createIntrospector(db: Kysely<any>): SqliteIntrospector {
    return new SqliteIntrospector(db);
  }
}

class ImmediateSqliteDriver implements Driver {
  readonly #deps: SqliteDeps;
  readonly #connection: SqliteConnection;

  constructor(deps: SqliteDeps) {
    this.#deps = deps;
    this.#connection = new SqliteConnection(deps);
  }

  async init(): Promise<void> {
    // The connection was opened and set up before Kysely got it.
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async beginTransaction(): Promise<void> {
    this.#deps.beforeWork();
    await this.#deps.lockRetry.try(() => this.#connection.run('begin immediate'));
  }

  async commitTransaction(): Promise<void> {
    this.#connection.run('commit');
  }

  async rollbackTransaction(): Promise<void> {
    // After SQLITE_FULL, SQLITE_IOERR and the like SQLite has already rolled back; a second rollback would hide the
    // cause.
    if (this.#deps.database.inTransaction) this.#connection.run('rollback');
  }

  async releaseConnection(): Promise<void> {
    // There is one connection; Kysely's mutex shares it.
  }

  async destroy(): Promise<void> {
    this.#deps.database.close();
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #deps: SqliteDeps;
  readonly #statements = new Map<string, Statement>();

  constructor(deps: SqliteDeps) {
    this.#deps = deps;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    // Inside a transaction the lock is ours, and waiting would keep it from others.
    if (this.#deps.database.inTransaction) return this.#execute(query);
    return await this.#deps.lockRetry.try(() => {
      if (!this.#prepared(query.sql).readonly) this.#deps.beforeWork();
      return this.#execute<R>(query);
    });
  }

  #execute<R>(query: CompiledQuery): QueryResult<R> {
    const statement = this.#prepared(query.sql);
    try {
      if (statement.reader) return { rows: statement.all(query.parameters as unknown[]) as R[] };
      const { changes } = statement.run(query.parameters as unknown[]);
      return { numAffectedRows: BigInt(changes), rows: [] };
    } catch (error) {
      throw this.#failure(error);
    }
  }

  // biome-ignore lint/correctness/useYield: it refuses
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    // An open cursor would hold a snapshot and keep the write-ahead log from shrinking; long reads use key ranges.
    throw new Error('streaming is not supported: read by key ranges');
  }

  /** For statements without parameters and results; no promise. */
  run(text: string): void {
    const statement = this.#prepared(text);
    try {
      statement.run();
    } catch (error) {
      throw this.#failure(error);
    }
  }

  #failure(error: unknown): unknown {
    const failure = translateSqliteError(error);
    this.#deps.failed(failure);
    return failure;
  }

  #prepared(text: string): Statement {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const statement = this.#prepare(text);
    if (this.#statements.size >= STATEMENT_CACHE_SIZE) {
      const oldest = this.#statements.keys().next().value;
      if (oldest !== undefined) this.#statements.delete(oldest);
    }
    this.#statements.set(text, statement);
    return statement;
  }

  #prepare(text: string): Statement {
    try {
      return this.#deps.database.prepare(text);
    } catch (error) {
      throw this.#failure(error);
    }
  }
}
