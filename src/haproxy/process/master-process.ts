// The proxy's master as a process: found by its pid file, and believed only when it runs our configuration. A signal
// sent to whoever has a stale pid file's number today would kill a stranger.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandLine, processAlive, processStartTime, trustedSessionLeaders } from '../../system/processes.ts';

export interface MasterProcess {
  readonly pid: number;
  readonly startTime: number;
}

/**
 * A process that executes itself anew, as a master does at a reload, has no words for a moment. Taken for a stranger in
 * it, it would get a second proxy beside it, or a signal that it cannot hear.
 */
const reexecutionMs = 1_000;
const reexecutionPollMs = 2;

/** Null: no pid file, a dead pid, or a process that is not a master of this configuration. */
export async function findMaster(pidFile: string, configFile: string): Promise<MasterProcess | null> {
  const pid = await readPidFile(pidFile);
  return pid === null ? null : await masterAt(pid, configFile);
}

/**
 * A master that a service started which died before the pid file was written, and that has no socket yet: with a large
 * map that takes seconds, and a second one beside it would share its ports. Workers lead no session.
 */
export async function findMasterBeingStarted(configFile: string): Promise<MasterProcess | null> {
  for (const pid of await trustedSessionLeaders()) {
    const master = await masterAt(pid, configFile);
    if (master !== null) return master;
  }
  return null;
}

/** The process with this pid, if it is a master that runs this configuration. */
export async function masterAt(pid: number, configFile: string): Promise<MasterProcess | null> {
  const startTime = await processStartTime(pid);
  const words = startTime === null ? null : await settledWords(pid, startTime);
  return startTime !== null && words !== null && runsConfiguration(words, configFile) ? { pid, startTime } : null;
}

/** The words of a process that may be executing itself anew; null when it ends meanwhile. */
export async function settledWords(pid: number, startTime: number): Promise<string[] | null> {
  const until = performance.now() + reexecutionMs;
  while (await processAlive(pid, startTime)) {
    const words = await commandLine(pid);
    // A kernel thread has no words ever.
    if (words !== null || performance.now() >= until) return words;
    await sleep(reexecutionPollMs);
  }
  return null;
}

/** After a reload the master's words are `-sf <pids> -x … -f <file>` in another order, but `-f <file>` stays. */
export function runsConfiguration(words: readonly string[], configFile: string): boolean {
  const master = words.some((word) => word === '-W' || word === '-Ws' || word === '-S');
  return (
    master && words.some((word, index) => word === '-f' && resolve(words[index + 1] ?? '') === resolve(configFile))
  );
}

async function readPidFile(path: string): Promise<number | null> {
  try {
    const text = (await readFile(path, 'utf8')).trim();
    return /^[1-9]\d{0,9}$/.test(text) ? Number(text) : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
