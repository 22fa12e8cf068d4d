// The file of a lock, before it is opened. The one of the master socket lies beside it, by default in a folder where
// everybody may make files: whoever can open a lock can hold it, and keep the service from ever starting.
import { chmodSync, closeSync, constants, lstatSync, openSync, readFileSync, type Stats, unlinkSync } from 'node:fs';
import { geteuid } from 'node:process';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR } = constants;
const OTHERS = 0o077;
/** Linux's own, which Node does not name. */
const O_PATH = 0o10000000;

/**
 * Makes the file, for this user alone, or sees that the one that is there is root's or ours and nobody else's to open.
 * What somebody else put there is removed where that is in our power and nobody holds it.
 * @throws Error that names the file, whose it is, and what to do
 */
export function prepareLockFile(path: string, ownUid: number = geteuid?.() ?? 0): void {
  // SQLite would roll back a journal that somebody left beside it.
  for (const suffix of ['-journal', '-wal', '-shm']) prepare(`${path}${suffix}`, ownUid, 'not needed');
  prepare(path, ownUid, 'made');
}

function prepare(path: string, ownUid: number, absent: 'made' | 'not needed'): void {
  // Whoever puts it there again each time is told of.
  for (let tries = 0; tries < 3; tries += 1) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) {
      if (absent === 'not needed' || make(path)) return;
      continue;
    }
    const stranger = strangerIn(found, ownUid);
    if (stranger === null) {
      if (found.uid === ownUid && (found.mode & OTHERS) !== 0) chmodSync(path, 0o600);
      return;
    }
    const holder = holderOf(path);
    if (holder !== null || !removed(path)) throw new Error(`${stranger}${holder === null ? '' : `, and ${holder}`}`);
  }
  throw new Error('somebody else makes it again and again');
}

/** `process 4711 (node) holds it`; null: nobody does, or it cannot be told. */
export function holderOf(path: string): string | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return null;
  const pid = holderIn(readOr('/proc/locks', ''), deviceOf(path), found.ino);
  return pid === null ? null : `process ${pid} (${readOr(`/proc/${pid}/comm`, 'not to be seen').trim()}) holds it`;
}

/**
 * The pid of whoever holds a lock on the file, by the text of `/proc/locks`; null: nobody does.
 * @param device `fe:00`; null: not known, and then the inode alone decides, since to take a held lock for a free one is worse
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
 * As `/proc/locks` writes it. That of the mount and not that of `stat`: on btrfs each subvolume has one of its own there.
 * The file is looked at and not opened: closing it would free every lock that this process itself has on it (fcntl(2)).
 */
function deviceOf(path: string): string | null {
  let look: number;
  try {
    look = openSync(path, O_PATH | O_NOFOLLOW);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return null;
  }
  try {
    const mount = /^mnt_id:\s*(\d+)$/m.exec(readOr(`/proc/self/fdinfo/${look}`, ''))?.[1];
    // 27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
    const numbers = new RegExp(`^${mount} \\d+ (\\d+):(\\d+) `, 'm').exec(readOr('/proc/self/mountinfo', ''));
    if (numbers === null) return null;
    return numbers
      .slice(1)
      .map((number) => Number(number).toString(16).padStart(2, '0'))
      .join(':');
  } finally {
    closeSync(look);
  }
}

function strangerIn(found: Stats, ownUid: number): string | null {
  if (!found.isFile()) return `it is ${found.isSymbolicLink() ? 'a link' : 'no file'}, which no proxy-manager makes`;
  // A second name of a file that is precious elsewhere; taking this one away leaves that as it is.
  if (found.nlink > 1) return 'it is a second name of another file';
  return found.uid === 0 || found.uid === ownUid ? null : `it belongs to user ${found.uid}`;
}

function make(path: string): boolean {
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
    // Not ours to remove (a sticky folder), or a folder itself.
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
