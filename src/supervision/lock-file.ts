// Prepares a lock file before it is opened. That of the master socket is by default in a folder where every user may
// create files: a user that can open a lock can hold it, and keep the service from ever starting.
import { chmodSync, closeSync, constants, lstatSync, openSync, readFileSync, type Stats, unlinkSync } from 'node:fs';
import { geteuid } from 'node:process';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR } = constants;
const OTHERS = 0o077;
/** Linux only, so Node has no constant for it. */
const O_PATH = 0o10000000;

/**
 * Creates the file for this user alone, or checks that the existing one belongs to root or this user and that no other
 * user may open it. Removes a file of another user if permitted and unlocked.
 * @throws Error that names the file, its owner, and what to do
 */
export function prepareLockFile(path: string, ownUid: number = geteuid?.() ?? 0): void {
  // SQLite would roll back a journal that another user left beside it.
  for (const suffix of ['-journal', '-wal', '-shm']) prepare(`${path}${suffix}`, ownUid, 'not needed');
  prepare(path, ownUid, 'created');
}

function prepare(path: string, ownUid: number, absent: 'created' | 'not needed'): void {
  for (let tries = 0; tries < 3; tries += 1) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) {
      if (absent === 'not needed' || create(path)) return;
      continue;
    }
    const fault = faultOf(found, ownUid);
    if (fault === null) {
      if (found.uid === ownUid && (found.mode & OTHERS) !== 0) chmodSync(path, 0o600);
      return;
    }
    const holder = holderOf(path);
    if (holder !== null || !removed(path)) throw new Error(`${fault}${holder === null ? '' : `, and ${holder}`}`);
  }
  throw new Error('another process keeps creating it again');
}

/** `process 4711 (node) holds it`; null: none, or unknown. */
export function holderOf(path: string): string | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return null;
  const pid = holderIn(readOr('/proc/locks', ''), deviceOf(path), found.ino);
  return pid === null ? null : `process ${pid} (${readOr(`/proc/${pid}/comm`, 'name unknown').trim()}) holds it`;
}

/**
 * The pid of the lock's holder, by the text of `/proc/locks`; null: none.
 * @param device `fe:00`; null: unknown, and then the inode alone decides, since taking a held lock for free is worse
 */
export function holderIn(locks: string, device: string | null, inode: number): string | null {
  for (const line of locks.split('\n')) {
    // 1: POSIX  ADVISORY  WRITE 4711 fe:00:1234567 1073741824 1073742335
    const [, pid, on, held] = /\s(\d+) (\w+:\w+):(\d+) \d+ \S+$/.exec(line) ?? [];
    if (pid !== undefined && held === String(inode) && (device === null || device === on)) return pid;
  }
  return null;
}

/**
 * As in `/proc/locks`: the device of the mount, not that of `stat`, since on btrfs each subvolume has its own. O_PATH
 * does not open the file: closing an open one would free every lock that this process has on it (fcntl(2)).
 */
function deviceOf(path: string): string | null {
  let descriptor: number;
  try {
    descriptor = openSync(path, O_PATH | O_NOFOLLOW);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return null;
  }
  try {
    const mount = /^mnt_id:\s*(\d+)$/m.exec(readOr(`/proc/self/fdinfo/${descriptor}`, ''))?.[1];
    // 27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
    const numbers = new RegExp(`^${mount} \\d+ (\\d+):(\\d+) `, 'm').exec(readOr('/proc/self/mountinfo', ''));
    if (numbers === null) return null;
    return numbers
      .slice(1)
      .map((number) => Number(number).toString(16).padStart(2, '0'))
      .join(':');
  } finally {
    closeSync(descriptor);
  }
}

/** Null: it can be used as a lock. */
function faultOf(found: Stats, ownUid: number): string | null {
  if (!found.isFile())
    return `it is ${found.isSymbolicLink() ? 'a symbolic link' : 'not a regular file'}, which no proxy-manager creates`;
  // A hard link to a file that may be needed elsewhere; removing this name does not affect that.
  if (found.nlink > 1) return 'it is a hard link to another file';
  return found.uid === 0 || found.uid === ownUid ? null : `it belongs to user ${found.uid}`;
}

/** False: it already exists. */
function create(path: string): boolean {
  try {
    closeSync(openSync(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function removed(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch (error) {
    // Not permitted (a sticky folder), or a folder itself.
    if (['EPERM', 'EACCES', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return otherwise;
  }
}
