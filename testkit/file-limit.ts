import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { processAlive, processStartTime } from '../src/system/processes.ts';

const run = promisify(execFile);

/** Open files stay open; no more can be opened. @returns restores the limit, if the process still runs */
export async function forbidOpening(pid: number): Promise<() => Promise<void>> {
  const limits = await readFile(`/proc/${pid}/limits`, 'utf8');
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  if (soft === undefined) throw new Error(`no limit of open files is known of ${pid}`);
  await run('prlimit', ['--pid', String(pid), '--nofile=3:']);
  const startTime = await processStartTime(pid);
  return async () => {
    if (!(await processAlive(pid, startTime))) return;
    await run('prlimit', ['--pid', String(pid), `--nofile=${soft}:`]);
  };
}
