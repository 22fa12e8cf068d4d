import { processAlive, processStartTime } from '../src/system/processes.ts';
import { eventually } from '../testkit/conditions.ts';

/** Resolves when all are gone. */
export async function killAndWait(pids: readonly number[]): Promise<void> {
  for (const pid of pids) {
    const startTime = await processStartTime(pid);
    send(pid, 'SIGKILL');
    await eventually(`${pid} is dead`, async () => !(await processAlive(pid, startTime)));
  }
}

/** A process that is gone is no error. */
export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
