// Proof that a worker's map is whole: one streamed `show map` against the fingerprint of what should be there.
// No memory, 0.1 s at a million, and no turn is held: what changes meanwhile taints its bucket only, and a bucket
// that was tainted in one listing is proved by another.
import type { WorkerRef } from '../haproxy/runtime-map.ts';
import type { ChangeWindows } from './change-windows.ts';
import { bucketCount, Fingerprint } from './fingerprint.ts';
import type { MirroredMap } from './mirrored-map.ts';

export type Verification =
  | { readonly whole: true; readonly entries: number }
  /** At least one bucket that nobody touched differs. */
  | { readonly whole: false; readonly differs: true; readonly entries: number }
  /** Changes came so fast that some buckets were touched in every listing. */
  | { readonly whole: false; readonly differs: false; readonly entries: number };

const listings = 6;

/** @throws MasterSocketError, RuntimeMapRejection when the map cannot be listed; that is no verdict */
export async function verifyWorker(
  map: MirroredMap,
  worker: WorkerRef,
  windows: ChangeWindows,
  deadline: number,
): Promise<Verification> {
  const unproved = new Uint8Array(bucketCount).fill(1);
  let entries = 0;
  for (let listing = 0; listing < listings; listing += 1) {
    const window = windows.open();
    try {
      const seen = new Fingerprint();
      await map.runtime.runtimeMapKeys(
        deadline,
        (batch) => {
          for (const { key, value } of batch) seen.addListed(key, value);
        },
        worker,
      );
      entries = seen.total;
      if (seen.differingBuckets(map.expected, window.tainted).length > 0)
        return { whole: false, differs: true, entries };
      let left = 0;
      for (let bucket = 0; bucket < bucketCount; bucket += 1) {
        if (unproved[bucket] === 0) continue;
        if (window.tainted[bucket] === 0) unproved[bucket] = 0;
        else left += 1;
      }
      if (left === 0) return { whole: true, entries };
    } finally {
      windows.close(window);
    }
  }
  return { whole: false, differs: false, entries };
}
