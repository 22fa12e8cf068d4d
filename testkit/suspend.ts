// SIGSTOP returns before the process stands still: one thread takes the signal when it next runs, and the others go on
// until then, on a busy machine long enough to answer.
import { readdir, readFile } from 'node:fs/promises';
import { kill } from 'node:process';
import { parseStat } from '../src/system/processes.ts';
import { eventually } from './conditions.ts';

/** Resolves when every thread of the process is stopped. SIGCONT lets it go on. */
export async function suspend(pid: number): Promise<void> {
  kill(pid, 'SIGSTOP');
  await eventually(`process ${pid} stands still`, async () => {
    const threads = await readdir(`/proc/${pid}/task`);
    const stats = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/stat`, 'latin1')));
    return stats.every((stat) => parseStat(stat)?.state === 'T');
  });
}
