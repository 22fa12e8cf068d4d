// A reload leaves the old worker draining with its own copy of the map (265 to 280 MB at a million entries). When one
// more would not fit, the reload has to wait for one of them to end.
import { readFile } from 'node:fs/promises';

/** What has to stay free beside a new worker. */
const reserve = 1.5;

/** True when there is room for one worker more of the current one's size, or nothing can be read. */
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
    if (['ENOENT', 'ESRCH', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}
