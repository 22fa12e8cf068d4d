// A map file with changes that the database lacks: an older copy of the database was restored, or a crash came between
// a line and its commit. Changes are numbered (`Generation`), and the file records its last one.
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { MapFileIdentity } from '../../haproxy/map-file/map-file.ts';

/**
 * `one`: as after a crash, because a line is written before the commit; the file's part of that change is kept. `more`:
 * only an older database explains it.
 */
type NewerBy = 'none' | 'one' | 'more';

/**
 * How far a map file of this database is ahead of it.
 * @param generation the number of the database's last change
 */
export function newerBy({ header, last }: MapFileIdentity, generation: number): NewerBy {
  if (header === null) return 'none';
  // Older versions recorded only the last rewrite: a number that was committed before.
  if (last === null) return header.generation > generation ? 'more' : 'none';
  if (last <= generation) return 'none';
  return last === generation + 1 ? 'one' : 'more';
}

/** The number of the last change recorded in the file; 0: none. */
export function lastChangeOf({ header, last }: MapFileIdentity): number {
  return last ?? header?.generation ?? 0;
}

/** Both solutions for a map file that holds what the database lacks. */
export const waysOut =
  'nothing was changed. To keep the entries that only the file has, start once with --adopt-map-file (PROXY_MANAGER_ADOPT_MAP_FILE=true); to discard them, start once with --accept-map-file (PROXY_MANAGER_ACCEPT_MAP_FILE=true) or run a sync with accept_map_file=true';

/** The error with both solutions. Nothing was changed. */
export function newerMapFile(path: string, identity: MapFileIdentity, generation: number): ServiceError {
  return new ServiceError(
    codes.ForeignMapFile,
    'update map file',
    `the map file ${path} was written by a newer state of this database (the file is at change ${lastChangeOf(identity)}, the database at change ${generation}): an older copy of the database was restored, and only the file has the later blocks; ${waysOut}`,
  );
}
