// System calls of a running process made to fail or to take long, by strace: the one way to a disk that fails at exactly
// the n-th write of SQLite in a process that is already running.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { eventually } from './conditions.ts';

/** False where strace is missing (`scripts/prepare` installs it), or may not trace. */
export function mayTrace(): boolean {
  return spawnSync('strace', ['-qqq', '-o', '/dev/null', 'true']).status === 0;
}

export interface FailingCalls {
  /** Separated by commas, as strace names them: `pwrite64,fdatasync`. Never `write` without a path: it wakes threads. */
  readonly calls: string;
  /** `error=ENOSPC`, `delay_exit=500000` (microseconds). */
  readonly how: string;
  /** Which of them: `3` the third, `3+` from the third on, `3+2` every second from then. Default all. */
  readonly when?: string;
  /** Only those on these files, as they were named when this began. */
  readonly paths?: readonly string[];
}

/** Resolves when every thread of the process is in strace's hands. The result ends it. */
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
  return { end: () => ended(strace) };
}

async function everyThreadTraced(pid: number): Promise<boolean> {
  for (const thread of await readdir(`/proc/${pid}/task`)) {
    const status = await readFile(`/proc/${pid}/task/${thread}/status`, 'utf8');
    if (/^TracerPid:\s+0$/m.test(status)) return false;
  }
  return true;
}

/** Lets go of the process, which goes on as before; also where it has ended. */
async function ended(strace: ChildProcess): Promise<void> {
  if (strace.exitCode !== null || strace.signalCode !== null) return;
  strace.kill('SIGTERM');
  await eventually('strace has let go', () => strace.exitCode !== null || strace.signalCode !== null);
}
