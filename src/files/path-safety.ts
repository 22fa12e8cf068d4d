// Which users could replace a file: its owner, the owners of the folders above it, and every user if one of those is
// writable to all. Root and this process's user are trusted; so is a group, which an operator set up for that purpose.
import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { getuid } from 'node:process';

export interface PathRights {
  /** Users other than root and this one that own the file, a link to it or a folder above it; each with its path. */
  readonly foreignOwners: readonly { readonly path: string; readonly uid: number; readonly isFolderAbove: boolean }[];
  /** Writable by every user: the file, or a folder in which it could be replaced or created first. */
  readonly writable: readonly { readonly path: string; readonly sticky: boolean }[];
  /** The file itself is readable by every user. */
  readonly readableByAll: boolean;
  readonly exists: boolean;
}

const WRITE_ALL = 0o002;
const READ_ALL = 0o004;
const STICKY = 0o1000;

/** Of the file or folder `path` and everything above it, by its own name and by the targets of its links. */
export function pathRights(path: string, ownUid: number = getuid?.() ?? 0): PathRights {
  const foreignOwners = new Map<string, PathRights['foreignOwners'][number]>();
  const writable = new Map<string, boolean>();
  const note = (at: string, { uid }: Stats, isFolderAbove: boolean): void => {
    if (uid !== 0 && uid !== ownUid) foreignOwners.set(at, { path: at, uid, isFolderAbove });
  };
  const chains = new Set([path, realPath(path)]);
  for (const start of chains) {
    for (const folder of foldersAbove(start)) {
      const link = lstatSync(folder, { throwIfNoEntry: false });
      if (link === undefined) continue;
      note(folder, link, true);
      if (!link.isDirectory() || (link.mode & WRITE_ALL) === 0) continue;
      // With the sticky bit other users cannot replace what exists, but they can create what does not.
      const sticky = (link.mode & STICKY) !== 0;
      if (!sticky || folder === dirname(start)) writable.set(folder, sticky);
    }
    const link = lstatSync(start, { throwIfNoEntry: false });
    if (link !== undefined) note(start, link, false);
  }
  const target = statSync(path, { throwIfNoEntry: false });
  // Anything else than a file or folder (/dev/null) stores nothing.
  const judged = target !== undefined && (target.isFile() || target.isDirectory());
  if (judged && (target.mode & WRITE_ALL) !== 0) writable.set(path, false);
  return {
    foreignOwners: [...foreignOwners.values()],
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

/** The path without links; of a missing file, its folder's path without links. */
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
