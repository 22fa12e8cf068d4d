// A small file system for one folder, so that it can be full. Needs the right to mount.
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { open, readFile, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ballastName = '.ballast';

/** False: not root, or a container without the right. */
export function mayMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'pm-mount-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', folder]).status === 0;
  if (mounted) spawnSync('umount', [folder]);
  rmdirSync(folder);
  return mounted;
}

/** Mounts an empty disk over an existing folder, whose content is hidden until `unmountDisk`. */
export async function mountDisk(folder: string, megabytes: number): Promise<void> {
  await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', folder]);
}

/** Lazily: open files do not prevent it. No effect without such a disk. */
export async function unmountDisk(folder: string): Promise<void> {
  if (await isDisk(folder)) await run('umount', ['-l', folder]);
}

export async function isDisk(folder: string): Promise<boolean> {
  const mounts = await readFile('/proc/self/mounts', 'utf8');
  return mounts.split('\n').some((line) => line.split(' ')[1] === folder);
}

/** Leaves `leave` bytes free. @returns bytes of ballast */
export async function fillDisk(folder: string, leave = 0): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  const file = await open(join(folder, ballastName), 'a');
  let total = 0;
  try {
    for (let rest = bavail * bsize - leave; rest > 0; ) {
      const { bytesWritten } = await file.write(Buffer.alloc(Math.min(rest, 1_048_576)));
      rest -= bytesWritten;
      total += bytesWritten;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    await file.close();
  }
  return total;
}

export async function makeRoom(folder: string): Promise<void> {
  await rm(join(folder, ballastName), { force: true });
}
