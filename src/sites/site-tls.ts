// Redirects to https and HSTS of sites. They begin when a certificate for the name is proved to be served, without a
// reload, and end before it is taken away (ADR 0073).
import type { Caller } from '../api/caller.ts';
import type { SiteTlsAnswer, SiteTlsRecord } from '../api/site-tls.ts';
import { type HttpsSet, type HttpsState, unusedHttpsMap } from '../blocking/https-set.ts';
import { KickablePause, pause } from '../concurrency/pause.ts';
import { coversHost, wildcardOver } from '../domain/certificate-name.ts';
import { isWildcard } from '../domain/site-names.ts';
import { httpsMapValue, type SiteTls } from '../domain/site-tls.ts';
import { codes } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import { tlsNotConfigured } from '../errors/tls-not-configured.ts';
import type { Emit } from '../events/facts.ts';
import type { NamedSite } from '../store/site-tls-store.ts';
import { causeText, type Log } from '../telemetry/log.ts';

const checkEveryMs = 5_000;
/** A new worker is compared within this time. */
const confirmedWithinMs = 3_000;
const pollMs = 50;
const shownNames = 20;
/** A name whose site wants nothing, below a wildcard that has an entry. */
const nothing = 'off';

/** The certificates that there are for names. */
export interface NameCertificates {
  /** The certificate of each of these names, its own or that of the wildcard; without those that have none. */
  certificatesFor(names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Why visitors may not get it; null: its file is durable, and every current worker was read back to hold it. */
  whyNotServed(id: string): string | null;
  /** Why HAProxy can only serve the default certificate instead; null: it can serve it. */
  whyLost(id: string): string | null;
}

interface SitesTlsDeps {
  readonly set: HttpsSet;
  readonly certificates: NameCertificates;
  /** False: the front end serves no TLS. */
  readonly enabled: boolean;
  readonly emit: Emit;
  readonly log: Log;
}

export class SitesTls {
  readonly #deps: SitesTlsDeps;
  readonly #timer = new KickablePause();
  readonly #stop = new AbortController();
  /** Certificates that are being taken away from some names. */
  readonly #leaving = new Map<string, readonly string[]>();
  #loop: Promise<void> | null = null;
  /** A repeated failure is logged once. */
  #lastFailure: string | null = null;

  constructor(deps: SitesTlsDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#timer.wake();
    await this.#loop;
  }

  /** Sites or certificates changed. */
  kick(): void {
    this.#timer.kick();
  }

  /** Errors: 1100. */
  async get(domain: string): Promise<SiteTlsRecord> {
    const { sites, entries } = await this.#deps.set.state();
    const site = sites.find((one) => one.domain === domain);
    if (site === undefined) throw unknownSite('get TLS settings', domain);
    const owners = await this.#deps.certificates.certificatesFor(site.names);
    const reason = this.#obstacle(site, entries, owners);
    return {
      domain,
      ...site.tls,
      tls_enabled: this.#deps.enabled,
      certificate: owners.get(domain) ?? null,
      names_without_certificate: site.names.filter((name) => !owners.has(name)),
      in_force: reason === null,
      reason,
    };
  }

  /** Errors: 1100, 6043. */
  async put(domain: string, tls: SiteTls, caller: Caller): Promise<SiteTlsAnswer> {
    return await this.change(domain, () => tls, caller);
  }

  /**
   * @param tls what the site is to want, from what it wants; called in the turn
   * Errors: those of `put`.
   */
  async change(domain: string, tls: (before: SiteTls) => SiteTls, caller: Caller): Promise<SiteTlsAnswer> {
    if (!this.#deps.enabled) throw tlsNotConfigured('set TLS settings');
    const wanted = (state: HttpsState) => this.#wanted(state);
    const done = await this.#deps.set.change({
      what: `TLS settings of ${domain} set`,
      caller,
      site: { domain, tls },
      wanted,
    });
    if (done === null) throw unknownSite('set TLS settings', domain);
    if (done.more) this.kick();
    this.#deps.emit('operation.done', { operation: 'set_site_tls', caller, subject: { domain } });
    const record = await this.get(domain);
    return {
      ...record,
      ...(done.reason === null ? {} : { in_force: false, reason: done.reason }),
      runtime_updated: done.runtimeUpdated,
      reload_scheduled: done.reloadScheduled,
    };
  }

  /**
   * Ends redirects and HSTS of these names before `work` takes the certificate away from them. Afterwards those begin
   * whose certificate is served. If the end cannot be made durable, or a current worker was not read back to have ended
   * them, `work` is not called. Errors: 6004, 3000, and those of `work`.
   */
  async around<T>(certificate: string, names: readonly string[], work: () => Promise<T>): Promise<T> {
    if (names.length > 0) this.#leaving.set(certificate, names);
    try {
      if (names.length > 0) await this.#end(names);
      return await work();
    } finally {
      this.#leaving.delete(certificate);
      this.kick();
    }
  }

  async #end(patterns: readonly string[]): Promise<void> {
    await this.#update();
    const { sites } = await this.#deps.set.state();
    const affected = sites.find(
      ({ names, tls }) =>
        httpsMapValue(tls) !== null && names.some((name) => patterns.some((pattern) => coversHost(pattern, name))),
    );
    if (affected === undefined) return;
    const deadline = performance.now() + confirmedWithinMs;
    for (let left = this.#deps.set.leftover; left !== null; left = this.#deps.set.leftover) {
      if (performance.now() >= deadline) throw endNotConfirmed(affected.domain, left);
      await pause(pollMs);
    }
  }

  /**
   * Before HAProxy starts: ends those that may not stay, as after a restore without the secret. Browsers remember a
   * redirect, so the first visitors must not get it. Never throws: the loop tries again.
   */
  async endBeforeStart(): Promise<void> {
    const { set, log } = this.#deps;
    try {
      const state = await set.state();
      const wanted = await this.#wanted(state);
      const names = [...state.entries.keys()].filter((name) => !wanted.has(name));
      if (names.length === 0) return;
      await set.endBeforeStart(names);
      const shown = names.slice(0, shownNames);
      log.warn('Redirects and HSTS ended: HAProxy cannot serve the certificates', {
        names: shown,
        total: names.length,
      });
    } catch (error) {
      log.error('Redirects without a certificate could not be ended; retrying', { cause: causeText(error) });
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      this.#timer.begin();
      try {
        await this.#update();
        this.#lastFailure = null;
      } catch (error) {
        const cause = causeText(error);
        if (cause !== this.#lastFailure)
          this.#deps.log.error('Https settings could not be updated; retrying', { cause });
        this.#lastFailure = cause;
      }
      if (!this.#timer.kicked) await this.#timer.wait(checkEveryMs, { signal });
    }
  }

  async #update(): Promise<void> {
    for (let more = true; more; ) {
      const state = await this.#deps.set.state();
      // Most of the time there is nothing to change, and no turn is needed to see it.
      if (isSame(state.entries, await this.#wanted(state))) return;
      const wanted = (inTurn: HttpsState) => this.#wanted(inTurn);
      const done = await this.#deps.set.change({ what: 'https settings', caller: null, site: null, wanted });
      more = done?.more ?? false;
    }
  }

  /** The entries that there are to be. Those that there are stay as long as HAProxy can serve a certificate of the name. */
  async #wanted({ sites, entries }: HttpsState): Promise<ReadonlyMap<string, string>> {
    const wanted = new Map<string, string>();
    if (!this.#deps.enabled) return wanted;
    const owners = await this.#deps.certificates.certificatesFor(sites.flatMap(namesWithWish));
    const mayBegin = (name: string): boolean => {
      const certificate = owners.get(name);
      const leaving = certificate === undefined ? [] : (this.#leaving.get(certificate) ?? []);
      if (certificate === undefined || leaving.some((pattern) => coversHost(pattern, name))) return false;
      const { whyLost, whyNotServed } = this.#deps.certificates;
      if (whyLost(certificate) !== null) return false;
      return (entries.get(name) ?? nothing) !== nothing || whyNotServed(certificate) === null;
    };
    for (const site of sites) {
      for (const name of namesWithWish(site)) {
        if (neededFor(name, site).every(mayBegin)) wanted.set(name, httpsMapValue(site.tls)!);
      }
    }
    // HAProxy finds the entry of a wildcard for a name that has none.
    for (const { names } of sites) {
      for (const name of names) {
        if (!wanted.has(name) && wanted.has(wildcardOver(name))) wanted.set(name, nothing);
      }
    }
    return wanted;
  }

  /** Why it is not in force; null: it is, or there is nothing to be. */
  #obstacle(
    { names, canonical, enabled, tls }: NamedSite,
    entries: ReadonlyMap<string, string>,
    owners: ReadonlyMap<string, string>,
  ): string | null {
    const value = httpsMapValue(tls);
    if (value === null) return null;
    if (!enabled) return 'the site is disabled';
    if (!this.#deps.enabled) return 'TLS is off: PROXY_MANAGER_HTTPS_BIND is empty';
    if (this.#deps.set.unused) return unusedHttpsMap;
    for (const name of names.flatMap((one) => neededFor(one, { canonical }))) {
      if (entries.get(name) === value) continue;
      const certificate = owners.get(name);
      if (certificate === undefined) return `there is no certificate for ${name}`;
      const why = this.#deps.certificates.whyNotServed(certificate);
      return why === null
        ? `the entry of ${name} is not written yet`
        : `the certificate ${certificate} of ${name} is not proved to be served: ${why}`;
    }
    return this.#deps.set.obstacle;
  }
}

/** None if the site is disabled or wants nothing. */
function namesWithWish({ names, enabled, tls }: NamedSite): readonly string[] {
  return enabled && httpsMapValue(tls) !== null ? names : [];
}

/** The names that need a certificate: the redirect of a client of `name` to the canonical name keeps the scheme. */
function neededFor(name: string, { canonical }: Pick<NamedSite, 'canonical'>): readonly string[] {
  return canonical === null || isWildcard(name) ? [name] : [canonical, name];
}

function isSame(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  if (one.size !== other.size) return false;
  for (const [name, value] of one) if (other.get(name) !== value) return false;
  return true;
}

function endNotConfirmed(domain: string, reason: string): ServiceError {
  return new ServiceError(
    codes.Unavailable,
    'end redirects',
    `redirects to https and HSTS of ${domain} depend on this certificate, and their end was not confirmed by every worker (${reason}); the certificate was kept. Retry, or reload first`,
  );
}

function unknownSite(op: string, domain: string): ServiceError {
  return new ServiceError(codes.NotFound, op, `there is no site ${domain}`);
}
