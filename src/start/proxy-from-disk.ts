// A refused start must not leave the sites without a proxy: the files on disk were valid before, and the map file
// blocks what it blocked (ADR 0038). Changes nothing on disk.
import { access, open } from 'node:fs/promises';
import { join } from 'node:path';
import { BackupStore } from '../configuration/backups/backup-store.ts';
import { lastKnownGood } from '../configuration/backups/last-known-good.ts';
import { takenAddresses } from '../configuration/reload/listeners.ts';
import { LiveFile } from '../configuration/reload/live-file.ts';
import { ensureFiles } from '../configuration/template/sites-map.ts';
import { isMissing } from '../files/atomic-file.ts';
import { checkConfiguration } from '../haproxy/process/binary.ts';
import { findMaster } from '../haproxy/process/master-process.ts';
import { MasterSocket } from '../haproxy/socket/master-socket.ts';
import type { Settings } from '../settings.ts';
import { LockHeld, type ServiceLock } from '../supervision/service-lock.ts';
import { outputFlags, Supervisor } from '../supervision/supervisor.ts';
import { causeText, type Log } from '../telemetry/log.ts';
import { makeRuntimeFolders, takeMapLock, takeProxyLock } from './folders-and-locks.ts';
import { checkProxyRights, checkUser } from './rights-check.ts';

/**
 * Starts HAProxy from the files on disk, unless one runs; returns a sentence about the result. Never beside HAProxy
 * of another service, and never from a configuration that HAProxy refuses or other users could replace. The next
 * service adopts it.
 * @param signal aborts waiting for a start
 */
export async function proxyFromDisk(settings: Settings, log: Log, signal: AbortSignal): Promise<string> {
  const locks: ServiceLock[] = [];
  const socket = new MasterSocket(settings.masterSocket);
  try {
    checkUser(settings);
    checkProxyRights(settings);
    await makeRuntimeFolders(settings);
    locks.push(takeProxyLock(settings));
    locks.push(...(await mapLockIfPossible(settings, log)));
    const supervisor = await supervisorOf(settings, socket, log);
    signal.addEventListener('abort', () => supervisor.abandon(), { once: true });
    const { master, fresh } = await supervisor.ensureStarted();
    if (!fresh) return leftAsItIs(master.pid);
    return `HAProxy (process ${master.pid}) was started with the configuration and the maps on disk`;
  } catch (error) {
    if (error instanceof LockHeld) return `HAProxy was not started: ${error.message}`;
    // Obstacles to a start do not affect a running proxy.
    const running = await runningMaster(settings, log);
    return running === null ? `HAProxy could not be started either: ${causeText(error)}` : leftAsItIs(running);
  } finally {
    socket.close();
    for (const lock of locks) lock.free();
  }
}

function leftAsItIs(pid: number): string {
  return `HAProxy (process ${pid}) is running and was left unchanged`;
}

/** By its pid file alone; null: none. */
async function runningMaster({ pidFile, configFile }: Settings, log: Log): Promise<number | null> {
  try {
    return (await findMaster(pidFile, configFile))?.pid ?? null;
  } catch (error) {
    log.warn('The pid file of HAProxy could not be read', { cause: causeText(error) });
    return null;
  }
}

/** Without it if the disk allows no lock: HAProxy's lock prevents a second one. @throws LockHeld */
async function mapLockIfPossible(settings: Settings, log: Log): Promise<ServiceLock[]> {
  try {
    return [await takeMapLock(settings)];
  } catch (error) {
    if (error instanceof LockHeld) throw error;
    log.warn('The lock of the blocked map could not be taken', { cause: causeText(error) });
    return [];
  }
}

async function supervisorOf(settings: Settings, socket: MasterSocket, log: Log): Promise<Supervisor> {
  const { proxyBin, configFile, masterSocket, pidFile } = settings;
  const live = new LiveFile(configFile);
  return new Supervisor({
    proxyBin,
    configFile,
    masterSocketPath: masterSocket,
    pidFile,
    outputFile: await outputFileOf(settings, log),
    socket,
    log,
    beforeStart: () => obstacleTo(settings, live, log),
    takenAddresses: async () => await takenAddresses((await live.read()) ?? ''),
    onRunning: () => undefined,
  });
}

/** A full or read-only disk must not keep HAProxy from starting. */
async function outputFileOf({ stateDir }: Settings, log: Log): Promise<string> {
  const path = join(stateDir, 'proxy-output.log');
  try {
    await (await open(path, outputFlags, 0o640)).close();
    return path;
  } catch (error) {
    log.warn('Output of HAProxy is discarded: its file cannot be opened', { file: path, cause: causeText(error) });
    return '/dev/null';
  }
}

/** Why HAProxy must not, or could not, be started with the live configuration; null: it can. */
async function obstacleTo(settings: Settings, live: LiveFile, log: Log): Promise<Error | null> {
  const text = await live.read();
  if (text === null) return new Error(`there is no configuration at ${live.path}`);
  const { blockedMap, trustedMap, upstreamsMap, proxyProtocolMap, httpsSitesMap, acmeChallengesMap } = settings;
  for (const map of [blockedMap, trustedMap, upstreamsMap, proxyProtocolMap, httpsSitesMap, acmeChallengesMap]) {
    // An empty one would admit every blocked address.
    if (text.includes(map) && (await isAbsent(map))) {
      return new Error(
        `${live.path} names ${map}, which is missing, so HAProxy refuses it; put the file back, or write it from the database: proxy-manager map-repair`,
      );
    }
  }
  const known = await lastKnownGood(new BackupStore(settings.backupDir, () => new Date()), log);
  if (known?.configText === text) await ensureFiles(known.files);
  const { valid, output } = await checkConfiguration(settings.proxyBin, live.path);
  return valid ? null : new Error(`HAProxy refuses ${live.path}: ${output}`);
}

async function isAbsent(path: string): Promise<boolean> {
  try {
    await access(path);
    return false;
  } catch (error) {
    if (isMissing(error)) return true;
    throw error;
  }
}
