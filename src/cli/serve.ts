// `serve`: the service itself, in the foreground. SIGTERM and SIGINT end it after what is in flight was answered; the
// proxy goes on. SIGHUP opens the manager log anew.
import { armCrashPoint, crashVariable } from '../faults/crash-point.ts';
import { createApp } from '../http/app.ts';
import { type Listening, listen } from '../http/listen.ts';
import { makeStateFolder } from '../service/folders-and-locks.ts';
import { startService } from '../service/service.ts';
import { checkSettings } from '../service/settings-check.ts';
import type { Settings } from '../settings.ts';
import { causeText, ManagerLog } from '../telemetry/log.ts';
import { version } from '../version.ts';
import { guardLog } from './guard-log.ts';

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

/** Null: it was told to stop before it had started. */
export async function serve(settings: Settings, options: ServeOptions = {}): Promise<Served | null> {
  const mayDie = armCrashPoint(process.env[crashVariable]);
  await checkSettings(settings);
  const trial = options.trial === true;
  guardLog(settings, !trial);
  // Before a log that lies in it, as that of a trial does: it would be made with the mode of any folder.
  await makeStateFolder(settings);
  const log = new ManagerLog(settings.logFile, options.jsonFile ?? 1);
  if (mayDie) log.warn('A test armed this service to kill itself', { at: process.env[crashVariable] });
  const stopping = new AbortController();
  const stop = (why: string): void => {
    if (stopping.signal.aborted) return;
    log.info('Service stops', { why });
    stopping.abort();
  };
  // Before the start: a signal that comes meanwhile must not leave half of it behind.
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  process.on('SIGHUP', () => (trial ? stop('SIGHUP') : log.reopen()));

  // Node's own answer is a debugger on a port of loopback, where every user of the machine could do anything as us.
  process.on('SIGUSR1', () => log.warn('SIGUSR1 does nothing here; SIGHUP opens the log anew'));

  const service = await refusing(
    log,
    startService(settings, log, version, { signal: stopping.signal, endsProxy: trial, refusesWideRights: !trial }),
  );
  if (stopping.signal.aborted) {
    await service.stop();
    return null;
  }
  let listening: Listening;
  try {
    listening = await refusing(
      log,
      listen(createApp(service.services, { metricsOpen: settings.metricsOpen }), settings.listen.target),
    );
  } catch (error) {
    await service.stop();
    throw error;
  }
  log.info('API listens', { url: listening.url });
  const begun = service.begin();
  const shutDown = async (): Promise<void> => {
    const cut = await listening.close(graceMs);
    if (cut > 0) log.warn('Requests were cut off at the end', { connections: cut });
    await Promise.all([service.stop(), begun]);
  };
  const ended = stopping.signal.aborted
    ? shutDown()
    : new Promise<void>((resolve, reject) => {
        stopping.signal.addEventListener('abort', () => shutDown().then(resolve, reject), { once: true });
      });
  await begun;
  return { url: listening.url, keyFile: service.keyFile, ended };
}

async function refusing<T>(log: ManagerLog, start: Promise<T>): Promise<T> {
  try {
    return await start;
  } catch (error) {
    log.error('Start refused', { cause: causeText(error) });
    throw error;
  }
}
