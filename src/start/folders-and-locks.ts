// What a start needs first: the folders of its files, and locks against other processes.
import { dirname } from 'node:path';
import { resolveTarget } from '../files/atomic-file.ts';
import { makeFolderDurably } from '../files/durable-folder.ts';
import type { Settings } from '../settings.ts';
import { databaseFile } from '../store/database-file.ts';
import { DatabaseUnusable } from '../store/store-error.ts';
import { ServiceLock } from '../supervision/service-lock.ts';
import { StartRefused } from './open-state.ts';

/** @throws StartRefused when another service works on the same map, the same proxy or the same database */
export async function takeLocks(settings: Settings): Promise<ServiceLock[]> {
  const locks: ServiceLock[] = [];
  try {
    locks.push(await takeMapLock(settings));
    // Its socket lies in a folder of root's; and who works on the map works on the proxy that reads it.
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

/** @throws LockHeld when another service works on the map */
export async function takeMapLock({ blockedMap }: Settings): Promise<ServiceLock> {
  return ServiceLock.take(await lockOf(blockedMap), blockedMap);
}

/** @throws LockHeld when another service works on the proxy */
export function takeProxyLock({ masterSocket }: Settings): ServiceLock {
  return ServiceLock.take(`${masterSocket}.lock`, `the proxy at ${masterSocket}`);
}

/** Beside what a link leads to: another way to the same file is no other file. */
async function lockOf(path: string): Promise<string> {
  return `${await resolveTarget(path)}.lock`;
}

/** Whatever the umask: only the service's user may write to its folders, and read the state folder. */
export async function makeFolders(settings: Settings): Promise<void> {
  const { configFile, blockedMap, trustedMap, sitesMap, masterSocket, statsSocket, pidFile } = settings;
  const proxys = [configFile, sitesMap, masterSocket, statsSocket, pidFile];
  await makeFoldersOf([blockedMap, trustedMap, ...(settings.attached ? [] : proxys)]);
  await makeStateFolder(settings);
  const home = databaseFolder(settings);
  if (home !== null && home !== settings.stateDir) await makeOwnFolder(home);
}

/** Those of the proxy's sockets and pid file, which a restart of the machine takes away. */
export async function makeRuntimeFolders({ masterSocket, statsSocket, pidFile }: Settings): Promise<void> {
  await makeFoldersOf([masterSocket, statsSocket, pidFile]);
}

async function makeFoldersOf(files: readonly string[]): Promise<void> {
  for (const folder of new Set(files.map((file) => dirname(file)))) await makeFolderDurably(folder, 0o755);
}

/** What was there keeps its mode; `checkRights` says what it thinks of it. */
export async function makeStateFolder({ stateDir }: Settings): Promise<void> {
  await makeOwnFolder(stateDir);
}

async function makeOwnFolder(path: string): Promise<void> {
  await makeFolderDurably(dirname(path), 0o755);
  await makeFolderDurably(path, 0o700);
}

/** Null for a URL that names no file: the lock of the database refuses it, and says why. */
function databaseFolder({ databaseUrl }: Settings): string | null {
  try {
    return dirname(databaseFile(databaseUrl));
  } catch (error) {
    if (error instanceof DatabaseUnusable) return null;
    throw error;
  }
}
