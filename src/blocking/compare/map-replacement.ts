// Atomic replacement of a worker's map, for HAProxy versions on which each delete scans the map: a version is prepared,
// filled, counted and committed (a million entries stall HAProxy for 40 to 150 ms). Meanwhile every block goes to
// both. Version numbers are per worker, so all commands address one pid. Only the switch holds the turn.

import type { TurnQueue } from '../../concurrency/turn-queue.ts';
import { count } from '../../domain/counted.ts';
import { crashPoint } from '../../faults/crash-point.ts';
import type { WorkerRef } from '../../haproxy/maps/runtime-map.ts';
import type { MapName, MirroredMap } from '../mirrored-map.ts';
import { type ChangeWindow, type ChangeWindows, UnprovedBuckets } from '../write/change-windows.ts';
import { bucketOf, Fingerprint, listedFingerprint } from './fingerprint.ts';
import type { RepairTime } from './repair-limits.ts';

// With a busy queue, work that asks for its next turn at once gets several in a row.

/** The same pages, one read ahead; read errors are thrown in order. */
export async function* readAhead<Page>(pages: AsyncIterable<Page>): AsyncGenerator<Page, void, undefined> {
  const reader = pages[Symbol.asyncIterator]();
  const read = (): Promise<IteratorResult<Page, unknown>> => {
    const next = reader.next();
    // A consumer that stops earlier has an error of its own.
    next.catch(() => undefined);
    return next;
  };
  let next = read();
  try {
    for (;;) {
      const result = await next;
      if (result.done === true) return;
      next = read();
      yield result.value;
    }
  } finally {
    await reader.return?.();
  }
}

export class PendingVersions {
  readonly #versions = new Map<string, { version: number; readonly addedMeanwhile: Set<string> }>();

  of(pid: number, map: MapName): number | undefined {
    return this.#versions.get(`${pid}:${map}`)?.version;
  }

  begin(pid: number, map: MapName, version: number): void {
    this.#versions.set(`${pid}:${map}`, { version, addedMeanwhile: new Set() });
  }

  /**
   * Adds sent to a pending version are not filled in again, which would duplicate them. Call inside the turn that
   * stored them.
   * @param pid absent: the versions of all workers
   */
  noteAdded(map: MapName, texts: readonly string[], pid?: number): void {
    for (const [key, pending] of this.#versions) {
      if (pid === undefined ? key.endsWith(`:${map}`) : key === `${pid}:${map}`)
        for (const text of texts) pending.addedMeanwhile.add(text);
    }
  }

  addedMeanwhile(pid: number, map: MapName): ReadonlySet<string> {
    return this.#versions.get(`${pid}:${map}`)?.addedMeanwhile ?? new Set();
  }

  end(pid: number, map: MapName): void {
    this.#versions.delete(`${pid}:${map}`);
  }
}

export const fillSlice = 2_000;
/** Each step holds the turn: a worker that hangs ends the replacement. */
const turnMs = 1_500;
const turnDeadline = (): number => performance.now() + turnMs;
/** A listing of a million takes 0.2 s. No change waits for it, nor for freeing the old entries. */
const patienceMs = 20_000;
const patientDeadline = (): number => performance.now() + patienceMs;
/** Buckets still tainted after these are counted by a listing that holds the turn. */
const freeListings = 5;
/** Each is looked up twice, at 0.09 ms. */
const settleSlice = 200;

export interface Replacement {
  readonly map: MirroredMap;
  readonly pid: number;
  readonly pending: PendingVersions;
  readonly windows: ChangeWindows;
  readonly turns: Pick<TurnQueue, 'take'>;
  readonly time: RepairTime;
  /** False: a change did not reach this worker, so the version may lack it. */
  readonly noFailures: () => boolean;
}

/**
 * @throws when a step was rejected or not answered: the version is abandoned, the live map unchanged. A `commit`
 * without an answer may still take effect: check what is live.
 */
export async function replaceWorkerMap(replacement: Replacement): Promise<void> {
  const { map, pid, pending, windows, turns } = replacement;
  const worker = { kind: 'pid', pid } as const;
  const version = await turns.take('bulk', async () => {
    const prepared = await map.runtime.prepare(worker, turnDeadline());
    pending.begin(pid, map.name, prepared);
    crashPoint('replace.prepared');
    return prepared;
  });
  let touched: ReadonlySet<string> | null = null;
  try {
    let committed: { readonly cleared: Promise<void> };
    await fill(replacement, version);
    // Changes from here on reached the version directly, whether counted or not.
    const since = windows.open();
    try {
      const unproved = await countBesideChanges(replacement, version);
      committed = await turns.take('bulk', async () => {
        touched = since.touched;
        if (unproved || touched === null || !replacement.noFailures()) {
          await assertNothingLacks(map, worker, version, turnDeadline());
        }
        crashPoint('replace.counted');
        const switched = await map.runtime.commit(worker, version, turnDeadline(), patientDeadline());
        if (switched.seen) pending.end(pid, map.name);
        return switched;
      });
    } finally {
      windows.close(since);
    }
    // Without an answer the worker may switch at any moment: release the turn, send changes to both versions.
    crashPoint('replace.committed');
    await committed.cleared;
  } finally {
    pending.end(pid, map.name);
  }
  if (touched !== null) await settle(replacement, [...touched]);
  crashPoint('replace.settled');
}

async function fill({ map, pid, pending, turns, time }: Replacement, version: number): Promise<void> {
  const worker = { kind: 'pid', pid } as const;
  for await (const page of readAhead(map.scan())) {
    for (let start = 0; start < page.length; start += fillSlice) {
      const texts = page.slice(start, start + fillSlice);
      time.step();
      await turns.take('bulk', async () => {
        // Inside the turn: addresses unblocked since the page was read must not return.
        const members = await map.members(texts);
        const already = pending.addedMeanwhile(pid, map.name);
        const wanted = texts.filter((text) => members.has(text) && !already.has(text));
        if (wanted.length > 0) await map.runtime.addMany(worker, wanted, turnDeadline(), version);
        crashPoint('replace.slice-filled');
      });
    }
  }
}

/**
 * A change taints its bucket, which another listing proves. Later changes to a proved bucket were acknowledged.
 * @returns whether a bucket is left that no listing proved
 */
async function countBesideChanges({ map, pid, windows, turns }: Replacement, version: number): Promise<boolean> {
  const worker = { kind: 'pid', pid } as const;
  const unproved = new UnprovedBuckets();
  for (let listing = 0; listing < freeListings; listing += 1) {
    const window = windows.open();
    try {
      await assertNothingLacks(map, worker, version, patientDeadline(), window);
      if (unproved.prove(window) === 0) return false;
    } finally {
      windows.close(window);
    }
    // Lets a change in flight end, so that the next listing does not begin inside it.
    await turns.take('bulk', async () => undefined);
  }
  return true;
}

/** Reads back what changed during the count, and adds what is missing. */
async function settle({ map, pid, turns }: Replacement, touched: readonly string[]): Promise<void> {
  for (let start = 0; start < touched.length; start += settleSlice) {
    await turns.take('bulk', async () => {
      const members = await map.members(touched.slice(start, start + settleSlice));
      if (members.size === 0) return;
      const outcome = await map.runtime.changeGroup({
        worker: { kind: 'pid', pid },
        add: [...members],
        remove: [],
        processes: false,
        deadline: turnDeadline(),
      });
      if (outcome.ended !== null) throw outcome.ended;
    });
  }
}

/**
 * Committing a version that lacks entries would unblock them. A duplicate is harmless: the next comparison removes it.
 * @param window open since before; its tainted buckets are not checked. Absent: inside a turn
 */
async function assertNothingLacks(
  map: MirroredMap,
  worker: WorkerRef,
  version: number,
  deadline: number,
  window?: ChangeWindow,
): Promise<void> {
  const inTurn = window === undefined;
  const seen = await listedFingerprint(map.runtime, worker, deadline, { version, inTurn });
  const differing = new Set(seen.differingBuckets(map.expected, window?.tainted));
  if (differing.size === 0) return;
  const texts = new Set<string>();
  await map.runtime.runtimeMapKeys(
    deadline,
    (batch) => {
      for (const { key, value } of batch)
        if (value === map.runtime.valueFor(key) && differing.has(bucketOf(key))) texts.add(key);
    },
    worker,
    version,
    { inTurn },
  );
  const single = new Fingerprint();
  for (const text of texts) single.add(text, map.runtime.valueFor(text));
  const still = single.differingBuckets(map.expected, window?.tainted).filter((bucket) => differing.has(bucket));
  if (still.length === 0) return;
  throw new Error(
    `the new version holds ${count(seen.total)} entries, not the ${count(map.expected.total)} that it should; it was not committed`,
  );
}
