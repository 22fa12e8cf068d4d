// `serve`: the service itself, in the foreground. SIGTERM and SIGINT end it after what is in flight was answered; the
// proxy goes on. SIGHUP opens the manager log anew.
import { writeFile } from 'node:fs/promises';
import { armCrashPoint, crashVariable } from '../../faults/crash-point.ts';
import { createApp } from '../../http/app.ts';
import { type Listening, listen } from '../../http/listen.ts';
import { startService } from '../../service/service.ts';
import type { Settings } from '../../settings.ts';
import { decidesProxy } from '../../settings-for-proxy.ts';
import { makeStateFolder } from '../../start/folders-and-locks.ts';
import { listenRefused } from '../../start/listen-refusal.ts';
import { proxyFromDisk } from '../../start/proxy-from-disk.ts';
import { tellReady } from '../../start/readiness.ts';
import { checkSettings } from '../../start/settings-check.ts';
import { causeText, ManagerLog } from '../../telemetry/log.ts';
import { version } from '../../version.ts';
import { guardLog, tightenUmask } from './guard-log.ts';

const graceMs = 10_000;

export interface Served {
  readonly url: string;
  readonly keyFile: string;
  /** Resolves when everything was let go of. */
  readonly ended: Promise<void>;
}

export interface ServeOptions {
  /** A file that takes the JSON lines in place of standard output. */
  readonly jsonFile?: string;
  /** The proxy is ended with the service, and a terminal that goes away ends both. */
  readonly trial?: boolean;
}

/** The service does not start. The message says why, and what became of the proxy. */
export class StartFailed extends Error {
  override readonly name = 'StartFailed';
}

/** As far as a start came. */
class Attempt {
  readonly stopping = new AbortController();
  log: ManagerLog | null = null;

  stop(why: string): void {
    if (this.stopping.signal.aborted) return;
    this.log?.info('Service stops', { why });
    this.stopping.abort();
  }
}

/**
 * Null: it was told to stop before it had started.
 * @throws StartFailed under supervision, with the proxy left running; else what kept it from starting
 */
export async function serve(settings: Settings, options: ServeOptions = {}): Promise<Served | null> {
  const attempt = new Attempt();
  try {
    return await start(settings, options, attempt);
  } catch (error) {
    if (attempt.stopping.signal.aborted) throw error;
    throw await refusal(error, options.trial === true ? { ...settings, supervise: false } : settings, attempt);
  }
}

/**
 * For a wrong setting that the proxy does not need: starts that under supervision, as `serve` does.
 * @param settings all that the proxy needs of them is right
 * @returns what is to be thrown
 */
export async function refusedBySettings(error: Error, settings: Settings): Promise<unknown> {
  const attempt = new Attempt();
  takeSignals(attempt, false);
  return await refusal(error, settings, attempt);
}

async function start(settings: Settings, options: ServeOptions, attempt: Attempt): Promise<Served | null> {
  const mayDie = armCrashPoint(process.env[crashVariable]);
  await checkSettings(settings);
  const trial = options.trial === true;
  guardLog(settings, !trial);
  // Before a log that lies in it, as that of a trial does: it would be made with the mode of any folder.
  await makeStateFolder(settings);
  const log = new ManagerLog(settings.logFile, options.jsonFile ?? 1);
  attempt.log = log;
  await nameProcess(log);
  if (mayDie) log.warn('A test armed this service to kill itself', { at: process.env[crashVariable] });
  const { signal } = attempt.stopping;
  // Before the start: a signal that comes meanwhile must not leave half of it behind.
  takeSignals(attempt, trial);

  const service = await startService(settings, log, version, {
    signal,
    endsProxy: trial,
    refusesWideRights: !trial,
  });
  if (signal.aborted) {
    await service.stop();
    return null;
  }
  let listening: Listening;
  try {
    listening = await listen(
      createApp(service.services, { metricsOpen: settings.metricsOpen }),
      settings.listen.target,
    );
  } catch (error) {
    await service.stop();
    throw await listenRefused(error, settings.listen);
  }
  log.info('API listens', { url: listening.url });
  const begun = service.begin();
  const end = async (): Promise<void> => {
    const cut = await listening.close(graceMs);
    if (cut > 0) log.warn('Requests were cut off at the end', { connections: cut });
    // Whether it began is told by itself, below.
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
    // Its locks would keep it from the proxy that a refused start sees to. That goes on, unless it is a trial's.
    const untold = (failure: unknown): void => {
      log.error('The service that did not begin could not be stopped', { cause: causeText(failure) });
    };
    await shutDown().catch(untold);
    // A signal that comes meanwhile waits for the same end, and nobody waits for this any more.
    ended.catch(untold);
    throw error;
  }
  await tellReady(listening.url, log);
  return { url: listening.url, keyFile: service.keyFile, ended };
}

function takeSignals(attempt: Attempt, trial: boolean): void {
  process.on('SIGTERM', () => attempt.stop('SIGTERM'));
  process.on('SIGINT', () => attempt.stop('SIGINT'));
  process.on('SIGHUP', () => (trial ? attempt.stop('SIGHUP') : attempt.log?.reopen()));
  // Node's own answer is a debugger on a port of loopback, where every user of the machine could do anything as us.
  process.on('SIGUSR1', () => attempt.log?.warn('SIGUSR1 does nothing here; SIGHUP opens the log anew'));
}

/** What keeps the service from starting must not keep the sites from being served, unless it says which proxy is meant. */
async function refusal(error: unknown, settings: Settings, { log, stopping }: Attempt): Promise<unknown> {
  const cause = causeText(error);
  const variable = (error as { variable?: unknown }).variable;
  if (!settings.supervise || (typeof variable === 'string' && decidesProxy(variable))) {
    log?.error('Start refused', { cause });
    return error;
  }
  tightenUmask();
  // Where it was not opened it may be what is wrong.
  const told = log ?? new ManagerLog('-');
  const proxy = await proxyFromDisk(settings, told, stopping.signal);
  told.error('Start refused', { cause, proxy });
  return new StartFailed(`${cause}; ${proxy}`, { cause: error });
}

/** As `ps -e`, `top` and the message about a lock's holder call it; Node's own name for it is MainThread. */
async function nameProcess(log: ManagerLog): Promise<void> {
  await writeFile('/proc/self/comm', 'proxy-manager').catch((error: Error) => {
    log.warn('This process keeps the name that Node gave it', { cause: causeText(error) });
  });
}
