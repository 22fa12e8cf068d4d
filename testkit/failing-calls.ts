// Strace makes system calls of a running process fail or take long: the only way to fail exactly the n-th write of
// SQLite.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { processAlive } from '../src/system/processes.ts';
import { eventually } from './conditions.ts';

/** False if strace is missing (`scripts/prepare` installs it), or may not trace. */
export function mayTrace(): boolean {
  return spawnSync('strace', ['-qqq', '-o', '/dev/null', 'true']).status === 0;
}

export interface FailingCalls {
  /** Comma-separated, as strace names them. Never `write` without a path: it wakes threads. */
  readonly calls: string;
  /** `error=ENOSPC`, `delay_exit=500000` (microseconds). */
  readonly how: string;
  /** `3`: the third; `3+`: from the third on; `3+2`: every second from then. Default all. */
  readonly when?: string;
  /** Only calls on these files, by their names at the start. */
  readonly paths?: readonly string[];
}

/** Resolves when every thread is traced. The result ends it. */
export async function failCalls(pid: number, { calls, how, when = '1+', paths = [] }: FailingCalls) {
  const onPaths = paths.flatMap((path) => ['-P', path]);
  const inject = `inject=${calls}:${how}:when=${when}`;
  const args = ['-f', '-qqq', '-o', '/dev/null', '-p', String(pid), ...onPaths, '-e', `trace=${calls}`, '-e', inject];
  const strace = spawn('strace', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  strace.stderr.on('data', (bytes: Buffer) => {
    said += bytes.toString('utf8');
  });
  const failed = new Promise<never>((_, reject) => strace.once('error', reject));
  const attached = eventually('strace is attached to every thread', async () => {
    if (strace.exitCode !== null) throw new Error(`strace ended: ${said}`);
    return await everyThreadTraced(pid);
  });
  await Promise.race([attached, failed]);
  return { end: () => ended(strace, pid) };
}

async function everyThreadTraced(pid: number): Promise<boolean> {
  for (const thread of await readdir(`/proc/${pid}/task`)) {
    const status = await readFile(`/proc/${pid}/task/${thread}/status`, 'utf8');
    if (/^TracerPid:\s+0$/m.test(status)) return false;
  }
  return true;
}

/** Detaches from the process, if it still runs. If it is dying, strace may wait for a thread that waits for strace. */
async function ended(strace: ChildProcess, pid: number): Promise<void> {
  const isOver = () => strace.exitCode !== null || strace.signalCode !== null;
  if (isOver()) return;
  strace.kill('SIGTERM');
  await eventually('strace has let go', async () => {
    if (!isOver() && !(await processAlive(pid, null))) strace.kill('SIGKILL');
    return isOver();
  });
}
