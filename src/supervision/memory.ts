// A reload leaves the previous worker draining with its own copy of the map (265 to 280 MB at a million entries). If
// one more does not fit, the reload waits for one to exit.
import { readFile } from 'node:fs/promises';
import { isUnreadable } from '../system/processes.ts';

const reserve = 1.5;

/** True when there is memory for one more worker of the current one's size, or that cannot be determined. */
export async function memoryAllowsWorker(currentPid: number | null): Promise<boolean> {
  if (currentPid === null) return true;
  const [available, size] = [
    await kilobytes('/proc/meminfo', 'MemAvailable'),
    await kilobytes(`/proc/${currentPid}/status`, 'VmRSS'),
  ];
  return available === null || size === null || available > size * reserve;
}

async function kilobytes(file: string, field: string): Promise<number | null> {
  try {
    const match = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(await readFile(file, 'latin1'));
    return match?.[1] === undefined ? null : Number(match[1]);
  } catch (error) {
    if (isUnreadable(error)) return null;
    throw error;
  }
}
