import type { SiteHoursTable } from './insight-schema.ts';
import type { Database } from './open-database.ts';
import { RowsWriter } from './row-blocks.ts';

export type SiteHour = SiteHoursTable;

/** Rows that one transaction may write or delete: about 20 ms. */
export const siteHoursAtOnce = 2_000;

/** What the clients of each site got, by hour. Failures are `StoreError`s. */
export class SiteHoursStore {
  readonly #database: Database;
  readonly #put: RowsWriter;

  constructor(database: Database) {
    this.#database = database;
    const none: SiteHour = { at: 0, site: '', requests: 0, server_errors: 0, response_ms: 0, denied: 0 };
    this.#put = new RowsWriter((count) =>
      database.write.replaceInto('site_hours').values(new Array<SiteHour>(count).fill(none)).compile(),
    );
  }

  /** Of each site the oldest first. @param from in seconds since 1970 */
  async since(from: number): Promise<readonly SiteHour[]> {
    return await this.#database.read
      .selectFrom('site_hours')
      .selectAll()
      .where('at', '>=', from)
      .orderBy('at')
      .execute();
  }

  /** Replaces what is stored of the same hours. */
  async put(rows: readonly SiteHour[]): Promise<void> {
    await this.#database.write.transaction().execute(async (transaction) => {
      await this.#put.write(
        transaction,
        rows.map(({ at, site, requests, server_errors, response_ms, denied }) => [
          ...[at, site, requests, server_errors, response_ms, denied],
        ]),
      );
    });
  }

  /** Deletes about 2,000 hours that are older. Returns whether more are left. @param before in seconds since 1970 */
  async prune(before: number): Promise<boolean> {
    const old = await this.#database.read
      .selectFrom('site_hours')
      .select(['at', 'site'])
      .where('at', '<', before)
      .orderBy('at')
      .orderBy('site')
      .limit(siteHoursAtOnce)
      .execute();
    const last = old.at(-1);
    if (last === undefined) return false;
    await this.#database.write
      .deleteFrom('site_hours')
      .where((eb) => eb.or([eb('at', '<', last.at), eb.and([eb('at', '=', last.at), eb('site', '<=', last.site)])]))
      .execute();
    return old.length === siteHoursAtOnce;
  }
}
