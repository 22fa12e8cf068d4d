// SIGSTOP returns before all threads stand still; on a busy machine some go on long enough to answer.
import { readdir, readFile } from 'node:fs/promises';
import { kill } from 'node:process';
import { parseStat } from '../src/system/processes.ts';
import { eventually } from './conditions.ts';

/** Resolves when every thread is stopped. SIGCONT resumes it. */
export async function suspend(pid: number): Promise<void> {
  kill(pid, 'SIGSTOP');
  await eventually(`process ${pid} stands still`, async () => {
    const threads = await readdir(`/proc/${pid}/task`);
    const stats = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/stat`, 'latin1')));
    return stats.every((stat) => parseStat(stat)?.state === 'T');
  });
}
