import type { BigIntStats } from 'node:fs';
import { lstat, readlink } from 'node:fs/promises';
import { isMissing } from '../files/atomic-file.ts';

/** Mode, owner, inode, size and times; begins with the mode, or `link`. Null: no file. */
export async function identityOf(path: string): Promise<string | null> {
  try {
    const stats = await lstat(path, { bigint: true });
    if (!stats.isFile() && !stats.isSymbolicLink()) return null;
    return `${identityBeforeRename(stats)}${stats.ctimeNs}`;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** The beginning of an identity: all but `ctime`, which a rename changes. */
export function identityBeforeRename(stats: BigIntStats): string {
  const { dev, ino, size, mtimeNs, uid, mode } = stats;
  const kind = stats.isFile() ? (mode & 0o777n).toString(8) : 'link';
  return `${kind} ${[uid, dev, ino, size, mtimeNs].join(':')}:`;
}

/** Null: no link. */
export async function linkTarget(path: string): Promise<string | null> {
  try {
    return await readlink(path);
  } catch (error) {
    if (isMissing(error) || (error as NodeJS.ErrnoException).code === 'EINVAL') return null;
    throw error;
  }
}

/**
 * The path, or the first of `path-2`, `path-3` …, that nothing has.
 * @param isSame of one that exists: it is returned if it is the same
 */
export async function freeName(
  path: string,
  isSame: (name: string) => Promise<boolean> = async () => false,
): Promise<{ readonly name: string; readonly isFree: boolean }> {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? path : `${path}-${number}`;
    try {
      await lstat(name);
    } catch (error) {
      if (isMissing(error)) return { name, isFree: true };
      throw error;
    }
    if (await isSame(name)) return { name, isFree: false };
  }
}
