// A reload leaves the previous worker draining with its own copy of the map (265 to 280 MB at a million entries). When one
// more would not fit, the reload has to wait for one of them to end.
import { readFile } from 'node:fs/promises';
import { isUnreadable } from '../system/processes.ts';

/** Free memory required, in sizes of the current worker. */
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
