import { resolve } from 'node:path';

/**
 * The environment of a program that we start. None of our settings goes with it: the key among them would stand in its
 * `/proc/<pid>/environ` and in its core dump, and a configuration could quote it ("${PROXY_MANAGER_API_KEY}"). Nor does
 * the way to tell systemd that the service is ready, or another process its main one: `NotifyAccess=all` believes any.
 */
export function childEnvironment(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !name.startsWith('PROXY_MANAGER_') && name !== 'NOTIFY_SOCKET'),
  );
}

/** Why a program could not be started: `haproxy cannot be run: …`. */
export function cannotBeRun(command: string, error: { readonly code?: unknown; readonly message: string }): string {
  const why = error.code === 'ENOENT' ? 'there is no such program (PROXY_MANAGER_PROXY_BIN names it)' : error.message;
  return `${command} cannot be run: ${why.trim()}`;
}

/**
 * The program as it is to be run from `/`, where every child of ours works: HAProxy refuses each configuration with
 * "Impossible to get back to initial directory" when it may not enter the folder it was started in, which is what
 * `sudo -u` in root's home makes of it. A bare name is looked for in PATH, as before.
 */
export function programPath(bin: string): string {
  return bin.includes('/') ? resolve(bin) : bin;
}
