// Proves that a worker's map is in sync by one streamed `show map`, without a turn: 0.1 s at a million. Only if buckets
// are tainted again and again does the last listing hold the turn.

import type { TurnQueue } from '../../concurrency/turn-queue.ts';
import type { WorkerRef } from '../../haproxy/maps/runtime-map.ts';
import type { MirroredMap } from '../mirrored-map.ts';
import { type ChangeWindows, UnprovedBuckets } from '../write/change-windows.ts';
import { listedFingerprint } from './fingerprint.ts';

type Verification =
  | { readonly inSync: true; readonly entries: number }
  /** At least one bucket without a change meanwhile differs. */
  | { readonly inSync: false; readonly entries: number };

/** Buckets still tainted after these are proved by a listing that holds the turn. */
const freeListings = 5;
/** 0.1 s at a million; a worker that hangs must not keep the turn. */
const turnMs = 1_000;

/** @throws MasterSocketError, RuntimeMapRejection: no verdict */
export async function verifyWorker(
  map: MirroredMap,
  worker: WorkerRef,
  windows: ChangeWindows,
  turns: TurnQueue,
  deadline: number,
): Promise<Verification> {
  const unproved = new UnprovedBuckets();
  for (let listing = 0; listing < freeListings; listing += 1) {
    const { differs, entries, left } = await list(map, worker, windows, unproved, deadline);
    if (differs) return { inSync: false, entries };
    if (left === 0) return { inSync: true, entries };
    // Lets a change in flight end, so that the next listing does not begin inside it.
    await turns.take('bulk', async () => undefined);
  }
  const { differs, entries } = await turns.take('bulk', () =>
    list(map, worker, windows, unproved, Math.min(deadline, performance.now() + turnMs), true),
  );
  return { inSync: !differs, entries };
}

async function list(
  map: MirroredMap,
  worker: WorkerRef,
  windows: ChangeWindows,
  unproved: UnprovedBuckets,
  deadline: number,
  inTurn = false,
): Promise<{ differs: boolean; entries: number; left: number }> {
  const window = windows.open();
  try {
    const seen = await listedFingerprint(map.runtime, worker, deadline, { inTurn });
    const differs = seen.differingBuckets(map.expected, window.tainted).length > 0;
    return { differs, entries: seen.total, left: unproved.prove(window) };
  } finally {
    windows.close(window);
  }
}
