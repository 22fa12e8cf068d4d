// Finds HAProxy's master by its pid file, and accepts it only if it runs this configuration: the pid in a stale file
// may belong to another process, which a signal would kill.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandLine, processAlive, processStartTime, trustedSessionLeaders } from '../../system/processes.ts';

export interface MasterProcess {
  readonly pid: number;
  readonly startTime: number;
}

/**
 * A process that re-executes itself, as a master does at a reload, has no arguments for a moment. If it were not
 * recognised then, a second proxy would be started, or a signal sent that it does not receive.
 */
const reexecutionMs = 1_000;
const reexecutionPollMs = 2;

/** Null: no pid file, a dead pid, or not a master of this configuration. */
export async function findMaster(pidFile: string, configFile: string): Promise<MasterProcess | null> {
  const pid = await readPidFile(pidFile);
  return pid === null ? null : await masterAt(pid, configFile);
}

/**
 * A master without pid file and socket yet, started by a service that has died since. With a large map its start takes
 * seconds, and a second one would share its ports. Workers lead no session.
 */
export async function findMasterBeingStarted(configFile: string): Promise<MasterProcess | null> {
  for (const pid of await trustedSessionLeaders()) {
    const master = await masterAt(pid, configFile);
    if (master !== null) return master;
  }
  return null;
}

export async function masterAt(pid: number, configFile: string): Promise<MasterProcess | null> {
  const startTime = await processStartTime(pid);
  const args = startTime === null ? null : await settledArguments(pid, startTime);
  return startTime !== null && args !== null && runsConfiguration(args, configFile) ? { pid, startTime } : null;
}

/** The arguments of a process that may be re-executing itself; null when it ends meanwhile. */
export async function settledArguments(pid: number, startTime: number): Promise<string[] | null> {
  const until = performance.now() + reexecutionMs;
  while (await processAlive(pid, startTime)) {
    const args = await commandLine(pid);
    // A kernel thread never has arguments.
    if (args !== null || performance.now() >= until) return args;
    await sleep(reexecutionPollMs);
  }
  return null;
}

/** After a reload the master's arguments are `-sf <pids> -x … -f <file>` in another order, but `-f <file>` stays. */
export function runsConfiguration(args: readonly string[], configFile: string): boolean {
  const isMaster = args.some((arg) => arg === '-W' || arg === '-Ws' || arg === '-S');
  return isMaster && args.some((arg, index) => arg === '-f' && resolve(args[index + 1] ?? '') === resolve(configFile));
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
