// The whole service: what is made in which order at start, and in which order it ends. Everything is made here and
// passed on; no part looks another one up.

import { join } from 'node:path';
import { Registry } from '@prometheus-io/client';
import { AuditRecorder } from '../audit/audit-recorder.ts';
import { EventFeed } from '../events/event-feed.ts';
import { EventRing } from '../events/event-ring.ts';
import { FactBus, type FactType } from '../events/facts.ts';
import { operationLog } from '../events/operation-log.ts';
import { crashPoint } from '../faults/crash-point.ts';
import { findMaster } from '../haproxy/process/master-process.ts';
import { MasterSocket } from '../haproxy/socket/master-socket.ts';
import { Health } from '../health/health.ts';
import { HealthWatch } from '../health/health-watch.ts';
import { builtPanel, readPanel } from '../http/panel-files.ts';
import type { Services } from '../http/services.ts';
import { ApiKeys } from '../keys/keys.ts';
import { Sessions } from '../keys/sessions.ts';
import { Metrics } from '../metrics/metrics.ts';
import { MetricObservers } from '../metrics/observers.ts';
import type { Settings } from '../settings.ts';
import { makeFolders, takeLocks } from '../start/folders-and-locks.ts';
import { openState } from '../start/open-state.ts';
import { checkRights } from '../start/rights-check.ts';
import { ApiKeysStore } from '../store/api-keys-store.ts';
import { AuditStore } from '../store/audit-store.ts';
import { ReloadsStore } from '../store/reloads-store.ts';
import { SessionsStore } from '../store/sessions-store.ts';
import { SitesStore } from '../store/sites-store.ts';
import { TrustedIpsStore } from '../store/trusted-ips-store.ts';
import { WebhooksStore } from '../store/webhooks-store.ts';
import { ProxyVersions } from '../supervision/proxy-versions.ts';
import type { ServiceLock } from '../supervision/service-lock.ts';
import { growSparingly } from '../system/heap.ts';
import { IdleMemory } from '../system/idle-memory.ts';
import type { Log } from '../telemetry/log.ts';
import { Webhooks } from '../webhooks/webhooks.ts';
import { wireAttachedProxy } from './attached-proxy.ts';
import { wireBlocking } from './blocking-parts.ts';
import { wireManagedProxy } from './managed-proxy.ts';
import { gentleHealth, proxyStats, setSources, storedFacts } from './metric-sources.ts';
import { prepareStart } from './prepare-start.ts';
import type { ProxySide, ProxySideOptions } from './proxy-side.ts';

/** Health is checked soon after these facts. */
const mayChangeHealth: ReadonlySet<FactType> = new Set([
  'drift.seen',
  'drift.repaired',
  'reload.completed',
  'reload.failed',
  'worker.appeared',
  'worker.gone',
]);

export interface RunningService {
  readonly services: Services;
  /** Where the key made at the first start was written. */
  readonly keyFile: string;
  /** To be called when the API listens: from here on the service is ready. */
  begin(): Promise<void>;
  /** Ends what is under way and lets go of everything; the proxy goes on, unless `endsProxy`. */
  stop(): Promise<void>;
}

export interface StartOptions {
  /** Aborted: the service is to end as soon as it has started; the proxy's start is not waited for. */
  readonly signal?: AbortSignal;
  /** Default false: the proxy outlives the service. */
  readonly endsProxy?: boolean;
  /** Default true: files that others could replace stop the start. False: they are told of only, for a trial in any folder. */
  readonly refusesWideRights?: boolean;
}

async function wireProxy(options: ProxySideOptions): Promise<ProxySide> {
  return options.settings.attached ? wireAttachedProxy(options) : await wireManagedProxy(options);
}

/** @throws StartRefused, ProxyVersionError and errors of the system, each with what to do; nothing is left running */
export async function startService(
  settings: Settings,
  log: Log,
  version: string,
  options: StartOptions = {},
): Promise<RunningService> {
  await makeFolders(settings);
  crashPoint('start.folders-made');
  checkRights(settings, log, { refuses: options.refusesWideRights ?? true });
  const locks = await takeLocks(settings);
  try {
    return await startLocked(settings, log, version, options, locks);
  } catch (error) {
    for (const lock of locks) lock.free();
    throw error;
  }
}

async function startLocked(
  settings: Settings,
  log: Log,
  version: string,
  options: StartOptions,
  locks: readonly ServiceLock[],
): Promise<RunningService> {
  const now = (): Date => new Date();
  crashPoint('start.locked');
  const versions = new ProxyVersions(settings.proxyBin, log);
  await versions.read();
  const state = await openState(settings);
  const { database, instance } = state;
  crashPoint('start.database-opened');

  const ring = new EventRing({ log, now });
  const audit = new AuditRecorder({ store: new AuditStore(database), log, now });
  const registry = new Registry();
  const observers = new MetricObservers(registry);
  const facts = new FactBus(log);
  const { emit } = facts;
  for (const listener of [operationLog(log), ring.listener, audit.listener, observers.operations.listener])
    facts.listen(listener);
  const webhooks = new Webhooks({
    store: new WebhooksStore(database),
    ring,
    emit,
    log,
    now,
    observer: observers.webhooks,
  });
  const socket = new MasterSocket(settings.masterSocket, { observer: observers.commands });
  const statsSocket = new MasterSocket(settings.statsSocket, { observer: observers.commands, maxConnections: 2 });
  const sitesStore = new SitesStore(database);
  const parts = wireBlocking({
    settings,
    database,
    instance,
    socket,
    log,
    emit,
    now,
    capabilities: () => versions.capabilitiesOf(parts.book.runningVersion),
    scheduleReload: (reason) => {
      if (!proxy.mayReload()) return false;
      proxy.reloads.schedule(reason);
      return true;
    },
    trustUsage: {
      get last() {
        return proxy.trust;
      },
      async look() {
        await proxy.look();
        return proxy.trust;
      },
    },
    reconsiderReload: () => proxy.reloads.reconsider(),
    observers: {
      drift: observers.drift,
      groupEnded: (changes, milliseconds) => observers.groups.ended(changes, milliseconds),
    },
  });
  const { keeper, trusted, reconciler, book } = parts;

  const proxy: ProxySide = await wireProxy({
    settings,
    sites: sitesStore,
    history: new ReloadsStore(database),
    parts,
    socket,
    versions,
    observer: observers.reloads,
    log,
    emit,
    now,
  });
  const { reloads } = proxy;

  const keys = new ApiKeys({ store: new ApiKeysStore(database), given: settings.apiKey, log, emit, now });
  const sessions = new Sessions({ store: new SessionsStore(database), keys, log, emit, now });
  const keyFile = join(settings.stateDir, 'api-key');
  const panel = await readPanel(builtPanel, log);
  const idleMemory = IdleMemory.ofThisProcess();
  let started = false;
  let firstLook: Promise<void> | null = null;
  const health = new Health({
    database,
    socket,
    link: parts.link,
    book,
    keeper,
    trusted,
    blocked: parts.blocked,
    turns: parts.turns,
    bulk: parts.bulk,
    reconciler,
    reloads,
    drift: proxy.drift,
    attached: () => proxy.attached(),
    trustHasEffect: () => proxy.trust.hasEffect,
    findMaster: () => findMaster(settings.pidFile, settings.configFile),
    versions: () => ({
      service: version,
      proxy: versions.versionOf(book.runningVersion),
      unsupported: versions.unsupportedBy(book.runningVersion),
      untested: versions.untested(book.runningVersion),
    }),
    proxyProblems: () => proxy.problems(),
    started: () => started,
  });
  const healthWatch = new HealthWatch({ probe: (how) => health.report(how), emit, log });
  facts.listen(({ type }) => {
    if (mayChangeHealth.has(type)) healthWatch.kick();
  });

  options.signal?.addEventListener('abort', () => proxy.abandonStart(), { once: true });
  try {
    await prepareStart({
      settings,
      state,
      blocking: parts,
      trustedIps: new TrustedIpsStore(database),
      proxy,
      keys,
      keyFile,
      audit,
      log,
      now,
    });
  } catch (error) {
    await stop();
    throw error;
  }

  async function stop(): Promise<void> {
    started = false;
    idleMemory.stop();
    const watched = healthWatch.stop();
    await parts.expiry.stop();
    await parts.trustExpiry.stop();
    parts.bulk.stop();
    await proxy.stop();
    // From here on nobody has to hear from the proxy any more; what still waits for a hung worker is let go.
    socket.close();
    await watched;
    statsSocket.close();
    await firstLook;
    await reconciler.stop();
    await parts.link.close();
    await parts.turns.drained();
    await keeper.file.close();
    await webhooks.stop();
    await audit.stop();
    await database.close();
    if (options.endsProxy === true) await proxy.endProxy();
    for (const lock of locks) lock.free();
  }

  const metrics = new Metrics(
    registry,
    observers,
    {
      version,
      proxyVersion: () => versions.versionOf(book.runningVersion),
      sets: setSources(parts),
      reloads,
      storedFacts: () => storedFacts(parts.store, sitesStore),
      expiringEntries: () => parts.store.countEnding(),
      webhookBacklogs: () => webhooks.backlogs(),
      health: gentleHealth(health),
      proxyStats: () => proxyStats({ stats: statsSocket, master: socket }, sitesStore),
    },
    log,
  );
  return {
    services: {
      blockedSet: parts.blockedSet,
      trustedIps: trusted,
      sites: proxy.sites,
      configuration: proxy.configuration,
      keys,
      sessions,
      audit,
      events: new EventFeed(ring),
      webhooks,
      health,
      panel,
      metrics,
      operations: { ended: (operation) => emit('operation.answered', operation) },
      log,
    },
    keyFile,
    async begin() {
      crashPoint('start.listening');
      await webhooks.start();
      parts.expiry.start();
      parts.trustExpiry.start();
      firstLook = reconciler.look(true);
      await firstLook;
      if (proxy.interrupted) reloads.schedule('a crash interrupted one');
      crashPoint('start.workers-compared');
      reconciler.start();
      growSparingly();
      idleMemory.start();
      audit.start();
      started = true;
      const running = { version, proxy: versions.versionOf(book.runningVersion) };
      log.info('Service started', running);
      emit('service.started', running);
      healthWatch.start();
    },
    async stop() {
      await stop();
      log.info('Service stopped');
    },
  };
}
