// What a worker's map holds by its own `show map`, as a fingerprint: streamed, nothing of it is kept.
import type { WorkerRef } from '../../haproxy/maps/runtime-map.ts';
import type { MirroredMap } from '../mirrored-map.ts';
import { Fingerprint } from './fingerprint.ts';

/**
 * @param version a version under preparation; left out: the live map
 * @throws MasterSocketError, RuntimeMapRejection when the map cannot be listed whole
 */
export async function listedFingerprint(
  map: MirroredMap,
  worker: WorkerRef,
  deadline: number,
  version?: number,
): Promise<Fingerprint> {
  const seen = new Fingerprint();
  await map.runtime.runtimeMapKeys(
    deadline,
    (batch) => {
      for (const { key, value } of batch) seen.addListed(key, value);
    },
    worker,
    version,
  );
  return seen;
}
