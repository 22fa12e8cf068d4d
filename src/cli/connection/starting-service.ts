// A service that is starting does not listen yet, and the very first start has not written the key yet. A line pasted
// behind `systemctl restart` waits for it; where none is starting, nothing is waited for
// (ADR 0039).
import { connect } from 'node:net';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ageMs, commandLine, environment, processIds } from '../../system/processes.ts';
import { isLoopback } from './own-addresses.ts';
import { defaultUrl, type ServiceAddress } from './service-url.ts';

/** A start takes seconds. */
const longestStartMs = 60_000;
const pollMs = 50;
/** Whoever waits no longer than this is not told. */
const silentMs = 1_000;

/**
 * Returns at once where something listens, or no service of this machine is starting; else when that is ready, or its
 * process has ended or taken too long. What is wrong then the call that follows says.
 * @param says told once, when the wait is longer than a moment
 */
export async function awaitStart(service: ServiceAddress, says: (text: string) => void): Promise<void> {
  if (!isOfThisMachine(service) || (await listens(service))) return;
  const began = performance.now();
  let told = false;
  let missed = 0;
  for (;;) {
    const waitedMs = performance.now() - began;
    const pid = await startingService(service);
    // Once is no proof: a process that executes another program has no words for a moment.
    missed = pid === null ? missed + 1 : 0;
    if (missed > 1 || waitedMs > longestStartMs || (await isReady(service))) return;
    if (!told && pid !== null && waitedMs > silentMs) {
      says(`waiting for the service, which is starting (process ${pid})`);
      told = true;
    }
    await pause(pollMs);
  }
}

function isOfThisMachine(service: ServiceAddress): boolean {
  return service.kind === 'unix' || isLoopback(service.host);
}

function listens(service: ServiceAddress): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = service.kind === 'unix' ? connect(service.path) : connect(service.port, service.host);
    socket.once('connect', () => {
      resolve(true);
      socket.destroy();
    });
    // Of any other the call itself says what is wrong.
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT'));
  });
}

/** `/readyz`, which needs no key. Whatever else answers there, the call itself says so. */
function isReady(service: ServiceAddress): Promise<boolean> {
  const { request } = process.getBuiltinModule(
    service.kind === 'http' && service.url.startsWith('https:') ? 'node:https' : 'node:http',
  );
  const at = service.kind === 'unix' ? { socketPath: service.path } : { host: service.host, port: service.port };
  return new Promise((resolve) => {
    const asked = request({ ...at, path: '/readyz', agent: false, timeout: longestStartMs }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode !== 503));
      response.once('error', () => resolve(false));
    });
    asked.once('timeout', () => asked.destroy());
    asked.once('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT' && code !== 'ECONNRESET'),
    );
    asked.end();
  });
}

/** The pid of a service that began to start less than a minute ago and is to listen there; null: there is none. */
async function startingService(service: ServiceAddress): Promise<number | null> {
  for (const pid of await processIds()) {
    const words = await commandLine(pid);
    if (
      pid === process.pid ||
      words === null ||
      !runsService(words) ||
      ((await ageMs(pid)) ?? longestStartMs) >= longestStartMs
    )
      continue;
    const given = await environment(pid);
    // What another user's process was given cannot be seen.
    if (given === null || listensAt(service, words, given)) return pid;
  }
  return null;
}

/**
 * Whether a service that was started so will listen at the address.
 * @param environment `NAME=value` each
 */
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

/** `/bin/sh …/bin/proxy-manager serve`, then `node … …/src/main.ts serve`; a trial is `node … src/trial.ts`. */
export function runsService(words: readonly string[]): boolean {
  const program = words.findIndex((word) => /^(proxy-manager|main\.ts|main\.js|trial\.ts)$/.test(basename(word)));
  if (program === -1) return false;
  return basename(words[program]!) === 'trial.ts' || words[program + 1] === 'serve';
}
