// The whole service: what is made in which order at start, and in which order it ends. Everything is made here and
// passed on; no part looks another one up.

import { join } from 'node:path';
import { Registry } from '@prometheus-io/client';
import { AuditRecorder } from '../activity/audit-recorder.ts';
import { EventFeed } from '../activity/event-feed.ts';
import { EventRing } from '../activity/event-ring.ts';
import { Webhooks } from '../activity/webhooks.ts';
import { BackupStore } from '../configuration/backup-store.ts';
import { bindAddresses, tryBind } from '../configuration/listeners.ts';
import { LiveFile } from '../configuration/live-file.ts';
import { ReloadCoordinator } from '../configuration/reload-coordinator.ts';
import { ReloadUnderWay } from '../configuration/reload-under-way.ts';
import { SafeReload } from '../configuration/safe-reload.ts';
import { ensureServerStateFile } from '../configuration/server-state.ts';
import { filesNamedIn } from '../configuration/sites-map.ts';
import { ensureStartConfiguration, readableKnownGood } from '../configuration/start-configuration.ts';
import { Template } from '../configuration/template.ts';
import type { Site } from '../domain/site.ts';
import { crashPoint } from '../faults/crash-point.ts';
import { removeStaleTemporaries } from '../files/atomic-file.ts';
import { readMapFileHeader } from '../haproxy/map-file.ts';
import { MasterSocket } from '../haproxy/master-socket.ts';
import type { Services } from '../http/services.ts';
import { measuredServices } from '../metrics/measured-services.ts';
import { Metrics } from '../metrics/metrics.ts';
import { MetricObservers } from '../metrics/observers.ts';
import type { Settings } from '../settings.ts';
import { ApiKeysStore } from '../store/api-keys-store.ts';
import { AuditStore } from '../store/audit-store.ts';
import { ReloadsStore } from '../store/reloads-store.ts';
import { SitesStore } from '../store/sites-store.ts';
import { WebhooksStore } from '../store/webhooks-store.ts';
import { foreignListeners } from '../supervision/foreign-listeners.ts';
import { lastingForeigners } from '../supervision/lasting-foreigners.ts';
import { memoryAllowsWorker } from '../supervision/memory.ts';
import { Supervisor } from '../supervision/supervisor.ts';
import type { Tell } from '../telemetry/activity.ts';
import type { Log } from '../telemetry/log.ts';
import { wireBlocking } from './blocking-parts.ts';
import { Configuration } from './configuration.ts';
import { importMapFile } from './first-import.ts';
import { makeFolders, takeLocks } from './folders-and-locks.ts';
import { Health } from './health.ts';
import { HealthWatch } from './health-watch.ts';
import { IdleMemory } from './idle-memory.ts';
import { ApiKeys } from './keys.ts';
import { LiveRule } from './live-rule.ts';
import { gentleHealth, proxyStats, setSources, storedFacts } from './metric-sources.ts';
import { openState, rememberInstance } from './open-state.ts';
import { builtPanel, readPanel } from './panel-files.ts';
import { ProxyFacts } from './proxy-facts.ts';
import { ProxyReload } from './proxy-reload.ts';
import { checkRights } from './rights-check.ts';
import { Sites } from './sites.ts';
import { growSparingly } from './sparing-heap.ts';
import { webhooksService } from './webhooks.ts';

/** Looked at soon after: what was told may be why blocking is, or is again, not enforced somewhere. */
const mayChangeHealth: ReadonlySet<string> = new Set([
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

/** @throws StartRefused, ProxyVersionError and errors of the system, each with what to do; nothing is left running */
export async function startService(
  settings: Settings,
  log: Log,
  version: string,
  options: StartOptions = {},
): Promise<RunningService> {
  const now = (): Date => new Date();
  await makeFolders(settings);
  crashPoint('start.folders-made');
  checkRights(settings, log, { refuses: options.refusesWideRights ?? true });
  const locks = await takeLocks(settings);
  crashPoint('start.locked');
  const facts = new ProxyFacts(settings.proxyBin, log);
  await facts.read();
  const { database, instance, knownInstance } = await openState(settings);
  crashPoint('start.database-opened');

  const ring = new EventRing({ log, now });
  const tell: Tell = (type, data) => {
    ring.tell(type, data);
    if (mayChangeHealth.has(type)) healthWatch.kick();
  };
  const webhooks = new Webhooks({ store: new WebhooksStore(database), ring, tell, log, now });
  const audit = new AuditRecorder({ store: new AuditStore(database), log, now });
  const registry = new Registry();
  const observers = new MetricObservers(registry);
  const socket = new MasterSocket(settings.masterSocket, { observer: observers.commands });
  const statsSocket = new MasterSocket(settings.statsSocket, { observer: observers.commands, maxConnections: 2 });
  const sitesStore = new SitesStore(database);
  const parts = wireBlocking({
    settings,
    database,
    instance,
    socket,
    log,
    tell,
    now,
    capabilities: () => facts.capabilitiesOf(parts.book.runningVersion),
    scheduleReload: (reason) => {
      if (rule.missing) return false;
      reloads.schedule(reason);
      return true;
    },
    reconsiderReload: () => reloads.reconsider(),
    onExpiryAudited: (row, report) =>
      audit.finished(row, {
        runtimeMapUpdated: report.runtime_map_updated,
        runtimeMapFailuresTotal: report.runtime_map_failures_total,
        reloadScheduled: report.reload_scheduled,
      }),
    observers: {
      drift: observers.drift,
      groupEnded: (changes, milliseconds) => observers.groups.ended(changes, milliseconds),
      expired: (entries, { failures }) => observers.operations.expired(entries, failures.length),
    },
  });
  const { keeper, trusted, reconciler, book } = parts;

  // The template, the live file and what makes them one.
  const live = new LiveFile(settings.configFile);
  const backups = new BackupStore(settings.backupDir, now);
  const template = settings.template === null ? Template.builtIn() : await Template.fromFile(settings.template);
  const serverStateFile = join(settings.stateDir, 'server-state');
  const render = (sites: Iterable<Site> | AsyncIterable<Site>) =>
    template.render({
      blockedMap: settings.blockedMap,
      trustedMap: settings.trustedMap,
      httpBind: settings.httpBind,
      statsSocket: settings.statsSocket,
      hardStopAfter: settings.hardStopAfter,
      sitesMapBase: settings.sitesMap,
      serverStateFile,
      sites,
    });
  const renderStored = async () => await render(await sitesStore.all());
  const writeMaps = async (): Promise<void> => {
    if (keeper.problem !== null || !(await keeper.file.unchanged())) await keeper.updateBlockedIpsMap();
    await trusted.updateTrustedIpsMap();
  };
  const mapFiles = [settings.blockedMap, settings.trustedMap];

  const rule = new LiveRule(live, settings, log);
  const proxyReload = new ProxyReload({
    settings,
    live,
    socket,
    parts,
    serverStateFile,
    supervisor: () => supervisor,
    log,
  });
  const reloadProxy = async () => {
    const outcome = await proxyReload.reload();
    await rule.look();
    return outcome;
  };
  const verifyWorkers = async (): Promise<string[]> => {
    await reconciler.lookThroughReload(true);
    return book
      .all()
      .filter((worker) => !book.isWhole(worker))
      .map((worker) => `${worker.role} worker ${worker.pid} is not known to hold the whole set`);
  };
  const underWay = new ReloadUnderWay(join(settings.stateDir, 'reload-under-way'));
  const safeReload = new SafeReload({
    live,
    backups,
    proxyBin: settings.proxyBin,
    sitesMapBase: settings.sitesMap,
    mapFiles,
    surroundings: { render, sites: () => sitesStore.all(), writeMaps, reloadProxy, verifyWorkers },
    underWay,
    log,
  });
  const reloads: ReloadCoordinator = new ReloadCoordinator({
    safeReload,
    store: new ReloadsStore(database),
    log,
    tell,
    now,
    stillNeeded: async () => {
      await reconciler.look(false);
      const current = book.current();
      if (underWay.interrupted !== null) return true;
      return !parts.link.state.up || current === null || !book.isWhole(current);
    },
    memoryAllows: () => memoryAllowsWorker(book.current()?.pid ?? null),
    // What runs is the live file, an operator's own edit included; it is validated like any other before the reload.
    halfDone: () => underWay.interrupted !== null,
    onEnded: (ended) => observers.reloads.ended(ended),
    inForce: async () => {
      // A change that was not finished is made or unmade by what the database says.
      if (underWay.interrupted === 'rendered') return null;
      const configText = await live.read();
      if (configText === null) return await readableKnownGood(backups, log);
      return { configText, files: await filesNamedIn(settings.sitesMap, configText) };
    },
  });

  const takenAddresses = async (): Promise<string[]> =>
    (await tryBind(bindAddresses((await live.read()) ?? '')))
      .filter(({ code }) => code === 'EADDRINUSE')
      .map(({ address }) => address.text);
  const ensureStart = () =>
    ensureStartConfiguration({ live, backups, proxyBin: settings.proxyBin, mapFiles, render: renderStored, log });
  const supervisor = settings.supervise
    ? new Supervisor({
        proxyBin: settings.proxyBin,
        configFile: settings.configFile,
        masterSocketPath: settings.masterSocket,
        pidFile: settings.pidFile,
        outputFile: join(settings.stateDir, 'proxy-output.log'),
        socket,
        log,
        beforeStart: async () => {
          await facts.read();
          await writeMaps();
          const start = await ensureStart();
          return start.usable ? null : `no configuration that the proxy takes: ${start.output}`;
        },
        takenAddresses,
        onRunning: () => {
          reconciler.kick();
          reloads.reconsider();
        },
      })
    : null;

  const keys = new ApiKeys({ store: new ApiKeysStore(database), given: settings.apiKey, log, tell, now });
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
    versions: () => ({
      service: version,
      proxy: facts.versionOf(book.runningVersion),
      unsupported: facts.unsupportedBy(book.runningVersion),
    }),
    proxyProblems: async () => {
      const problems: string[] = [];
      if (supervisor !== null && !supervisor.state.running) problems.push(`supervision: ${supervisor.state.reason}`);
      const pids = [...book.all().map(({ pid }) => pid), ...(book.masterPid === null ? [] : [book.masterPid])];
      const text = (await live.read()) ?? '';
      const lacking = rule.problemOf(text);
      if (lacking !== null) problems.push(lacking);
      const foreigners = await lastingForeigners({ pids, masterPid: book.masterPid }, (known) =>
        foreignListeners(bindAddresses(text), known),
      );
      for (const foreign of foreigners) {
        problems.push(`${foreign}: somebody else listens on it too, and serves requests past the blocked map`);
      }
      return problems;
    },
    started: () => started,
  });
  const healthWatch: HealthWatch = new HealthWatch({ look: (how) => health.look(how), tell, log });

  options.signal?.addEventListener('abort', () => supervisor?.abandon(), { once: true });
  try {
    await prepare();
  } catch (error) {
    await stop();
    throw error;
  }

  /** State first, then the file, then the proxy: nobody is served by less than the database says. */
  async function prepare(): Promise<void> {
    await underWay.find();
    const acceptShrink = await parts.bulk.finishInterrupted();
    await takeOverMapFile();
    crashPoint('start.imported');
    await keeper.updateBlockedIpsMap({ acceptOtherFile: settings.acceptMapFile || !knownInstance, acceptShrink });
    crashPoint('start.blocked-map-written');
    await parts.bulk.forgetFinished();
    await trusted.updateTrustedIpsMap();
    crashPoint('start.trusted-map-written');
    if (!knownInstance) await rememberInstance(settings, instance, log);
    crashPoint('start.instance-remembered');
    await ensureServerStateFile(serverStateFile);
    crashPoint('start.server-state-made');
    await keys.ensureFirstKey(keyFile, (row) => audit.finished(row, {}));
    if ((await live.read()) === null) await reportStart(await ensureStart());
    await rule.look();
    crashPoint('start.configuration-ready');
    await supervisor?.start();
    crashPoint('start.proxy-runs');
    await rememberKnownGood();
    crashPoint('start.known-good-recorded');
  }

  async function stop(): Promise<void> {
    started = false;
    idleMemory.stop();
    const watched = healthWatch.stop();
    await parts.expiry.stop();
    parts.bulk.stop();
    await supervisor?.stop();
    await reloads.stop();
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
    if (options.endsProxy === true) await supervisor?.endProxy();
    for (const lock of locks) lock.free();
  }

  async function takeOverMapFile(): Promise<void> {
    await removeStaleTemporaries(settings.blockedMap);
    if (knownInstance) return;
    const { exists, header } = await readMapFileHeader(settings.blockedMap);
    if (!exists || header?.database === instance.databaseId) return;
    const done = await importMapFile(settings.blockedMap, parts.store, log, now());
    audit.done({ operation: 'import_map_file', keyName: null, source: null, requestId: null, details: { ...done } });
  }

  /** What runs and was found valid is what a failed reload goes back to. */
  async function rememberKnownGood(): Promise<void> {
    const text = await live.read();
    if (text === null || (await readableKnownGood(backups, log)) !== null) return;
    const start = await ensureStart();
    if (!start.usable || start.source !== 'live') return;
    await backups.markKnownGood(text, await filesNamedIn(settings.sitesMap, text));
  }

  function reportStart(start: Awaited<ReturnType<typeof ensureStart>>): void {
    if (!start.usable) log.error('No configuration that the proxy takes', { output: start.output });
  }

  const metrics = new Metrics(
    registry,
    observers,
    {
      version,
      proxyVersion: () => facts.versionOf(book.runningVersion),
      sets: setSources(parts),
      reloads,
      storedFacts: () => storedFacts(parts.store, sitesStore),
      expiringEntries: () => parts.store.countEnding(),
      health: gentleHealth(health),
      proxyStats: () => proxyStats({ stats: statsSocket, master: socket }, sitesStore),
    },
    log,
  );
  const configuration = new Configuration({
    live,
    backups,
    reloads,
    history: new ReloadsStore(database),
    render: renderStored,
    proxyBin: settings.proxyBin,
    log,
  });

  return {
    services: {
      ...measuredServices(
        {
          blockedSet: parts.blockedSet,
          trustedIps: trusted,
          sites: new Sites({ store: sitesStore, reloads, socket, log, tell, now }),
          configuration,
          keys,
        },
        observers.operations,
      ),
      audit,
      events: new EventFeed(ring),
      webhooks: webhooksService(webhooks),
      health,
      panel,
      metrics,
      log,
    },
    keyFile,
    async begin() {
      crashPoint('start.listening');
      await webhooks.start();
      parts.expiry.start();
      firstLook = reconciler.look(true);
      await firstLook;
      if (underWay.interrupted !== null) reloads.schedule('a crash interrupted one');
      crashPoint('start.workers-compared');
      reconciler.start();
      growSparingly();
      idleMemory.start();
      audit.start();
      started = true;
      const proxy = facts.versionOf(book.runningVersion);
      log.info('Service started', { version, proxy });
      tell('service.started', { version, proxy });
      healthWatch.start();
    },
    async stop() {
      await stop();
      log.info('Service stopped');
    },
  };
}
