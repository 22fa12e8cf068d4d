// An operator's own configuration need not use the trusted map. No reload of it could load the map, so that a worker
// without it lacks nothing. While nothing is trusted, nothing is lacking either.
import { RuntimeMapRejection } from '../../haproxy/maps/runtime-map.ts';
import type { MirroredMap } from '../mirrored-map.ts';

/** The worker's configuration does not use this map, and nothing is missing for it. */
export function isUnused(map: MirroredMap, error: unknown): boolean {
  const mayLack = map.name === 'trusted' && (map.expected.total === 0 || map.unusedByConfiguration === true);
  return mayLack && error instanceof RuntimeMapRejection && error.mapIsNotLoaded;
}
