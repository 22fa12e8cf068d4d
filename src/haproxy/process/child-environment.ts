import { resolve } from 'node:path';

/**
 * Without the service's settings: the API key would be in the child's `/proc/<pid>/environ` and core dump, and a
 * configuration could quote it ("${PROXY_MANAGER_API_KEY}"). Also without NOTIFY_SOCKET: with `NotifyAccess=all` any
 * child could report the service ready or name another main process.
 */
export function childEnvironment(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !name.startsWith('PROXY_MANAGER_') && name !== 'NOTIFY_SOCKET'),
  );
}

export function cannotBeRun(command: string, error: { readonly code?: unknown; readonly message: string }): string {
  const why = error.code === 'ENOENT' ? 'there is no such program (PROXY_MANAGER_PROXY_BIN names it)' : error.message;
  return `${command} cannot be run: ${why.trim()}`;
}

/**
 * The program as run from `/`, the working folder of every child: HAProxy rejects any configuration with "Impossible to
 * get back to initial directory" if it may not enter the folder it was started in (`sudo -u` in root's home). A bare
 * name is found in PATH.
 */
export function programPath(bin: string): string {
  return bin.includes('/') ? resolve(bin) : bin;
}
