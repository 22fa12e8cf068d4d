// Memory, disk and processor time of a process and its descendants, from /proc.
import { readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { childrenOf } from '../../src/system/processes.ts';

/** Without HAProxy's processes. */
export async function processesOf(pid: number): Promise<number[]> {
  const own = [pid];
  for (const child of await childrenOf(pid)) {
    if (!isProxy(child)) own.push(...(await processesOf(child)));
  }
  return own;
}

function isProxy(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/exe`).includes('haproxy');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** Megabytes. `peak`: since the start or the last `forgetPeak`. */
export function memoryOf(pids: readonly number[]): { now: number; peak: number } {
  const sum = { now: 0, peak: 0 };
  for (const pid of pids) {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const megabytes = (field: string): number => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1_024;
    sum.now += megabytes('VmRSS');
    sum.peak += megabytes('VmHWM');
  }
  return sum;
}

/** Starts the peak again: 5 resets the kernel's high-water mark. */
export function forgetPeak(pids: readonly number[]): void {
  for (const pid of pids) writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Bytes written to disk so far. */
export function bytesWritten(pid: number | 'self'): number {
  return Number(/write_bytes: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, 'latin1'))?.[1]);
}

/** User and system milliseconds, in steps of ten. */
export function processorTime(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
