// Sites: stored in the database, live by a safe reload before the response. One that would make the configuration
// invalid is refused and not stored.

import type { Caller } from '../api/caller.ts';
import type { ReloadAnswer } from '../api/configuration.ts';
import type { ServerState, SiteAnswer, SiteRecord } from '../api/site-records.ts';
import type { ReloadCoordinator } from '../configuration/reload/reload-coordinator.ts';
import type { ReplaceConsent } from '../configuration/reload/replace-consent.ts';
import { siteInForce } from '../configuration/template/site-in-force.ts';
import type { Site } from '../domain/site.ts';
import { backendName } from '../domain/site-backend.ts';
import { SiteNames } from '../domain/site-names.ts';
import { hostOfTarget } from '../domain/site-redirect.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { Emit } from '../events/facts.ts';
import { type MasterSocket, MasterSocketError } from '../haproxy/socket/master-socket.ts';
import { parseShowStat, type ServerStat } from '../haproxy/socket/show-stat.ts';
import { auditedChange } from '../store/audit-rows.ts';
import type { SitesStore } from '../store/sites-store.ts';
import { refuseConflicts } from './conflicts.ts';
import type { SiteChange, SitePut, SitesService } from './sites-service.ts';

const timeoutMs = 2_000;

interface SitesDeps {
  readonly store: SitesStore;
  readonly reloads: ReloadCoordinator;
  readonly socket: MasterSocket;
  readonly emit: Emit;
  readonly now: () => Date;
}

export class Sites implements SitesService {
  readonly #deps: SitesDeps;

  constructor(deps: SitesDeps) {
    this.#deps = deps;
  }

  async list(): Promise<readonly SiteRecord[]> {
    return await this.#deps.store.all();
  }

  async get(domain: string): Promise<SiteRecord> {
    const row = await this.#deps.store.get(domain);
    return row ?? unknownSite('get site', domain, await this.#deps.store.all());
  }

  async put(site: Site, consent: ReplaceConsent, caller: Caller): Promise<SitePut> {
    return await this.change(site.domain, () => site, consent, caller);
  }

  async change(domain: string, change: SiteChange, consent: ReplaceConsent, caller: Caller): Promise<SitePut> {
    let stored: (Omit<SiteAnswer, 'reload'> & { readonly created: boolean }) | null = null;
    const reload = await this.#deps.reloads.change(async () => {
      const all = await this.#deps.store.all();
      const others = all.filter((one) => one.domain !== domain);
      const site = change(all.find((one) => one.domain === domain) ?? null) ?? unknownSite('set site', domain, all);
      refuseConflicts(site, others);
      return {
        reasons: [`site ${domain} set`],
        ...consent,
        sites: {
          list: [...others, site],
          store: async (live) => {
            const audited = auditedChange('set_site', caller, { target: domain, details: auditDetails(site) });
            const { created, row } = await this.#deps.store.put(site, this.#deps.now(), audited);
            stored = { created, ...row, ...siteInForce(live, site) };
          },
        },
      };
    });
    const { created, ...row } = stored!;
    this.#deps.emit('operation.done', { operation: 'set_site', caller, subject: { domain }, created });
    return { created, answer: { ...row, reload } };
  }

  async remove(
    domain: string,
    consent: ReplaceConsent,
    caller: Caller,
  ): Promise<{ domain: string; reload: ReloadAnswer }> {
    const reload = await this.#deps.reloads.change(async () => {
      const all = await this.#deps.store.all();
      if (!all.some((site) => site.domain === domain)) unknownSite('remove site', domain, all);
      return {
        reasons: [`site ${domain} removed`],
        ...consent,
        sites: {
          list: all.filter((site) => site.domain !== domain),
          store: async () => {
            await this.#deps.store.remove(
              domain,
              this.#deps.now(),
              auditedChange('remove_site', caller, { target: domain }),
            );
          },
        },
      };
    });
    this.#deps.emit('operation.done', { operation: 'remove_site', caller, subject: { domain } });
    return { domain, reload };
  }

  async servers(domain: string): Promise<readonly ServerState[]> {
    const site = await this.get(domain);
    // HAProxy has no backend of a disabled site.
    const stats = site.enabled && site.servers.length > 0 ? await this.#statsOf(domain) : null;
    return site.servers.map((server, index) => {
      // Servers are named in the site's own order: `s1_…`, `s2_…`.
      const stat = stats?.find(({ name }) => name.startsWith(`s${index + 1}_`));
      return {
        address: server.address,
        port: server.port,
        status: stat?.status ?? null,
        check: stat?.check ?? null,
        resolved_address: stat?.address ?? null,
      };
    });
  }

  async #statsOf(domain: string): Promise<readonly ServerStat[] | null> {
    try {
      const conversation = await this.#deps.socket.converse(performance.now() + timeoutMs);
      const [body = ''] = await conversation.finish([`@1 show stat ${backendName(domain)} 4 -1`]);
      return parseShowStat(body);
    } catch (error) {
      // Unknown is null, never `down`.
      if (error instanceof MasterSocketError) return null;
      throw error;
    }
  }
}

/** The audit log shows what a change switched, not only that there was one. */
function auditDetails({ servers, names = [], enabled, redirect }: Site): Readonly<Record<string, unknown>> {
  return {
    servers: servers.length,
    ...(names.length > 0 ? { names: names.length } : {}),
    ...(redirect ? { redirect: hostOfTarget(redirect.to) } : {}),
    ...(enabled === false ? { enabled: false } : {}),
  };
}

/** @throws ServiceError 1100 */
function unknownSite(op: string, domain: string, all: readonly SiteRecord[]): never {
  const owner = new SiteNames(all).ownerOf(domain);
  const hint = owner === undefined ? '' : `; it is a name of the site ${owner.domain}`;
  throw new ServiceError(codes.NotFound, op, `there is no site ${domain}${hint}`);
}
