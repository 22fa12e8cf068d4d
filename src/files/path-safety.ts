// Who could put something else at a path: the owner of the file, the owners of the folders above it, and everybody,
// where one of them lets everybody write. Root and our own user are trusted; a group may write, that is what an
// operator made it for.
import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { getuid } from 'node:process';

export interface PathRights {
  /** Users, neither root nor we, who own the file, a link to it or a folder above it; each with its path. */
  readonly strangers: readonly { readonly path: string; readonly uid: number; readonly isFolderAbove: boolean }[];
  /** What everybody may write to: the file, or the folder in which it could be replaced or made first. */
  readonly writable: readonly { readonly path: string; readonly sticky: boolean }[];
  /** The file itself may be read by everybody. */
  readonly readableByAll: boolean;
  readonly exists: boolean;
}

const WRITE_ALL = 0o002;
const READ_ALL = 0o004;
const STICKY = 0o1000;

/** Looks at the file or folder `path` and at everything above it, by its own name and by where its links lead. */
export function pathRights(path: string, ownUid: number = getuid?.() ?? 0): PathRights {
  const strangers = new Map<string, PathRights['strangers'][number]>();
  const writable = new Map<string, boolean>();
  const note = (at: string, { uid }: Stats, isFolderAbove: boolean): void => {
    if (uid !== 0 && uid !== ownUid) strangers.set(at, { path: at, uid, isFolderAbove });
  };
  const chains = new Set([path, realPath(path)]);
  for (const start of chains) {
    for (const folder of foldersAbove(start)) {
      const link = lstatSync(folder, { throwIfNoEntry: false });
      if (link === undefined) continue;
      note(folder, link, true);
      if (!link.isDirectory() || (link.mode & WRITE_ALL) === 0) continue;
      // Where the sticky bit is set others cannot replace what is there, but they can make what is not there yet.
      const sticky = (link.mode & STICKY) !== 0;
      if (!sticky || folder === dirname(start)) writable.set(folder, sticky);
    }
    const link = lstatSync(start, { throwIfNoEntry: false });
    if (link !== undefined) note(start, link, false);
  }
  const target = statSync(path, { throwIfNoEntry: false });
  // What is neither file nor folder (/dev/null) keeps nothing.
  const judged = target !== undefined && (target.isFile() || target.isDirectory());
  if (judged && (target.mode & WRITE_ALL) !== 0) writable.set(path, false);
  return {
    strangers: [...strangers.values()],
    writable: [...writable].map(([at, sticky]) => ({ path: at, sticky })),
    readableByAll: judged && (target.mode & READ_ALL) !== 0,
    exists: target !== undefined,
  };
}

function foldersAbove(path: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); !folders.includes(folder); folder = dirname(folder)) folders.push(folder);
  return folders.reverse();
}

/** Where the path leads; of one that is not there, where its folder leads. */
function realPath(path: string): string {
  for (let part = path, rest = ''; ; rest = path.slice(dirname(part).length), part = dirname(part)) {
    try {
      return `${realpathSync(part)}${rest}`.replace('//', '/');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (part === dirname(part) || code === undefined) throw error;
    }
  }
}
