// Checks settings against the machine (a folder in place of a file, a missing template) before anything is changed, and
// names the variable; otherwise they would surface later as a bare `EISDIR`.
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { type Settings, SettingsError } from '../settings.ts';
import { databaseFile } from '../store/database-file.ts';

/** @throws SettingsError */
export async function checkSettings(settings: Settings): Promise<void> {
  const files: readonly (readonly [name: string, path: string])[] = [
    ['DATABASE_URL', databaseFile(settings.databaseUrl)],
    // HAProxy accepts a folder of files too.
    ...(settings.attached ? [] : [['CONFIG_FILE', settings.configFile] as const]),
    ['BLOCKED_MAP', settings.blockedMap],
    ['TRUSTED_MAP', settings.trustedMap],
    ['UPSTREAMS_MAP', settings.upstreamsMap],
    ['PROXY_PROTOCOL_MAP', settings.proxyProtocolMap],
    ['MASTER_SOCKET', settings.masterSocket],
    ['STATS_SOCKET', settings.statsSocket],
    ['PID_FILE', settings.pidFile],
    ...(settings.logFile === '-' ? [] : [['LOG_FILE', settings.logFile] as const]),
  ];
  for (const [name, path] of files) {
    if ((await kindOf(path)) === 'folder') refuse(name, path, 'it is a directory, but must be a file');
  }
  if (!settings.attached && (await kindOf(settings.backupDir)) === 'other')
    refuse('BACKUP_DIR', settings.backupDir, 'it is a file, but must be a directory');
  const { template, proxyBin } = settings;
  if (template !== null) await check('TEMPLATE', template, constants.R_OK, 'it cannot be read');
  // Without a slash it is found in PATH at run time.
  if (proxyBin.includes('/')) await check('PROXY_BIN', proxyBin, constants.X_OK, 'it cannot be run');
}

async function check(name: string, path: string, mode: number, why: string): Promise<void> {
  if ((await kindOf(path)) === 'folder') refuse(name, path, 'it is a directory, but must be a file');
  try {
    await access(path, mode);
  } catch (error) {
    refuse(name, path, `${why}: ${(error as Error).message}`);
  }
}

/** Null: missing or not accessible; its first use reports it. */
async function kindOf(path: string): Promise<'folder' | 'other' | null> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'other';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return null;
  }
}

function refuse(name: string, path: string, right: string): never {
  throw new SettingsError(`PROXY_MANAGER_${name}`, path, right);
}
