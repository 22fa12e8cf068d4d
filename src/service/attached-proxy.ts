// HAProxy with a configuration that others write, wired together: the service maintains the maps, checks how the front
// ends use them, and requests a reload if a change did not reach a worker otherwise (ADR 0051).
import { withTimeout } from '../concurrency/pause.ts';
import { attachedCheck, socketProblems } from '../configuration/attached/attached-check.ts';
import { AttachedConfiguration } from '../configuration/attached/attached-configuration.ts';
import { AttachedOperations, refuseAttached } from '../configuration/attached/attached-operations.ts';
import { AttachedReload } from '../configuration/attached/attached-reload.ts';
import { ReloadCoordinator } from '../configuration/reload/reload-coordinator.ts';
import { verifyWorkers } from '../configuration/reload/worker-comparison.ts';
import { ProxyReloader } from '../haproxy/process/reloader.ts';
import { configurationReadSince } from '../haproxy/process/workers.ts';
import { memoryAllowsWorker } from '../supervision/memory.ts';
import { type ProxySide, type ProxySideOptions, readBeforeReloadMs } from './proxy-side.ts';

const reloadPatienceMs = 60_000;
const readSinceMs = 1_000;

export function wireAttachedProxy(options: ProxySideOptions): ProxySide {
  const { settings, parts, socket, certificates, versions, log, emit, now } = options;
  const { keeper, trusted, upstreams, challenges, reconciler, registry, link } = parts;
  const { reloadBy, pidFile, configFile, proxyBin } = settings;
  const configuration = new AttachedConfiguration({
    settings,
    registry,
    readSince: (worker) => configurationReadSince(socket, worker, performance.now() + readSinceMs),
    log,
  });
  const check = async () => await attachedCheck(proxyBin, await configuration.arguments());
  const reloader = new ProxyReloader({
    socket,
    pidFile,
    configFile,
    knownMaster: () => registry.masterPid,
    workerReadsConfiguration: () => versions.capabilitiesOf(registry.runningVersion).workerReadsConfiguration,
    unit: reloadBy.kind === 'systemd' ? reloadBy.unit : null,
  });
  const reload = new AttachedReload({
    ports: {
      async writeMaps() {
        if (keeper.problem !== null || !(await keeper.file.unchanged())) await keeper.updateBlockedIpsMap();
        await trusted.updateTrustedIpsMap();
        await upstreams.updateUpstreamMaps();
        await challenges.updateChallengeMap();
        await certificates?.refresh();
      },
      async reloadProxy() {
        await withTimeout(options.beforeReload(), readBeforeReloadMs);
        const outcome = await reloader.reload(performance.now() + reloadPatienceMs);
        if (outcome.confirmed && outcome.processes !== null) {
          registry.observe(outcome.processes);
          link.markUp(outcome.processes);
        }
        await configuration.check();
        return outcome;
      },
      verifyWorkers: () => verifyWorkers({ reconciler, registry }),
    },
    check,
    substitute: certificates === null ? undefined : (output, check) => certificates.substitute(output, check),
    mayReload: reloadBy.kind !== 'never',
    log,
  });
  const reloads = new ReloadCoordinator({
    reload,
    store: options.history,
    log,
    emit,
    now,
    stillNeeded: async () => {
      await reconciler.check(false);
      const current = registry.current();
      if (certificates?.reloadNeeded === true) return true;
      return !link.state.up || current === null || !registry.isInSync(current);
    },
    // The reconciler's check may precede the one of the files.
    async obstacle() {
      await configuration.check();
      return configuration.reloadObstacle;
    },
    memoryAllows: () => memoryAllowsWorker(registry.current()?.pid ?? null),
    interrupted: () => false,
    configuration: async () => null,
  });
  const noSites = async () => refuseAttached(configFile, 'sites');
  return {
    sites: { list: noSites, get: noSites, put: noSites, change: noSites, remove: noSites, servers: noSites },
    upstreamReloads: null,
    configuration: new AttachedOperations({ configFile, reloads, check, history: options.history, emit }),
    reloads,
    get trust() {
      return configuration.trust;
    },
    get upstreams() {
      return configuration.upstreams;
    },
    // Sites, and so redirects, are the operator's.
    https: { mapLoaded: false },
    get challenges() {
      return configuration.challenges;
    },
    drift: null,
    interrupted: false,
    mayReload: () => reloadBy.kind !== 'never' && configuration.reloadObstacle === null,
    check: () => configuration.check(),
    async problems() {
      await configuration.check();
      return [...configuration.problems(), ...upstreams.problems()];
    },
    async notices() {
      await configuration.check();
      return upstreams.notices();
    },
    attached: () => configuration.report(),
    review: async () => undefined,
    async start() {
      await configuration.check();
      const problems = [...(await socketProblems(settings.masterSocket)), ...configuration.problems()];
      for (const what of problems) log.warn('Blocks are not enforced everywhere', { what });
    },
    abandonStart: () => undefined,
    stop: () => reloads.stop(),
    endProxy: async () => undefined,
  };
}
