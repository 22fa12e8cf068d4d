// The HAProxies that run on this machine, started by this service or not.
import { basename } from 'node:path';
import {
  commandLine,
  executableOf,
  parentOf,
  processIds,
  processStartTime,
  trustedProcesses,
  unitOf,
} from '../../system/processes.ts';
import { settledArguments } from './master-process.ts';
import { type ProxyArguments, parseProxyArguments } from './proxy-arguments.ts';

export interface RunningProxy {
  readonly pid: number;
  readonly startTime: number;
  /** As the kernel reports it, or its first argument where that is not permitted. */
  readonly exe: string;
  readonly arguments: ProxyArguments;
  /** Such as `haproxy.service`. */
  readonly unit: string | null;
}

/**
 * The masters, and the proxies without one, by pid. Only root's and this user's, whose arguments can be trusted, and
 * none in a container. A master needs a worker: before that none of its configuration is in force.
 */
export async function findRunningProxies(): Promise<RunningProxy[]> {
  const proxies = await proxyProcesses();
  const parents = new Set(proxies.values());
  const found: RunningProxy[] = [];
  for (const pid of await trustedProcesses()) {
    const parent = proxies.get(pid);
    // A child of another HAProxy is a worker.
    if (parent === undefined || proxies.has(parent)) continue;
    const proxy = await runningProxy(pid, parents.has(pid));
    if (proxy !== null) found.push(proxy);
  }
  return found.sort((one, other) => one.pid - other.pid);
}

/** Every HAProxy process, with its parent. */
async function proxyProcesses(): Promise<Map<number, number>> {
  const proxies = new Map<number, number>();
  for (const pid of await processIds()) {
    const parent = parentOf(pid);
    if (parent !== null && isProxy(await programOf(pid))) proxies.set(pid, parent);
  }
  return proxies;
}

async function programOf(pid: number): Promise<string | null> {
  return (await executableOf(pid)) ?? (await commandLine(pid))?.[0] ?? null;
}

/** `haproxy`, `haproxy-3.2`, `haproxy3` … */
function isProxy(program: string | null): boolean {
  return program !== null && /^haproxy[-\d.]*$/.test(basename(program));
}

async function runningProxy(pid: number, hasWorker: boolean): Promise<RunningProxy | null> {
  const startTime = await processStartTime(pid);
  const commandLineArguments = startTime === null ? null : await settledArguments(pid, startTime);
  const exe = await programOf(pid);
  if (startTime === null || commandLineArguments === null || exe === null) return null;
  const args = parseProxyArguments(commandLineArguments);
  if (args.isCheck || (args.isMaster && !hasWorker)) return null;
  return { pid, startTime, exe, arguments: { ...args, isMaster: hasWorker }, unit: await unitOf(pid) };
}
