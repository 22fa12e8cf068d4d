// SIGTERM and SIGINT stop the service after the requests in progress; HAProxy continues. SIGHUP reopens the log.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { armCrashPoint, crashVariable } from '../../faults/crash-point.ts';
import { createApp } from '../../http/app.ts';
import { type Listening, listen, replaceCertificate } from '../../http/listen.ts';
import { ListenCertificate } from '../../http/listen-certificate.ts';
import { plainTextNotice } from '../../http/listen-notices.ts';
import { startService } from '../../service/service.ts';
import { listenCertificateId } from '../../setting-values.ts';
import type { Settings } from '../../settings.ts';
import { decidesProxy } from '../../settings-for-proxy.ts';
import { makeStateFolder } from '../../start/folders-and-locks.ts';
import { listenRefused } from '../../start/listen-refusal.ts';
import { proxyFromDisk } from '../../start/proxy-from-disk.ts';
import { notifyReady } from '../../start/readiness.ts';
import { checkSettings } from '../../start/settings-check.ts';
import { causeText, ManagerLog } from '../../telemetry/log.ts';
import { version } from '../../version.ts';
import { guardLog, tightenUmask } from './guard-log.ts';

const graceMs = 10_000;

interface Served {
  readonly url: string;
  readonly keyFile: string;
  /** Resolves when everything was released. */
  readonly ended: Promise<void>;
}

interface ServeOptions {
  /** For the JSON lines, instead of standard output. */
  readonly jsonFile?: string;
  /** HAProxy stops with the service, and both stop when the terminal closes. */
  readonly trial?: boolean;
}

/** The service does not start. The message says why, and whether HAProxy runs. */
export class StartFailed extends Error {
  override readonly name = 'StartFailed';
}

class StartAttempt {
  readonly stopping = new AbortController();
  log: ManagerLog | null = null;

  stop(why: string): void {
    if (this.stopping.signal.aborted) return;
    this.log?.info('Service stops', { why });
    this.stopping.abort();
  }
}

/**
 * Null if a signal stopped it before it had started.
 * @throws StartFailed under supervision, with HAProxy running; else the error that prevented the start
 */
export async function serve(settings: Settings, options: ServeOptions = {}): Promise<Served | null> {
  const attempt = new StartAttempt();
  try {
    return await start(settings, options, attempt);
  } catch (error) {
    if (attempt.stopping.signal.aborted) throw error;
    throw await refusal(error, options.trial === true ? { ...settings, supervise: false } : settings, attempt);
  }
}

/**
 * Under supervision, starts HAProxy despite a wrong setting that HAProxy does not depend on.
 * @param settings valid as far as HAProxy needs them
 * @returns the error to throw
 */
export async function refusedBySettings(error: Error, settings: Settings): Promise<unknown> {
  const attempt = new StartAttempt();
  takeSignals(attempt, false);
  return await refusal(error, settings, attempt);
}

async function start(settings: Settings, options: ServeOptions, attempt: StartAttempt): Promise<Served | null> {
  const isArmed = armCrashPoint(process.env[crashVariable]);
  await checkSettings(settings);
  const trial = options.trial === true;
  guardLog(settings, !trial);
  // Before the log, which in a trial would create the state folder with the default mode.
  await makeStateFolder(settings);
  const log = new ManagerLog(settings.logFile, options.jsonFile ?? 1);
  attempt.log = log;
  await nameProcess(log);
  if (isArmed) log.warn('A crash point is armed; this service will kill itself', { at: process.env[crashVariable] });
  const { listen: address, listenCertificate, listenKey } = settings;
  const notice = plainTextNotice(address, listenCertificate !== null);
  if (notice !== null) log.warn('API without TLS', { what: notice });
  const standIn = listenCertificateId(settings) === null ? null : join(settings.tlsDir, 'default.pem');
  const files = listenCertificate === null ? null : { certificate: listenCertificate, key: listenKey, standIn };
  const openFiles = async () =>
    files === null ? null : await ListenCertificate.open(files, { log, now: () => new Date() });
  // The service writes the files of its own certificates at its start.
  let own = standIn === null ? await openFiles() : null;
  const { signal } = attempt.stopping;
  // A signal during the start must leave nothing half started.
  takeSignals(attempt, trial);

  const service = await startService(settings, log, version, {
    signal,
    endsProxy: trial,
    refusesWideRights: !trial,
    listenNotices: () => [...(notice === null ? [] : [notice]), ...(own?.notices() ?? [])],
  });
  if (signal.aborted) {
    await service.stop();
    return null;
  }
  let listening: Listening;
  try {
    own ??= await openFiles();
  } catch (error) {
    await service.stop();
    throw error;
  }
  try {
    const tls = own === null ? {} : { tls: own.options };
    const app = createApp(service.services, { metricsOpen: settings.metricsOpen, ...tls });
    listening = await listen(app, address.target);
    own?.watch((changed) => replaceCertificate(app, changed));
  } catch (error) {
    await service.stop();
    throw await listenRefused(error, address);
  }
  log.info('API listens', { url: listening.url });
  const begun = service.begin();
  const end = async (): Promise<void> => {
    await own?.stop();
    const cut = await listening.close(graceMs);
    if (cut > 0) log.warn('Requests were cut off at shutdown', { connections: cut });
    await Promise.all([service.stop(), Promise.allSettled([begun])]);
  };
  let ending: Promise<void> | null = null;
  const shutDown = (): Promise<void> => {
    ending ??= end();
    return ending;
  };
  const ended = signal.aborted
    ? shutDown()
    : new Promise<void>((resolve, reject) => {
        signal.addEventListener('abort', () => shutDown().then(resolve, reject), { once: true });
      });
  try {
    await begun;
  } catch (error) {
    // Releases the locks, which `proxyFromDisk` takes after a failed start. HAProxy continues, except in a trial.
    const logFailure = (failure: unknown): void => {
      log.error('Could not stop the service after a failed start', { cause: causeText(failure) });
    };
    await shutDown().catch(logFailure);
    // After a signal, `ended` rejects with the same failure.
    ended.catch(logFailure);
    throw error;
  }
  await notifyReady(listening.url, log);
  return { url: listening.url, keyFile: service.keyFile, ended };
}

function takeSignals(attempt: StartAttempt, trial: boolean): void {
  process.on('SIGTERM', () => attempt.stop('SIGTERM'));
  process.on('SIGINT', () => attempt.stop('SIGINT'));
  process.on('SIGHUP', () => (trial ? attempt.stop('SIGHUP') : attempt.log?.reopen()));
  // Node's default opens a debugger port, through which any local user could act as the service.
  process.on('SIGUSR1', () => attempt.log?.warn('SIGUSR1 is ignored; SIGHUP reopens the log'));
}

/** An error of the service must not stop the sites, unless it concerns HAProxy itself. */
async function refusal(error: unknown, settings: Settings, { log, stopping }: StartAttempt): Promise<unknown> {
  const cause = causeText(error);
  const variable = (error as { variable?: unknown }).variable;
  if (!settings.supervise || (typeof variable === 'string' && decidesProxy(variable))) {
    log?.error('Start refused', { cause });
    return error;
  }
  tightenUmask();
  // If the log was not opened, its path may be the error.
  const refusalLog = log ?? new ManagerLog('-');
  const proxy = await proxyFromDisk(settings, refusalLog, stopping.signal);
  refusalLog.error('Start refused', { cause, proxy });
  return new StartFailed(`${cause}; ${proxy}`, { cause: error });
}

/** The name in `ps -e`, `top` and the message about a lock's holder. */
async function nameProcess(log: ManagerLog): Promise<void> {
  await writeFile('/proc/self/comm', 'proxy-manager').catch((error: Error) => {
    log.warn('Could not set the name of the process', { cause: causeText(error) });
  });
}
