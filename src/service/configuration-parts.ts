// The configuration of the proxy, and the proxy that runs with it, wired together: the template, the live file, what
// makes them one, and who starts the proxy where that is the service's job.
import { join } from 'node:path';
import { BackupStore } from '../configuration/backup-store.ts';
import { configurationInForce } from '../configuration/in-force.ts';
import { takenAddresses } from '../configuration/listeners.ts';
import { LiveFile } from '../configuration/live-file.ts';
import { LiveOrigin } from '../configuration/live-origin.ts';
import { ReloadCoordinator } from '../configuration/reload-coordinator.ts';
import { ReloadUnderWay } from '../configuration/reload-under-way.ts';
import type { RenderedConfiguration } from '../configuration/render.ts';
import { shared } from '../configuration/render-turns.ts';
import { SafeReload } from '../configuration/safe-reload.ts';
import { ensureStartConfiguration } from '../configuration/start-configuration.ts';
import { Template } from '../configuration/template.ts';
import type { Site } from '../domain/site.ts';
import type { MasterSocket } from '../haproxy/master-socket.ts';
import type { ReloadOutcome } from '../haproxy/reloader.ts';
import type { MetricObservers } from '../metrics/observers.ts';
import type { Settings } from '../settings.ts';
import type { ReloadsStore } from '../store/reloads-store.ts';
import type { SitesStore } from '../store/sites-store.ts';
import { memoryAllowsWorker } from '../supervision/memory.ts';
import { Supervisor } from '../supervision/supervisor.ts';
import type { Tell } from '../telemetry/activity.ts';
import type { Log } from '../telemetry/log.ts';
import type { BlockingParts } from './blocking-parts.ts';
import { ConfigurationDrift } from './configuration-drift.ts';
import { LiveRule } from './live-rule.ts';
import type { ProxyFacts } from './proxy-facts.ts';
import { ProxyReload } from './proxy-reload.ts';
import { verifyWorkers } from './verify-workers.ts';

export type ConfigurationParts = Awaited<ReturnType<typeof wireConfiguration>>;

/** @throws when the template cannot be read */
export async function wireConfiguration(options: {
  readonly settings: Settings;
  readonly sites: SitesStore;
  readonly history: ReloadsStore;
  readonly parts: Pick<BlockingParts, 'keeper' | 'trusted' | 'reconciler' | 'book' | 'link'>;
  readonly socket: MasterSocket;
  readonly facts: ProxyFacts;
  readonly observer: MetricObservers['reloads'];
  readonly log: Log;
  readonly tell: Tell;
  readonly now: () => Date;
}) {
  const { settings, sites: sitesStore, parts, socket, facts, log, tell, now } = options;
  const { keeper, trusted, reconciler, book } = parts;
  const live = new LiveFile(settings.configFile);
  const origin = new LiveOrigin(join(settings.stateDir, 'live-configuration'));
  const backups = new BackupStore(settings.backupDir, now);
  const template = settings.template === null ? Template.builtIn() : await Template.fromFile(settings.template);
  const serverStateFile = join(settings.stateDir, 'server-state');
  const render = (sites: Iterable<Site> | AsyncIterable<Site>): Promise<RenderedConfiguration> =>
    template.render({
      blockedMap: settings.blockedMap,
      trustedMap: settings.trustedMap,
      httpBind: settings.httpBind,
      statsSocket: settings.statsSocket,
      hardStopAfter: settings.hardStopAfter,
      connectionsPerSource: settings.connectionsPerSource,
      sitesMapBase: settings.sitesMap,
      serverStateFile,
      sites,
    });
  // Health, differences and dry runs may be asked for by many at a time.
  const renderStored = shared(async () => await render(await sitesStore.all()));
  const writeMaps = async (): Promise<void> => {
    if (keeper.problem !== null || !(await keeper.file.unchanged())) await keeper.updateBlockedIpsMap();
    await trusted.updateTrustedIpsMap();
  };
  const mapFiles = [settings.blockedMap, settings.trustedMap];
  const ensureStart = () =>
    ensureStartConfiguration({
      live,
      origin,
      backups,
      proxyBin: settings.proxyBin,
      mapFiles,
      render: renderStored,
      log,
    });

  const rule = new LiveRule(live, settings, log);
  const outputFile = join(settings.stateDir, 'proxy-output.log');
  const proxyReload = new ProxyReload({
    settings,
    outputFile: settings.supervise ? outputFile : null,
    live,
    socket,
    parts,
    serverStateFile,
    supervisor: () => supervisor,
    workerReadsConfiguration: () => facts.capabilitiesOf(parts.book.runningVersion).workerReadsConfiguration,
    log,
  });
  const reloadProxy = async (): Promise<ReloadOutcome> => {
    const outcome = await proxyReload.reload();
    await rule.look();
    return outcome;
  };
  const underWay = new ReloadUnderWay(join(settings.stateDir, 'reload-under-way'));
  const safeReload = new SafeReload({
    live,
    origin,
    backups,
    proxyBin: settings.proxyBin,
    sitesMapBase: settings.sitesMap,
    mapFiles,
    surroundings: {
      render,
      sites: () => sitesStore.all(),
      writeMaps,
      reloadProxy,
      verifyWorkers: () => verifyWorkers({ reconciler, book }),
    },
    underWay,
    log,
  });
  const reloads = new ReloadCoordinator({
    safeReload,
    store: options.history,
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
    halfDone: () => underWay.interrupted !== null,
    onEnded: (ended) => options.observer.ended(ended),
    inForce: () => configurationInForce({ live, origin, backups, underWay, sitesMapBase: settings.sitesMap, log }),
  });

  const drift = new ConfigurationDrift({
    live,
    origin,
    render: renderStored,
    template: settings.template,
    reloads,
    log,
  });

  const supervisor: Supervisor | null = settings.supervise
    ? new Supervisor({
        proxyBin: settings.proxyBin,
        configFile: settings.configFile,
        masterSocketPath: settings.masterSocket,
        pidFile: settings.pidFile,
        outputFile,
        socket,
        log,
        beforeStart: async () => {
          await options.facts.read();
          await writeMaps();
          const start = await ensureStart();
          if (start.usable) return null;
          return new Error(
            'no configuration that the proxy takes; the log and `proxy-manager config validate` have its words',
            { cause: new Error(start.output) },
          );
        },
        takenAddresses: async () => await takenAddresses((await live.read()) ?? ''),
        onRunning: () => {
          reconciler.kick();
          reloads.reconsider();
        },
      })
    : null;
  return {
    live,
    origin,
    drift,
    backups,
    serverStateFile,
    template,
    renderStored,
    ensureStart,
    rule,
    underWay,
    reloads,
    supervisor,
  };
}
