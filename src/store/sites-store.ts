import type { SiteRecord } from '../api/site-records.ts';
import type { Site, SiteRedirect, SiteServer } from '../domain/site.ts';
import { type AuditedChange, AuditRows, auditedTransaction } from './audit-rows.ts';
import type { Database } from './open-database.ts';
import type { SitesTable } from './schema.ts';

/** The table `sites`, in order of domains. */
export class SitesStore {
  readonly #database: Database;
  readonly #audit: AuditRows;

  constructor(database: Database) {
    this.#database = database;
    this.#audit = new AuditRows(database.write);
  }

  async put(site: Site, now: Date, audited?: AuditedChange): Promise<{ created: boolean; row: SiteRecord }> {
    const at = now.toISOString();
    const done = await auditedTransaction(this.#database, this.#audit, audited, now, async (transaction) => {
      const existing = await transaction
        .selectFrom('sites')
        .select('created_at')
        .where('domain', '=', site.domain)
        .executeTakeFirst();
      const row = {
        domain: site.domain,
        servers_json: JSON.stringify(site.servers),
        names_json: JSON.stringify(site.names ?? []),
        canonical: site.canonical ?? null,
        enabled: site.enabled === false ? 0 : 1,
        redirect_json: site.redirect ? JSON.stringify(site.redirect) : null,
        created_at: existing?.created_at ?? at,
        updated_at: at,
      };
      const { domain: _domain, created_at: _created, ...changed } = row;
      await transaction
        .insertInto('sites')
        .values(row)
        .onConflict((conflict) => conflict.column('domain').doUpdateSet(changed))
        .execute();
      return { created: existing === undefined, row: toSite(row) };
    });
    return done!;
  }

  /** Null: there was none. */
  async remove(domain: string, now: Date = new Date(), audited?: AuditedChange): Promise<SiteRecord | null> {
    return await auditedTransaction(this.#database, this.#audit, audited, now, async (transaction) => {
      const row = await transaction.deleteFrom('sites').where('domain', '=', domain).returningAll().executeTakeFirst();
      return row === undefined ? null : toSite(row);
    });
  }

  async get(domain: string): Promise<SiteRecord | null> {
    const row = await this.#database.read
      .selectFrom('sites')
      .selectAll()
      .where('domain', '=', domain)
      .executeTakeFirst();
    return row === undefined ? null : toSite(row);
  }

  async all(): Promise<SiteRecord[]> {
    const rows = await this.#database.read.selectFrom('sites').selectAll().orderBy('domain').execute();
    return rows.map(toSite);
  }

  async domains(): Promise<string[]> {
    const rows = await this.#database.read.selectFrom('sites').select('domain').orderBy('domain').execute();
    return rows.map(({ domain }) => domain);
  }

  async count(): Promise<number> {
    const { total } = await this.#database.read
      .selectFrom('sites')
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    return total;
  }
}

function toSite(row: Omit<SitesTable, 'tls_json'>): SiteRecord {
  return {
    domain: row.domain,
    servers: JSON.parse(row.servers_json) as SiteServer[],
    names: JSON.parse(row.names_json) as string[],
    canonical: row.canonical,
    enabled: row.enabled !== 0,
    redirect: row.redirect_json === null ? null : (JSON.parse(row.redirect_json) as SiteRedirect),
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
