// An older copy of the database was restored, or a crash came between a line and its commit. Changes are numbered
// (`Generation`), and the file records its last one.
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { MapFileIdentity } from '../../haproxy/map-file/map-file.ts';

/** `one`: a crash between line and commit explains it; the line is kept. `more`: only an older database explains it. */
type NewerBy = 'none' | 'one' | 'more';

/** @param generation the number of the database's last change */
export function newerBy({ header, last }: MapFileIdentity, generation: number): NewerBy {
  if (header === null) return 'none';
  // Older versions recorded only the last rewrite.
  if (last === null) return header.generation > generation ? 'more' : 'none';
  if (last <= generation) return 'none';
  return last === generation + 1 ? 'one' : 'more';
}

/** 0: none. */
export function lastChangeOf({ header, last }: MapFileIdentity): number {
  return last ?? header?.generation ?? 0;
}

export const recoveryOptions =
  'nothing was changed. To keep the entries that only the file has, start once with --adopt-map-file (PROXY_MANAGER_ADOPT_MAP_FILE=true); to discard them, start once with --accept-map-file (PROXY_MANAGER_ACCEPT_MAP_FILE=true) or run a sync with accept_map_file=true';

/** Nothing was changed. */
export function newerMapFile(path: string, identity: MapFileIdentity, generation: number): ServiceError {
  return new ServiceError(
    codes.ForeignMapFile,
    'update map file',
    `the map file ${path} was written by a newer state of this database (the file is at change ${lastChangeOf(identity)}, the database at change ${generation}): an older copy of the database was restored, and only the file has the later blocks; ${recoveryOptions}`,
  );
}
