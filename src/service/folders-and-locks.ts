// What a start needs before anything else: the folders of its files, and that nobody else works on them.
import { dirname } from 'node:path';
import { makeFolderDurably } from '../files/durable-folder.ts';
import type { Settings } from '../settings.ts';
import { ServiceLock } from '../supervision/service-lock.ts';
import { StartRefused } from './open-state.ts';

/** @throws StartRefused when another service works on the same map or the same proxy */
export function takeLocks(settings: Settings): ServiceLock[] {
  const locks: ServiceLock[] = [];
  try {
    locks.push(ServiceLock.take(`${settings.blockedMap}.lock`, settings.blockedMap));
    locks.push(ServiceLock.take(`${settings.masterSocket}.lock`, `the proxy at ${settings.masterSocket}`));
    return locks;
  } catch (error) {
    for (const lock of locks) lock.free();
    throw new StartRefused((error as Error).message, { cause: error });
  }
}

export async function makeFolders(settings: Settings): Promise<void> {
  const files = [
    settings.configFile,
    settings.blockedMap,
    settings.trustedMap,
    settings.sitesMap,
    settings.masterSocket,
    settings.statsSocket,
    settings.pidFile,
  ];
  for (const folder of new Set([...files.map((file) => dirname(file)), settings.stateDir])) {
    await makeFolderDurably(folder);
  }
}
