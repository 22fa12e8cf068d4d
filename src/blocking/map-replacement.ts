// Atomic replacement of a worker's map: a new version is prepared, filled unseen, counted, and switched to at once.
// For the versions on which one delete scans the whole map; a commit of a million stalls the proxy 40 to 150 ms.
// While the version is pending every block goes to the live map and to it (the version numbers are each worker's own,
// so the whole sequence is spoken to one pid).
import type { WorkerRef } from '../haproxy/runtime-map.ts';
import { bucketOf, Fingerprint } from './fingerprint.ts';
import { listedFingerprint } from './listed-fingerprint.ts';
import type { MapName, MirroredMap } from './mirrored-map.ts';
import type { TurnQueue } from './turn-queue.ts';

export class PendingVersions {
  readonly #versions = new Map<string, { version: number; readonly addedMeanwhile: Set<string> }>();

  of(pid: number, map: MapName): number | undefined {
    return this.#versions.get(`${pid}:${map}`)?.version;
  }

  begin(pid: number, map: MapName, version: number): void {
    this.#versions.set(`${pid}:${map}`, { version, addedMeanwhile: new Set() });
  }

  /** Adds that went to a pending version already are not filled in again: the version would hold them twice. */
  noteAdded(map: MapName, texts: readonly string[]): void {
    for (const [key, pending] of this.#versions) {
      if (key.endsWith(`:${map}`)) for (const text of texts) pending.addedMeanwhile.add(text);
    }
  }

  addedMeanwhile(pid: number, map: MapName): ReadonlySet<string> {
    return this.#versions.get(`${pid}:${map}`)?.addedMeanwhile ?? new Set();
  }

  end(pid: number, map: MapName): void {
    this.#versions.delete(`${pid}:${map}`);
  }
}

const fillSlice = 2_000;
/** Each step has the turn: a worker that hangs ends the replacement. A listing and a commit of a million take 0.3 s. */
const turnMs = 1_500;
const turnDeadline = (): number => performance.now() + turnMs;

/** @throws when a step was refused or not answered; the live map is as it was then, and the version is abandoned */
export async function replaceWorkerMap(
  map: MirroredMap,
  pid: number,
  pending: PendingVersions,
  turns: TurnQueue,
): Promise<void> {
  const worker = { kind: 'pid', pid } as const;
  const version = await turns.take('bulk', async () => {
    const prepared = await map.runtime.prepare(worker, turnDeadline());
    pending.begin(pid, map.name, prepared);
    return prepared;
  });
  try {
    for await (const page of map.scan()) {
      for (let start = 0; start < page.length; start += fillSlice) {
        const texts = page.slice(start, start + fillSlice);
        await turns.take('bulk', async () => {
          // Asked inside the turn: what was unblocked since the page was read must not come back.
          const members = await map.members(texts);
          const already = pending.addedMeanwhile(pid, map.name);
          const wanted = texts.filter((text) => members.has(text) && !already.has(text));
          if (wanted.length > 0) await map.runtime.addMany(worker, wanted, turnDeadline(), version);
        });
      }
    }
    await turns.take('bulk', async () => {
      await assertNothingLacks(map, worker, version, turnDeadline());
      await map.runtime.commit(worker, version, turnDeadline());
      pending.end(pid, map.name);
    });
  } finally {
    pending.end(pid, map.name);
  }
}

/**
 * The commit of a version that lacks something would unblock it; of an empty one, everything. An entry that is there
 * twice (an address blocked once more meanwhile) does no harm: the comparison that follows undoubles it.
 */
async function assertNothingLacks(
  map: MirroredMap,
  worker: WorkerRef,
  version: number,
  deadline: number,
): Promise<void> {
  const seen = await listedFingerprint(map, worker, deadline, version);
  const differing = new Set(seen.differingBuckets(map.expected));
  if (differing.size === 0) return;
  const texts = new Set<string>();
  await map.runtime.runtimeMapKeys(
    deadline,
    (batch) => {
      for (const { key, value } of batch) if (value === '1' && differing.has(bucketOf(key))) texts.add(key);
    },
    worker,
    version,
  );
  const single = new Fingerprint();
  for (const text of texts) single.add(text);
  const still = single.differingBuckets(map.expected).filter((bucket) => differing.has(bucket));
  if (still.length === 0) return;
  throw new Error(
    `the new version holds ${seen.total} entries, not the ${map.expected.total} that it should; it was not committed`,
  );
}
