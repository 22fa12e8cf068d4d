import { randomBytes } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { type FileHandle, link, open, readdir, realpath, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { crashPoint } from '../faults/crash-point.ts';

/** No access for other users: map files and configurations name the operator's sites. */
export const DEFAULT_FILE_MODE = 0o640;

export interface AtomicWriteOptions {
  /** For a new file, whatever the umask; an existing file keeps its own. Default 0o640. */
  readonly mode?: number;
  /** False: the new file belongs to this process even if the old one belonged to another user. Default true. */
  readonly keepOwner?: boolean;
}

/**
 * Replaces a file so that a reader, or a crash at any moment, finds the complete old or the complete new content
 * (promise 10). The content is durable on return. A symbolic link stays one; its target is replaced.
 * Rejects with the system's error, and then the old file is untouched, with one exception: if only the last step, the
 * sync of the folder, fails, the new content is in place but may not be durable.
 * @returns the facts of the file, read before the rename (which changes `ctime`): one with others was changed by another
 *   process since
 */
export async function writeFileAtomically(
  path: string,
  content: string | Uint8Array,
  options: AtomicWriteOptions = {},
): Promise<BigIntStats> {
  const target = await resolveTarget(path);
  return await replaceFile(target, content, (file) => inheritModeAndOwner(file, target, options));
}

/**
 * Writes a file that only this user may read (mode 600, owned by this process), durable on return. Anything at the path, a
 * link included, is replaced and never followed, so that a user who put it there gets neither the content nor ownership.
 * @param temporaryFolder on the same disk, for the temporary file; absent: the folder of the file
 * @returns as `writeFileAtomically`
 */
export async function writeSecretFile(
  path: string,
  content: string | Uint8Array,
  temporaryFolder?: string,
): Promise<BigIntStats> {
  return await replaceFile(path, content, (file) => file.chmod(0o600), temporaryFolder);
}

/**
 * Like `writeSecretFile`, but never replaces a file: false if there is one.
 * @param makeRoom once the content is on the disk, which may be full
 */
export async function createSecretFile(
  path: string,
  content: string | Uint8Array,
  temporaryFolder: string,
  makeRoom?: () => Promise<void>,
): Promise<boolean> {
  const next = temporaryPath(join(temporaryFolder, basename(path)));
  await writeSecretFile(next, content);
  try {
    await makeRoom?.();
    await link(next, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await unlink(next);
    await fsyncFolder(dirname(path));
  }
}

async function replaceFile(
  target: string,
  content: string | Uint8Array,
  prepare: (file: FileHandle) => Promise<void>,
  temporaryFolder = dirname(target),
): Promise<BigIntStats> {
  const temporary = temporaryPath(join(temporaryFolder, basename(target)));
  const file = await open(temporary, 'wx', 0o600);
  crashPoint('atomic-file.made');
  let written: BigIntStats;
  try {
    try {
      await file.writeFile(content);
      await prepare(file);
      await file.sync();
      written = await file.stat({ bigint: true });
    } finally {
      await file.close();
    }
    crashPoint('atomic-file.synced');
    await rename(temporary, target);
  } catch (error) {
    throw await discardTemporary(temporary, error);
  }
  crashPoint('atomic-file.renamed');
  await fsyncFolder(dirname(target));
  crashPoint('atomic-file.durable');
  return written;
}

/** Makes the names in a folder durable: a rename may be lost in a crash before this. */
export async function fsyncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The target of a symbolic link, or the path itself, so that a rename replaces the file and not the link. */
export async function resolveTarget(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (isMissing(error)) return path;
    throw error;
  }
}

/** A new name beside the target, `.<name>.<pid>.<random>.tmp`: the pid shows whether the process that wrote it is alive. */
export function temporaryPath(target: string): string {
  return join(dirname(target), `.${basename(target)}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`);
}

/**
 * Removes the temporary files that crashed processes left beside the target; returns their paths. Those of a living
 * process stay. This process's own pid counts as crashed too (in a container every run has pid 1), so it must have no
 * write to this target in progress.
 */
export async function removeStaleTemporaries(target: string): Promise<string[]> {
  const folder = dirname(target);
  const prefix = `.${basename(target)}.`;
  const removed: string[] = [];
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix)) continue;
    const pid = /^(\d{1,10})\.[0-9a-f]{12}\.tmp$/.exec(name.slice(prefix.length))?.[1];
    if (pid === undefined || isOtherLivingProcess(Number(pid))) continue;
    const path = join(folder, name);
    await unlink(path);
    removed.push(path);
  }
  return removed;
}

/** Gives a new file the mode and owner of the one it will replace, or the default mode. */
export async function inheritModeAndOwner(
  file: FileHandle,
  target: string,
  options: AtomicWriteOptions = {},
): Promise<void> {
  const old = await statOrNull(target);
  if (old !== null && !old.isFile()) throw new Error(`${target} is not a regular file, so it is not replaced`);
  if (old !== null && options.keepOwner !== false) {
    const mine = await file.stat();
    // Before chmod: chown clears the set-id bits.
    if (mine.uid !== old.uid || mine.gid !== old.gid) await file.chown(old.uid, old.gid);
  }
  await file.chmod(old === null ? (options.mode ?? DEFAULT_FILE_MODE) : old.mode & 0o7777);
}

/** Removes a temporary file after a failure and returns the error to throw: the failure, with that of the removal if it failed too. */
export async function discardTemporary(temporary: string, failure: unknown): Promise<unknown> {
  try {
    await unlink(temporary);
    return failure;
  } catch (error) {
    if (isMissing(error)) return failure;
    return new AggregateError([failure, error], `${messageOf(failure)}; and ${temporary} could not be removed`);
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === 'ENOENT';
}

async function statOrNull(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

function isOtherLivingProcess(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives and belongs to another user.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
