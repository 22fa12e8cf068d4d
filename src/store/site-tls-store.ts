import { namesOf } from '../domain/site-names.ts';
import { plainHttp, type SiteTls } from '../domain/site-tls.ts';
import { type AuditedChange, AuditRows, auditedTransaction } from './audit-rows.ts';
import type { Database } from './open-database.ts';

interface StoredSiteTls {
  readonly domain: string;
  readonly tls: SiteTls;
}

export interface NamedSite extends StoredSiteTls {
  /** With its domain, and wildcards. */
  readonly names: readonly string[];
  /** The name to which its other host names are redirected; null: they are not. */
  readonly canonical: string | null;
  readonly enabled: boolean;
}

interface SiteTlsChange {
  /** Null: every site keeps its own. */
  readonly site: StoredSiteTls | null;
  readonly set: ReadonlyMap<string, string>;
  readonly remove: readonly string[];
}

/**
 * What sites want of https (`sites.tls_json`), and the entries of the map that tells HAProxy (`https_names`). A name gets
 * its entry when its certificate is proved to be served; the table remembers that, so that a restart ends no redirect.
 */
export class SiteTlsStore {
  readonly #database: Database;
  readonly #audit: AuditRows;

  constructor(database: Database) {
    this.#database = database;
    this.#audit = new AuditRows(database.write);
  }

  /** Of every site, in order of domains. */
  async sites(): Promise<NamedSite[]> {
    const rows = await this.#database.read
      .selectFrom('sites')
      .select(['domain', 'tls_json', 'names_json', 'canonical', 'enabled'])
      .orderBy('domain')
      .execute();
    return rows.map(({ domain, tls_json: json, names_json: names, canonical, enabled }) => ({
      domain,
      names: namesOf({ domain, names: JSON.parse(names) as string[] }),
      canonical,
      enabled: enabled !== 0,
      tls: json === null ? plainHttp : (JSON.parse(json) as SiteTls),
    }));
  }

  /** In order of names. */
  async entries(): Promise<Map<string, string>> {
    const rows = await this.#database.read.selectFrom('https_names').selectAll().orderBy('name').execute();
    return new Map(rows.map(({ name, value }) => [name, value]));
  }

  /** False, and nothing is changed: there is no such site. */
  async change({ site, set, remove }: SiteTlsChange, now: Date, audited?: AuditedChange): Promise<boolean> {
    const done = await auditedTransaction(this.#database, this.#audit, audited, now, async (transaction) => {
      if (site !== null) {
        const { numUpdatedRows } = await transaction
          .updateTable('sites')
          .set({ tls_json: JSON.stringify(site.tls) })
          .where('domain', '=', site.domain)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return null;
      }
      if (remove.length > 0) await transaction.deleteFrom('https_names').where('name', 'in', remove).execute();
      for (const [name, value] of set) {
        await transaction
          .insertInto('https_names')
          .values({ name, value })
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
          .execute();
      }
      return true;
    });
    return done ?? false;
  }
}
