// HAProxy with a configuration that this service writes, wired together: the template, the live file, and the
// supervisor if this service starts HAProxy.
import { join } from 'node:path';
import { withTimeout } from '../concurrency/pause.ts';
import { shared } from '../concurrency/shared.ts';
import { BackupStore } from '../configuration/backups/backup-store.ts';
import { lastKnownGood } from '../configuration/backups/last-known-good.ts';
import { Configuration } from '../configuration/reload/configuration.ts';
import type { SubstituteCertificates } from '../configuration/reload/guarded-check.ts';
import { takenAddresses } from '../configuration/reload/listeners.ts';
import { LiveFile } from '../configuration/reload/live-file.ts';
import { LiveOrigin } from '../configuration/reload/live-origin.ts';
import { LiveRule } from '../configuration/reload/live-rule.ts';
import { ReloadCoordinator } from '../configuration/reload/reload-coordinator.ts';
import { ReloadMarker } from '../configuration/reload/reload-marker.ts';
import { ReloadOrStart } from '../configuration/reload/reload-or-start.ts';
import { SafeReload } from '../configuration/reload/safe-reload.ts';
import { scheduledConfiguration } from '../configuration/reload/scheduled-configuration.ts';
import { ensureServerStateFile } from '../configuration/reload/server-state.ts';
import { ensureStartConfiguration } from '../configuration/reload/start-configuration.ts';
import { verifyWorkers } from '../configuration/reload/worker-comparison.ts';
import { missingLogSocket } from '../configuration/template/access-log.ts';
import { currentDeniedPage } from '../configuration/template/denied-page.ts';
import type { RenderedConfiguration } from '../configuration/template/render.ts';
import { filesNamedIn } from '../configuration/template/sites-map.ts';
import { Template } from '../configuration/template/template.ts';
import type { Site } from '../domain/site.ts';
import { crashPoint } from '../faults/crash-point.ts';
import type { ReloadOutcome } from '../haproxy/process/reloader.ts';
import { ConfigurationDrift } from '../health/configuration-drift.ts';
import { proxyProblems } from '../health/proxy-problems.ts';
import { Sites } from '../sites/sites.ts';
import { memoryAllowsWorker } from '../supervision/memory.ts';
import { Supervisor } from '../supervision/supervisor.ts';
import { type ProxySide, type ProxySideOptions, readBeforeReloadMs } from './proxy-side.ts';

/** @throws when the template cannot be read */
export async function wireManagedProxy(options: ProxySideOptions): Promise<ProxySide> {
  const { settings, sites: sitesStore, parts, socket, certificates, versions, log, emit, now } = options;
  const { keeper, trusted, upstreams, https, challenges, reconciler, registry } = parts;
  const live = new LiveFile(settings.configFile);
  const origin = new LiveOrigin(join(settings.stateDir, 'live-configuration'));
  const backups = new BackupStore(settings.backupDir, now);
  const template = settings.template === null ? Template.builtIn() : await Template.fromFile(settings.template);
  const serverStateFile = join(settings.stateDir, 'server-state');
  const deniedPage = () =>
    currentDeniedPage({
      path: settings.deniedPage,
      base: settings.deniedPageBase,
      liveText: () => live.read(),
    });
  const fileBases = [settings.sitesMap, settings.deniedPageBase];
  const render = async (
    sites: Iterable<Site> | AsyncIterable<Site>,
    hasUpstreams?: boolean,
  ): Promise<RenderedConfiguration> => {
    const input = {
      blockedMap: settings.blockedMap,
      trustedMap: settings.trustedMap,
      upstreamsMap: settings.upstreamsMap,
      proxyProtocolMap: settings.proxyProtocolMap,
      hasUpstreams: hasUpstreams ?? (await upstreams.areStored()),
      httpBind: settings.httpBind,
      https: {
        bind: settings.httpsBind,
        publicPort: settings.httpsPublicPort,
        strictSni: settings.tlsStrictSni,
        defaultCertificate: join(settings.tlsDir, 'default.pem'),
        list: join(settings.tlsDir, 'certificates.list'),
        sitesMap: settings.httpsSitesMap,
        challengesMap: settings.acmeChallengesMap,
      },
      liveText: await live.read(),
      statsSocket: settings.statsSocket,
      hardStopAfter: settings.hardStopAfter,
      connectionsPerSource: settings.connectionsPerSource,
      accessLog: settings.accessLog,
      deniedPage: await deniedPage(),
      insight: settings.insight,
      sitesMapBase: settings.sitesMap,
      serverStateFile,
      sites,
    };
    return await template.render(input);
  };
  // Concurrent requests for health, diffs and dry runs share one render.
  const renderStored = shared(async () => await render(await sitesStore.all()));
  const writeMaps = async (): Promise<void> => {
    if (keeper.problem !== null || !(await keeper.file.unchanged())) await keeper.updateBlockedIpsMap();
    await trusted.updateTrustedIpsMap();
    await upstreams.updateUpstreamMaps();
    await https.updateHttpsMap();
    await challenges.updateChallengeMap();
    await certificates?.refresh();
  };
  const substitute: SubstituteCertificates | undefined =
    certificates === null ? undefined : (output, check) => certificates.substitute(output, check);
  const { blockedMap, trustedMap, upstreamsMap, proxyProtocolMap, httpsSitesMap, acmeChallengesMap } = settings;
  const mapFiles = [blockedMap, trustedMap, upstreamsMap, proxyProtocolMap, httpsSitesMap, acmeChallengesMap];
  const ensureStart = () =>
    ensureStartConfiguration({
      live,
      origin,
      backups,
      proxyBin: settings.proxyBin,
      mapFiles,
      render: renderStored,
      substitute,
      log,
    });

  const rule = new LiveRule({ live, settings, log });
  const outputFile = join(settings.stateDir, 'proxy-output.log');
  const reloadOrStart = new ReloadOrStart({
    settings,
    outputFile: settings.supervise ? outputFile : null,
    live,
    socket,
    parts,
    serverStateFile,
    supervisor: () => supervisor,
    workerReadsConfiguration: () => versions.capabilitiesOf(parts.registry.runningVersion).workerReadsConfiguration,
    log,
  });
  const reloadProxy = async (): Promise<ReloadOutcome> => {
    await withTimeout(options.beforeReload(), readBeforeReloadMs);
    const outcome = await reloadOrStart.run();
    await rule.check();
    return outcome;
  };
  const marker = new ReloadMarker(join(settings.stateDir, 'reload-under-way'), log);
  const safeReload = new SafeReload({
    live,
    origin,
    backups,
    proxyBin: settings.proxyBin,
    fileBases,
    mapFiles,
    substitute,
    ports: {
      render,
      sites: () => sitesStore.all(),
      writeMaps,
      reloadProxy,
      verifyWorkers: () => verifyWorkers({ reconciler, registry }),
    },
    marker,
    log,
  });
  const reloads = new ReloadCoordinator({
    reload: safeReload,
    store: options.history,
    log,
    emit,
    now,
    stillNeeded: async () => {
      await reconciler.check(false);
      const current = registry.current();
      if (marker.interrupted !== null || certificates?.reloadNeeded === true) return true;
      return !parts.link.state.up || current === null || !registry.isInSync(current);
    },
    memoryAllows: () => memoryAllowsWorker(registry.current()?.pid ?? null),
    interrupted: () => marker.interrupted !== null,
    configuration: () => scheduledConfiguration({ live, origin, backups, marker, fileBases, log }),
  });

  const drift = new ConfigurationDrift({
    live,
    origin,
    render: renderStored,
    inputs: [settings.template, settings.deniedPage].filter((path) => path !== null),
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
          await versions.read();
          await writeMaps();
          const start = await ensureStart();
          if (start.usable) return null;
          return new Error(
            'HAProxy accepts no configuration; its errors are in the log and in `proxy-manager config validate`',
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
  const { history } = options;
  return {
    sites: new Sites({ store: sitesStore, reloads, socket, emit, now }),
    upstreamReloads: reloads,
    configuration: new Configuration({
      live,
      origin,
      backups,
      reloads,
      history,
      render: renderStored,
      proxyBin: settings.proxyBin,
      emit,
    }),
    reloads,
    get trust() {
      return rule.trust;
    },
    get upstreams() {
      return rule.upstreams;
    },
    get https() {
      return rule.https;
    },
    get challenges() {
      return rule.challenges;
    },
    drift,
    get interrupted() {
      return marker.interrupted !== null;
    },
    mayReload: () => !rule.missing,
    check: () => rule.check(),
    async problems() {
      const problems = await proxyProblems({ configFile: live.path, rule, supervisor }, registry);
      return [...problems, ...upstreams.problems()];
    },
    async notices() {
      const { logSockets } = await rule.findings();
      const { refusal } = await deniedPage();
      const log = await missingLogSocket(logSockets);
      return [refusal, log, ...upstreams.notices()].filter((text) => text !== null);
    },
    attached: () => null,
    async review() {
      await marker.find();
    },
    async start() {
      await ensureServerStateFile(serverStateFile);
      crashPoint('start.server-state-made');
      await ensureConfiguration();
      const { refusal } = await deniedPage();
      if (refusal !== null) log.warn('Denied page refused', { cause: refusal });
      await rule.check();
      crashPoint('start.configuration-ready');
      await supervisor?.start();
      crashPoint('start.proxy-runs');
      await rememberKnownGood();
      crashPoint('start.known-good-recorded');
    },
    abandonStart: () => supervisor?.abandon(),
    async stop() {
      await supervisor?.stop();
      template.stop();
      await reloads.stop();
    },
    async endProxy() {
      await supervisor?.endProxy();
    },
  };

  async function ensureConfiguration(): Promise<void> {
    if ((await live.read()) !== null) return;
    const start = await ensureStart();
    if (!start.usable) log.error('HAProxy accepts no configuration', { output: start.output });
  }

  /** The running, validated configuration, restored after a failed reload. */
  async function rememberKnownGood(): Promise<void> {
    const text = await live.read();
    if (text === null || (await lastKnownGood(backups, log)) !== null) return;
    const start = await ensureStart();
    if (!start.usable || start.source !== 'live') return;
    await backups.markKnownGood(text, await filesNamedIn(fileBases, text));
  }
}
