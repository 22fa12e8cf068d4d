// What the metrics read at the moment of a scrape.

import { tableSections } from '../configuration/template/builtin-template.ts';
import { backendName } from '../domain/site-backend.ts';
import { type ProxyStat, readProxyStats } from '../haproxy/process/proxy-stats.ts';
import type { MasterSocket } from '../haproxy/socket/master-socket.ts';
import { MasterSocketError } from '../haproxy/socket/master-socket.ts';
import type { Health } from '../health/health.ts';
import type { HealthVerdict } from '../health/health-verdict.ts';
import type { CertificateFacts } from '../metrics/certificate-metrics.ts';
import type { SetSources, StoredFacts } from '../metrics/set-metrics.ts';
import type { SiteTlsStore } from '../store/site-tls-store.ts';
import type { SitesStore } from '../store/sites-store.ts';
import type { SiteNames } from '../tls/served-sites.ts';
import type { BlockingParts } from './blocking-parts.ts';
import type { TlsParts } from './tls-parts.ts';

/** For both sockets together; a listing of a thousand sites takes 10 ms. */
const statsPatienceMs = 1_000;
/** An operator's template may have no stats socket, or one that this user may not use: the master's gets the rest. */
const statsSocketPatienceMs = 600;

export function setSources({ keeper, trusted, writer, turns, link, registry }: BlockingParts): SetSources {
  return {
    blockedEntries: () => keeper.expected.total,
    trustedEntries: () => trusted.map.size,
    queuedChanges: () => writer.queueDepth,
    queuedTurns: () => turns.waiting,
    masterSocketUp: () => link.state.up,
    workers: () => registry.all().map((worker) => ({ role: worker.role, whole: registry.isInSync(worker) })),
    lastVerifiedAt: () => registry.lastVerifiedAt,
  };
}

/** A synced write of one page costs as much as a block; nothing else detects a full disk. */
const writeEveryMs = 30_000;

/** Current health, without delaying a change. */
export function currentHealth(health: Pick<Health, 'verdict'>): () => Promise<HealthVerdict> {
  let wroteAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const writes = performance.now() - wroteAt >= writeEveryMs;
    if (writes) wroteAt = performance.now();
    return await health.verdict(writes ? 'probe' : 'ping');
  };
}

/** @throws StoreError */
export async function storedFacts(store: BlockingParts['store'], sites: SitesStore): Promise<StoredFacts> {
  return { nextExpiry: await store.nextExpiry(), sites: await sites.count() };
}

/** Null: the service serves no certificates. @throws StoreError */
export async function certificateFacts(tls: TlsParts | null): Promise<CertificateFacts | null> {
  if (tls === null) return null;
  return { ...(await tls.certificates.ends()), workersBehind: tls.workersBehind() };
}

/** With all their names. @throws StoreError */
export async function enabledSites(sites: SitesStore): Promise<SiteNames[]> {
  const enabled = (await sites.all()).filter((site) => site.enabled);
  return enabled.map(({ domain, names }) => ({ domain, names: [domain, ...names] }));
}

/** Of enabled sites: what the removal of their certificate would mean. @throws StoreError */
export async function sitesWithCertificates(sites: Pick<SiteTlsStore, 'sites'>) {
  const enabled = (await sites.sites()).filter((site) => site.enabled);
  return enabled.map(({ domain, names, tls }) => ({ domain, names, sendsHsts: (tls.hsts?.max_age ?? 0) > 0 }));
}

export interface WorkerSockets {
  readonly stats: MasterSocket;
  readonly master: MasterSocket;
}

/**
 * On the worker's own stats socket, which answers through a reload and leaves the master to changes; through the master
 * if that cannot be used.
 * @throws MasterSocketError, and what `ask` throws
 */
export async function fromWorker<T>(
  sockets: WorkerSockets,
  ask: (socket: MasterSocket, prefix: '' | '@1 ', deadline: number) => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + statsPatienceMs;
  try {
    return await ask(sockets.stats, '', performance.now() + statsSocketPatienceMs);
  } catch (error) {
    if (!(error instanceof MasterSocketError)) throw error;
    return await ask(sockets.master, '@1 ', deadline);
  }
}

/** @throws MasterSocketError, StatsUnreadable, StoreError */
export async function proxyStats(
  sockets: WorkerSockets,
  sites: SitesStore,
  listed: 'all' | 'backends' = 'all',
): Promise<{ stats: readonly ProxyStat[]; siteOf: (backend: string) => string }> {
  const stats = await fromWorker(sockets, (socket, prefix, deadline) =>
    readProxyStats(socket, prefix, deadline, listed),
  );
  const domains = new Map((await sites.domains()).map((domain) => [backendName(domain), domain]));
  const serving = stats.filter(({ name }) => !tableSections.has(name));
  return { stats: serving, siteOf: (backend) => domains.get(backend) ?? '' };
}
