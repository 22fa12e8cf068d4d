// Replies are trusted, and the default path is in a world-writable folder. So the socket must belong to root or this
// process's user, and must not be writable by all (docs/hardening.md).
import { lstatSync, type Stats, statSync } from 'node:fs';
import { getuid } from 'node:process';

type SocketSafety = { readonly safe: true } | { readonly safe: false; readonly missing: boolean; readonly why: string };

const WRITABLE_BY_OTHERS = 0o002;

/** Synchronous: one stat of a local file, before each connection. */
export function socketSafety(path: string, ownUid: number = getuid?.() ?? 0): SocketSafety {
  let link: Stats | undefined;
  let target: Stats | undefined;
  try {
    link = lstatSync(path, { throwIfNoEntry: false });
    target = link?.isSymbolicLink() === true ? statSync(path, { throwIfNoEntry: false }) : link;
  } catch (error) {
    return { safe: false, missing: false, why: `${path} cannot be examined: ${(error as Error).message}` };
  }
  if (link === undefined || target === undefined) {
    return { safe: false, missing: true, why: `there is no socket at ${path}` };
  }
  const trusted = (uid: number): boolean => uid === 0 || uid === ownUid;
  if (!trusted(link.uid)) return unsafe(`${path} belongs to user ${link.uid}, not to root or to user ${ownUid}`);
  if (!target.isSocket()) return unsafe(`${path} is not a socket`);
  if (!trusted(target.uid)) return unsafe(`${path} belongs to user ${target.uid}, not to root or to user ${ownUid}`);
  if ((target.mode & WRITABLE_BY_OTHERS) !== 0) {
    const mode = (target.mode & 0o777).toString(8);
    return unsafe(
      `${path} has mode ${mode}, so that every user may write to it; start HAProxy with -S ${path},mode,600`,
    );
  }
  return { safe: true };
}

/** Another identity means another listener. Null when there is no file, or it is not readable. */
export function socketFile(path: string): string | null {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats === undefined ? null : `${stats.dev}:${stats.ino}`;
  } catch (error) {
    // Not permitted, or a parent that is not a folder: `socketSafety` reports it before each connection.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return null;
  }
}

function unsafe(why: string): SocketSafety {
  return { safe: false, missing: false, why };
}
