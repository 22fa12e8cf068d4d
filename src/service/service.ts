// Starts the parts in order, and stops them in order. `wire.ts` creates them.

import { join } from 'node:path';
import { crashPoint } from '../faults/crash-point.ts';
import type { Services } from '../http/services.ts';
import type { Settings } from '../settings.ts';
import { makeFolders, takeLocks } from '../start/folders-and-locks.ts';
import { openState } from '../start/open-state.ts';
import { checkRights } from '../start/rights-check.ts';
import { TrustedIpsStore } from '../store/trusted-ips-store.ts';
import { UpstreamsStore } from '../store/upstreams-store.ts';
import { ProxyVersions } from '../supervision/proxy-versions.ts';
import type { ServiceLock } from '../supervision/service-lock.ts';
import { IdleMemory } from '../system/idle-memory.ts';
import { MemorySaver } from '../system/memory-saver.ts';
import type { Log } from '../telemetry/log.ts';
import { prepareStart } from './prepare-start.ts';
import { wireService } from './wire.ts';

interface RunningService {
  readonly services: Services;
  /** Where the key made at the first start was written. */
  readonly keyFile: string;
  /** Call when the API listens: from here on the service is ready. */
  begin(): Promise<void>;
  /** Ends everything in progress and releases all resources; HAProxy continues, unless `endsProxy`. */
  stop(): Promise<void>;
}

interface StartOptions {
  /** Aborted: the service ends as soon as it has started, without waiting for HAProxy's start. */
  readonly signal?: AbortSignal;
  /** Default false: HAProxy outlives the service. */
  readonly endsProxy?: boolean;
  /**
   * Default true: files that other users could replace stop the start. False: they are only logged, for a trial in any
   * folder.
   */
  readonly refusesWideRights?: boolean;
  /** What an operator should know of how the API listens. Default: nothing. */
  readonly listenNotices?: () => readonly string[];
}

/** @throws StartRefused, ProxyVersionError and system errors, each with what to do; nothing is left running */
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
  crashPoint('start.locked');
  const versions = new ProxyVersions(settings.proxyBin, log);
  await versions.read();
  const state = await openState(settings);
  crashPoint('start.database-opened');
  let started = false;
  let firstComparison: Promise<void> | null = null;
  const parts = await wireService({
    settings,
    state,
    versions,
    version,
    started: () => started,
    listenNotices: options.listenNotices ?? (() => []),
    log,
  });
  const {
    services,
    blocking,
    tls,
    sitesTls,
    watches,
    issuance,
    proxy,
    facts,
    audit,
    webhooks,
    notices,
    keys,
    healthWatch,
    insight,
    now,
  } = parts;
  const { reconciler } = blocking;
  const keyFile = join(settings.stateDir, 'api-key');
  const memorySaver = MemorySaver.ofThisProcess();
  const idleMemory = IdleMemory.ofThisProcess();

  async function begin(): Promise<void> {
    crashPoint('start.listening');
    await webhooks.start();
    blocking.expiry.start();
    blocking.trustExpiry.start();
    blocking.releases.start();
    if (!settings.attached) sitesTls.start();
    firstComparison = reconciler.check(true);
    await firstComparison;
    if (proxy.interrupted) proxy.reloads.schedule('a crash interrupted the previous reload');
    crashPoint('start.workers-compared');
    reconciler.start();
    tls?.start();
    for (const watch of watches) watch.start();
    issuance?.start();
    await parts.beginInsight();
    memorySaver.start();
    idleMemory.start();
    audit.start();
    started = true;
    const running = { version, proxy: versions.versionOf(blocking.registry.runningVersion) };
    // Sources, or what `npm run build` made of them (bin/proxy-manager).
    log.info('Service started', { ...running, program: process.argv[1] });
    facts.emit('service.started', running);
    healthWatch.start();
  }

  async function stop(): Promise<void> {
    started = false;
    memorySaver.stop();
    idleMemory.stop();
    const watched = Promise.all([healthWatch.stop(), ...watches.map((watch) => watch.stop())]);
    await issuance?.stop();
    await sitesTls.stop();
    await blocking.expiry.stop();
    await blocking.trustExpiry.stop();
    blocking.bulk.stop();
    await insight?.stop();
    await proxy.stop();
    // Nothing needs HAProxy's answers from here on: stops waiting for a hung worker.
    parts.socket.close();
    await blocking.releases.stop();
    await watched;
    await tls?.stop();
    parts.statsSocket.close();
    await firstComparison;
    await reconciler.stop();
    await blocking.link.close();
    await blocking.turns.drained();
    await blocking.keeper.file.close();
    await webhooks.stop();
    await notices.stop();
    await audit.stop();
    await state.database.close();
    if (options.endsProxy === true) await proxy.endProxy();
    for (const lock of locks) lock.free();
  }

  options.signal?.addEventListener('abort', () => proxy.abandonStart(), { once: true });
  const trustedIps = new TrustedIpsStore(state.database);
  const upstreamsStore = new UpstreamsStore(state.database);
  try {
    await prepareStart({
      settings,
      state,
      blocking,
      trustedIps,
      upstreamsStore,
      tls,
      sitesTls,
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
  return {
    services,
    keyFile,
    begin,
    async stop() {
      await stop();
      log.info('Service stopped');
    },
  };
}
