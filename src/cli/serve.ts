// `serve`: the service itself, in the foreground. SIGTERM and SIGINT end it after what is in flight was answered; the
// proxy goes on. SIGHUP opens the manager log anew.
import { createApp } from '../http/app.ts';
import { listen } from '../http/listen.ts';
import { startService } from '../service/service.ts';
import type { Settings } from '../settings.ts';
import { causeText, ManagerLog } from '../telemetry/log.ts';
import { version } from '../version.ts';

const graceMs = 10_000;

export interface Served {
  readonly url: string;
  readonly keyFile: string;
  readonly proxyMaster: () => number | null;
  /** Resolves when everything was let go of. */
  readonly ended: Promise<void>;
  stop(why: string): void;
}

export interface ServeOptions {
  /** A file that takes the JSON lines in place of standard output. */
  readonly jsonFile?: string;
  readonly endsOnHangUp?: boolean;
}

export async function serve(settings: Settings, options: ServeOptions = {}): Promise<Served> {
  const log = new ManagerLog(settings.logFile, options.jsonFile ?? 1);
  let service: Awaited<ReturnType<typeof startService>>;
  try {
    service = await startService(settings, log, version);
  } catch (error) {
    log.error('Start refused', { cause: causeText(error) });
    throw error;
  }
  const app = createApp(service.services);
  const listening = await listen(app, settings.listen.target);
  log.info('API listens', { url: listening.url });

  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  let stopping = false;
  const stop = (why: string): void => {
    if (stopping) return;
    stopping = true;
    log.info('Service stops', { why });
    const shutDown = async (): Promise<void> => {
      const cut = await listening.close(graceMs);
      if (cut > 0) log.warn('Requests were cut off at the end', { connections: cut });
      await service.stop();
    };
    shutDown().then(resolve, reject);
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  // A trial's terminal that goes away ends it; a service opens its log anew, as after a rotation.
  process.on('SIGHUP', () => (options.endsOnHangUp === true ? stop('SIGHUP') : log.reopen()));
  await service.begin();
  return { url: listening.url, keyFile: service.keyFile, proxyMaster: service.proxyMaster, ended, stop };
}
