// An operator's own configuration need not know the trusted map. While nothing is in it there is nothing to hold, and
// no reason to replace a configuration that serves his sites.
import { RuntimeMapRejection } from '../haproxy/runtime-map.ts';
import type { MirroredMap } from './mirrored-map.ts';

/** The worker's configuration does not use this map, and nothing is missing for it. */
export function isUnused(map: MirroredMap, error: unknown): boolean {
  return (
    map.name === 'trusted' && map.expected.total === 0 && error instanceof RuntimeMapRejection && error.mapIsNotLoaded
  );
}
