// Creates the folders of all files, and locks against other processes.
import { dirname } from 'node:path';
import { resolveTarget } from '../files/atomic-file.ts';
import { makeFolderDurably } from '../files/durable-folder.ts';
import type { Settings } from '../settings.ts';
import { databaseFile } from '../store/database-file.ts';
import { DatabaseUnusable } from '../store/store-error.ts';
import { ServiceLock } from '../supervision/service-lock.ts';
import { StartRefused } from './open-state.ts';

/** @throws StartRefused when another service uses the same map, proxy or database */
export async function takeLocks(settings: Settings): Promise<ServiceLock[]> {
  const locks: ServiceLock[] = [];
  try {
    locks.push(await takeMapLock(settings));
    // The socket of an attached HAProxy is in a folder of root; and any service on HAProxy uses its map.
    if (!settings.attached) locks.push(takeProxyLock(settings));
    const database = databaseFile(settings.databaseUrl);
    locks.push(ServiceLock.take(await lockOf(database), `the database ${database}`));
    return locks;
  } catch (error) {
    for (const lock of locks) lock.free();
    const { message, cause } = error as Error;
    throw new StartRefused(message, { cause });
  }
}

/** @throws LockHeld when another service uses the map */
export async function takeMapLock({ blockedMap }: Settings): Promise<ServiceLock> {
  return ServiceLock.take(await lockOf(blockedMap), blockedMap);
}

/** @throws LockHeld when another service uses HAProxy */
export function takeProxyLock({ masterSocket }: Settings): ServiceLock {
  return ServiceLock.take(`${masterSocket}.lock`, `HAProxy at ${masterSocket}`);
}

/** Beside a link's target: two paths to one file share one lock. */
async function lockOf(path: string): Promise<string> {
  return `${await resolveTarget(path)}.lock`;
}

/** Independent of the umask: only the service's user may write to its folders, and read the state folder. */
export async function makeFolders(settings: Settings): Promise<void> {
  const { configFile, blockedMap, trustedMap, upstreamsMap, proxyProtocolMap } = settings;
  const { sitesMap, masterSocket, statsSocket, pidFile } = settings;
  const proxys = [configFile, sitesMap, masterSocket, statsSocket, pidFile];
  await makeFoldersOf([blockedMap, trustedMap, upstreamsMap, proxyProtocolMap, ...(settings.attached ? [] : proxys)]);
  await makeStateFolder(settings);
  const home = databaseFolder(settings);
  if (home !== null && home !== settings.stateDir) await makeOwnFolder(home);
}

/** The folders of HAProxy's sockets and pid file, which a reboot removes. */
export async function makeRuntimeFolders({ masterSocket, statsSocket, pidFile }: Settings): Promise<void> {
  await makeFoldersOf([masterSocket, statsSocket, pidFile]);
}

async function makeFoldersOf(files: readonly string[]): Promise<void> {
  for (const folder of new Set(files.map((file) => dirname(file)))) await makeFolderDurably(folder, 0o755);
}

/** An existing folder keeps its mode; `checkRights` checks it. */
export async function makeStateFolder({ stateDir }: Settings): Promise<void> {
  await makeOwnFolder(stateDir);
}

async function makeOwnFolder(path: string): Promise<void> {
  await makeFolderDurably(dirname(path), 0o755);
  await makeFolderDurably(path, 0o700);
}

/** Null for a URL without a file: the database lock refuses it with the reason. */
function databaseFolder({ databaseUrl }: Settings): string | null {
  try {
    return dirname(databaseFile(databaseUrl));
  } catch (error) {
    if (error instanceof DatabaseUnusable) return null;
    throw error;
  }
}
