// Where HAProxy sends its access log (ADR 0062).
import { stat } from 'node:fs/promises';
import { isMissing } from '../../files/atomic-file.ts';
import { configLines } from '../rules/config-lines.ts';

export const syslogSocketPath = '/dev/log';

/**
 * As in the settings; null: none. Never standard output: what HAProxy's is cannot be known when the configuration is
 * rendered.
 */
export function accessLogOf(setting: string, hasSyslogSocket: boolean): string | null {
  if (setting === 'auto') return hasSyslogSocket ? syslogSocketPath : null;
  return setting === 'off' ? null : setting;
}

export async function isSocket(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isSocket();
  } catch (error) {
    if (isMissing(error) || (error as NodeJS.ErrnoException).code === 'EACCES') return false;
    throw error;
  }
}

/** The sockets to which the configuration sends a log. */
export function logSocketsIn(configText: string): string[] {
  const found = new Set<string>();
  for (const { words } of configLines(configText)) {
    const [keyword, target = ''] = words;
    if (keyword === 'log' && target.startsWith('/')) found.add(target);
  }
  return [...found];
}

/** As a sentence; null: each of these sockets is there. */
export async function missingLogSocket(sockets: readonly string[]): Promise<string | null> {
  for (const path of sockets) {
    if (!(await isSocket(path)))
      return `the access log is lost: ${path} is not a socket; start the syslog server, or change PROXY_MANAGER_ACCESS_LOG`;
  }
  return null;
}
