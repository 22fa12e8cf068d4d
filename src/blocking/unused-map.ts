// An operator's own configuration need not use the trusted map. No reload of it could load the map, so that a worker
// without it lacks nothing. While nothing is trusted, nothing is lacking either.
import { RuntimeMapRejection } from '../haproxy/runtime-map.ts';
import type { MirroredMap } from './mirrored-map.ts';

/** Why a worker does not hold a trusted address, where that is the configuration's doing. */
export const unusedTrustedMap =
  'the live configuration does not use the trusted map, so trust has no effect on it: add the exception of docs/template.md to its rule';

/** The worker's configuration does not use this map, and nothing is missing for it. */
export function isUnused(map: MirroredMap, error: unknown): boolean {
  const mayLack = map.name === 'trusted' && (map.expected.total === 0 || map.unusedByConfiguration === true);
  return mayLack && error instanceof RuntimeMapRejection && error.mapIsNotLoaded;
}
