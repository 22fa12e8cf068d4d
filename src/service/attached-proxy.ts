// HAProxy with a configuration that others write, wired together: the service keeps the maps, reads what the front ends
// do with them, and asks for a reload where a change did not get into a worker otherwise (ADR 0051).
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type AttachedCheck, AttachedReload } from '../configuration/reload/attached-reload.ts';
import { ReloadCoordinator } from '../configuration/reload/reload-coordinator.ts';
import { verifyWorkers } from '../configuration/reload/worker-comparison.ts';
import { checkConfiguration } from '../haproxy/process/binary.ts';
import { workFolderOfProxy } from '../haproxy/process/configuration-files.ts';
import { ProxyReloader } from '../haproxy/process/reloader.ts';
import { MasterSocketError, socketFailureReason } from '../haproxy/socket/master-socket-error.ts';
import { memoryAllowsWorker } from '../supervision/memory.ts';
import { AttachedConfiguration, type RunningArguments } from './attached-configuration.ts';
import { noSites, OthersConfiguration } from './attached-services.ts';
import type { ProxySide, ProxySideOptions } from './proxy-side.ts';

// What an attached service may use of a HAProxy that others run: its own check of their configuration, and its master
// socket. What only root may read (certificates, a stats password) makes the check fail for everybody else, which says
// nothing about the configuration.

/** @throws ConfigurationCheckError when the check cannot be made or does not end */
async function attachedCheck(proxyBin: string, running: RunningArguments): Promise<AttachedCheck> {
  const folder = await workFolderOfProxy(running);
  const files = running.files.map((file) => resolve(folder, file));
  const barred = await unreadableOf(files);
  if (barred !== null) return { verdict: 'unknown', output: `this service may not read ${barred}` };
  const { valid, output } = await checkConfiguration(proxyBin, files, { folder });
  if (valid) return { verdict: 'valid', output };
  const named = await unreadableOf(pathsIn(output).map((path) => resolve(folder, path)));
  if (named !== null) return { verdict: 'unknown', output: `this service may not read ${named}` };
  return { verdict: 'invalid', output };
}

/** What a start says before anybody asks for health: whether this user may use the master socket. */
async function socketProblems(path: string): Promise<string[]> {
  try {
    await access(path, constants.R_OK | constants.W_OK);
    return [];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    const reason = socketFailureReason(error as NodeJS.ErrnoException, false);
    return [new MasterSocketError(reason, { path, command: '', cause: error }).message];
  }
}

/** The first that is there, or lies below a folder that may not be entered, and that this user may not read. */
async function unreadableOf(paths: readonly string[]): Promise<string | null> {
  for (const path of paths) {
    try {
      await access(path, constants.R_OK);
    } catch (error) {
      if (['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return path;
    }
  }
  return null;
}

/** As HAProxy quotes them: `'/etc/ssl/private/site.pem'`, `from file '…'`, `(/etc/…)`. */
function pathsIn(output: string): string[] {
  return [...new Set(output.match(/\/[A-Za-z0-9._/+@=:-]*[A-Za-z0-9_+@=/-]/g) ?? [])].slice(0, 200);
}

const reloadPatienceMs = 60_000;

export function wireAttachedProxy(options: ProxySideOptions): ProxySide {
  const { settings, parts, socket, versions, log, emit, now } = options;
  const { keeper, trusted, reconciler, book, link } = parts;
  const { reloadBy, pidFile, configFile, proxyBin } = settings;
  const configuration = new AttachedConfiguration({ settings, book, log });
  const check = async () => await attachedCheck(proxyBin, await configuration.arguments());
  const reloader = new ProxyReloader({
    socket,
    pidFile,
    configFile,
    knownMaster: () => book.masterPid,
    workerReadsConfiguration: () => versions.capabilitiesOf(book.runningVersion).workerReadsConfiguration,
    unit: reloadBy.kind === 'systemd' ? reloadBy.unit : null,
  });
  const reload = new AttachedReload({
    ports: {
      async writeMaps() {
        if (keeper.problem !== null || !(await keeper.file.unchanged())) await keeper.updateBlockedIpsMap();
        await trusted.updateTrustedIpsMap();
      },
      async reloadProxy() {
        const outcome = await reloader.reload(performance.now() + reloadPatienceMs);
        if (outcome.confirmed && outcome.processes !== null) {
          book.observe(outcome.processes);
          link.markUp(outcome.processes);
        }
        await configuration.look();
        return outcome;
      },
      verifyWorkers: () => verifyWorkers({ reconciler, book }),
    },
    check,
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
      await reconciler.look(false);
      const current = book.current();
      return !link.state.up || current === null || !book.isWhole(current);
    },
    // The look of the reconciler may have come before the one at the files.
    async obstacle() {
      await configuration.look();
      return configuration.reloadHindrance;
    },
    memoryAllows: () => memoryAllowsWorker(book.current()?.pid ?? null),
    interrupted: () => false,
    onEnded: (ended) => options.observer.ended(ended),
    inForce: async () => null,
  });
  return {
    sites: noSites(configFile),
    configuration: new OthersConfiguration({ configFile, reloads, check, history: options.history, emit }),
    reloads,
    get trust() {
      return configuration.trust;
    },
    drift: null,
    interrupted: false,
    mayReload: () => reloadBy.kind !== 'never' && configuration.reloadHindrance === null,
    look: () => configuration.look(),
    async problems() {
      await configuration.look();
      return configuration.problems();
    },
    attached: () => configuration.report(),
    review: async () => undefined,
    async start() {
      await configuration.look();
      const problems = [...(await socketProblems(settings.masterSocket)), ...configuration.problems()];
      for (const what of problems) log.warn('Blocks are not enforced everywhere', { what });
    },
    abandonStart: () => undefined,
    stop: () => reloads.stop(),
    endProxy: async () => undefined,
  };
}
