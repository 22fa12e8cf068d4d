// A starting service does not listen yet, and the first start has not written the key yet (ADR 0039).
import { connect } from 'node:net';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isLoopback } from '../../domain/loopback.ts';
import { ageMs, commandLine, environment, processIds } from '../../system/processes.ts';
import { defaultUrl, type ServiceAddress } from './service-url.ts';

const maxStartMs = 60_000;
const pollMs = 50;
/** A shorter wait is not reported. */
const silentMs = 1_000;

/** Returns at once if something listens or nothing local is starting; the call that follows reports what is wrong. */
export async function awaitStart(service: ServiceAddress, report: (text: string) => void): Promise<void> {
  if (!isLocal(service) || (await listens(service))) return;
  const began = performance.now();
  let reported = false;
  let missed = 0;
  for (;;) {
    const waitedMs = performance.now() - began;
    const pid = await startingService(service);
    // Twice, because a process has no command line for a moment while it executes another program.
    missed = pid === null ? missed + 1 : 0;
    if (missed > 1 || waitedMs > maxStartMs || (await isReady(service))) return;
    if (!reported && pid !== null && waitedMs > silentMs) {
      report(`waiting for the service, which is starting (process ${pid})`);
      reported = true;
    }
    await pause(pollMs);
  }
}

function isLocal(service: ServiceAddress): boolean {
  return service.kind === 'unix' || isLoopback(service.host);
}

function listens(service: ServiceAddress): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = service.kind === 'unix' ? connect(service.path) : connect(service.port, service.host);
    socket.once('connect', () => {
      resolve(true);
      socket.destroy();
    });
    // The call itself reports any other error.
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT'));
  });
}

/** `/readyz` needs no key. Any other answer than 503 ends the wait. */
function isReady(service: ServiceAddress): Promise<boolean> {
  const { request } = process.getBuiltinModule(
    service.kind === 'http' && service.url.startsWith('https:') ? 'node:https' : 'node:http',
  );
  const at = service.kind === 'unix' ? { socketPath: service.path } : { host: service.host, port: service.port };
  return new Promise((resolve) => {
    const call = request({ ...at, path: '/readyz', agent: false, timeout: maxStartMs }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode !== 503));
      response.once('error', () => resolve(false));
    });
    call.once('timeout', () => call.destroy());
    call.once('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT' && code !== 'ECONNRESET'),
    );
    call.end();
  });
}

/** A service started less than a minute ago that will listen at the address. */
async function startingService(service: ServiceAddress): Promise<number | null> {
  for (const pid of await processIds()) {
    const words = await commandLine(pid);
    if (
      pid === process.pid ||
      words === null ||
      !runsService(words) ||
      ((await ageMs(pid)) ?? maxStartMs) >= maxStartMs
    )
      continue;
    const given = await environment(pid);
    // The environment of another user's process is not readable.
    if (given === null || listensAt(service, words, given)) return pid;
  }
  return null;
}

/** @param environment `NAME=value` each */
export function listensAt(service: ServiceAddress, words: readonly string[], environment: readonly string[]): boolean {
  const variable = 'PROXY_MANAGER_LISTEN=';
  const flag = words.findIndex((word) => word === '--listen' || word.startsWith('--listen='));
  const given =
    flag === -1
      ? environment.find((pair) => pair.startsWith(variable))?.slice(variable.length)
      : words[flag]!.slice('--listen='.length) || words[flag + 1];
  const listen = given || new URL(defaultUrl).host;
  return service.kind === 'unix' ? listen === `unix:${service.path}` : listen.endsWith(`:${service.port}`);
}

/** `/bin/sh …/bin/proxy-manager serve`, then `node … …/main.js serve` or `main.ts`; a trial is `node … src/trial.ts`. */
export function runsService(words: readonly string[]): boolean {
  const program = words.findIndex((word) => /^(proxy-manager|main\.ts|main\.js|trial\.ts)$/.test(basename(word)));
  if (program === -1) return false;
  return basename(words[program]!) === 'trial.ts' || words[program + 1] === 'serve';
}
