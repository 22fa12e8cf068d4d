// How many connections the API may hold: each costs a descriptor, and the database, the map file and the master socket
// need theirs whatever strangers open.
import { readFileSync } from 'node:fs';

/** About 60 MB of idle connections. More clients than this at once are no clients of one proxy's manager. */
const MOST_CONNECTIONS = 2048;
/** Where descriptors are very short the API still answers one operator. */
const LEAST_CONNECTIONS = 16;
/** Kept for everything else: some 40 are open at rest, a reload, a sync and a rewrite add some dozens. */
const KEPT_DESCRIPTORS = 128;

/** @param limits the text of /proc/self/limits; empty where there is none */
export function connectionLimit(limits: string): number {
  const files = openFilesOf(limits);
  return Math.min(MOST_CONNECTIONS, Math.max(LEAST_CONNECTIONS, Math.floor((files - KEPT_DESCRIPTORS) / 2)));
}

export function readProcessLimits(path = '/proc/self/limits'): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    // A system without /proc has its own defaults; ours bounds the memory all the same.
    if (['ENOENT', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}

/** The soft limit stands first: `Max open files            1024                 20000                files`. */
function openFilesOf(limits: string): number {
  const soft = /^Max open files\s+(\d{1,15}|unlimited)\s/m.exec(limits)?.[1];
  return soft === undefined || soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
}
