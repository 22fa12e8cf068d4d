import type { AcmeAccountsTable, AcmePausesTable } from './acme-schema.ts';
import type { IssuanceProblem } from './issuance-problem.ts';
import type { Database } from './open-database.ts';

/** An account at the authority of one directory. */
export interface AcmeAccount {
  readonly directory: string;
  /** What its key is sealed for. */
  readonly id: string;
  /** Null: not registered. */
  readonly url: string | null;
  readonly keySealed: Uint8Array;
  readonly publicKeySha256: string;
}

/** What is not asked of an authority before a time: new orders, or anything. */
export type PauseScope = 'orders' | 'requests';

export interface AcmePause {
  readonly directory: string;
  readonly scope: PauseScope;
  readonly until: Date;
  /** In succession, of an authority that cannot be reached. */
  readonly failures: number;
  readonly problem: IssuanceProblem;
}

/** The tables `acme_accounts` and `acme_pauses`. */
export class AcmeAccountsStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async get(directory: string): Promise<AcmeAccount | null> {
    const query = this.#database.read.selectFrom('acme_accounts').selectAll().where('directory', '=', directory);
    const row = await query.executeTakeFirst();
    return row === undefined ? null : toAccount(row);
  }

  /** Before its key is used. One of this directory, whose key is lost, is replaced. */
  async put(account: AcmeAccount, now: Date): Promise<void> {
    const row = {
      id: account.id,
      url: account.url,
      key_sealed: Buffer.from(account.keySealed),
      public_key_sha256: account.publicKeySha256,
      created_at: now.toISOString(),
    };
    await this.#database.write
      .insertInto('acme_accounts')
      .values({ directory: account.directory, ...row })
      .onConflict((conflict) => conflict.column('directory').doUpdateSet(row))
      .execute();
  }

  /** `url` null: the authority does not know it any more. */
  async registered(directory: string, url: string | null): Promise<void> {
    await this.#database.write.updateTable('acme_accounts').set({ url }).where('directory', '=', directory).execute();
  }

  async pauses(): Promise<AcmePause[]> {
    const rows = await this.#database.read.selectFrom('acme_pauses').selectAll().orderBy('until').execute();
    return rows.map((row) => toPause(row));
  }

  /** A longer one stays. */
  async pause({ directory, scope, until, failures, problem }: AcmePause): Promise<void> {
    const row = { until: until.toISOString(), failures, problem_json: JSON.stringify(problem) };
    await this.#database.write
      .insertInto('acme_pauses')
      .values({ directory, scope, ...row })
      .onConflict((conflict) =>
        conflict.columns(['directory', 'scope']).doUpdateSet(row).where('acme_pauses.until', '<', row.until),
      )
      .execute();
  }

  /** One that is over. */
  async endPause(directory: string, scope: PauseScope, now: Date): Promise<void> {
    await this.#database.write
      .deleteFrom('acme_pauses')
      .where('directory', '=', directory)
      .where('scope', '=', scope)
      .where('until', '<=', now.toISOString())
      .execute();
  }
}

function toAccount(row: AcmeAccountsTable): AcmeAccount {
  const { directory, id, url, key_sealed: keySealed, public_key_sha256: publicKeySha256 } = row;
  return { directory, id, url, keySealed, publicKeySha256 };
}

function toPause({ directory, scope, until, failures, problem_json: json }: AcmePausesTable): AcmePause {
  return {
    directory,
    scope: scope as PauseScope,
    until: new Date(until),
    failures,
    problem: JSON.parse(json) as IssuanceProblem,
  };
}
