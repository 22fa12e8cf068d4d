// Repairs in slices between which other changes run. Findings may be stale, so each slice first reads the database and
// the worker: a repair never adds a duplicate and never removes an entry that was blocked meanwhile.

import type { TurnQueue } from '../../concurrency/turn-queue.ts';
import { type RuntimeMap, RuntimeMapRejection, type WorkerRef } from '../../haproxy/maps/runtime-map.ts';
import { MasterSocketError } from '../../haproxy/socket/master-socket.ts';
import type { MirroredMap } from '../mirrored-map.ts';
import type { ChangeWindow, ChangeWindows } from '../write/change-windows.ts';
import type { DeleteStrategy, NamedBy } from '../write/delete-strategy.ts';
import type { LookupSize, RepairTime } from './repair-limits.ts';
import type { Comparison } from './worker-comparison.ts';

export interface Repairs {
  added: number;
  removed: number;
  corrected: number;
}

interface RepairOutcome {
  /** Commands took so long that a replace is better for the rest; missing entries are done. */
  readonly leftToReplace: boolean;
}

/** An addition costs 1 µs in the worker. */
const addSlice = 1_000;
/** Up to this many missing entries are looked up before they are added; above, the recent listing is trusted. */
const lookUpFirstUpTo = 2_000;
/** An estimate until its elements are listed: a value and a removal. */
const commandsPerDuplicate = 2;
/** A slice holds the turn: a worker that hangs must not delay every block. */
const sliceMs = 700;
/** Listing elements needs no turn. */
const listingMs = 60_000;
const sliceDeadline = (): number => performance.now() + sliceMs;

export async function repairWorker(options: {
  readonly map: MirroredMap;
  readonly pid: number;
  readonly comparison: Comparison;
  /** Open since before the comparison's listing began. */
  readonly window: ChangeWindow;
  readonly windows: ChangeWindows;
  readonly turns: TurnQueue;
  readonly strategy: DeleteStrategy;
  /** Counted as each repair is done, for the report of a failed one. */
  readonly repairs: Repairs;
  readonly time: RepairTime;
  readonly lookups: LookupSize;
  /** Its master takes lines of commands. */
  readonly inLines: boolean;
}): Promise<RepairOutcome> {
  const { map, pid, comparison, window, windows, turns, strategy, repairs, time, lookups, inLines } = options;
  const { runtime } = map;
  const worker: WorkerRef = { kind: inLines ? 'line' : 'pid', pid };
  const byKey: NamedBy = inLines ? 'line' : 'key';
  const removedBefore = repairs.removed;
  const { unexpected, unexpectedTotal, duplicate } = comparison.differences;
  // An entry with several wrong values is listed as often.
  const wrongValue = [...new Set(comparison.differences.wrongValue)];
  const duplicates = [...new Set(duplicate)];

  // Missing entries first: their addresses are not blocked.
  let found = 0;
  for await (const texts of gathered(comparison.missing(), addSlice)) {
    const size = (): number => (found + texts.length > lookUpFirstUpTo ? addSlice : lookups.size);
    for (const slice of slices(texts, size)) {
      found += slice.length;
      time.step();
      await turns.take('bulk', async () => {
        const members = await map.members(slice);
        const wanted = slice.filter((text) => members.has(text));
        const sure = found > lookUpFirstUpTo ? wanted.filter((text) => !window.isTainted(text)) : [];
        const unsure = found > lookUpFirstUpTo ? wanted.filter((text) => window.isTainted(text)) : wanted;
        if (sure.length > 0) await runtime.addMany(worker, sure, sliceDeadline());
        repairs.added += sure.length;
        repairs.added += await learning(lookups, unsure.length, () =>
          lookUpAndAdd(runtime, worker, unsure, sliceDeadline()),
        );
      });
    }
  }

  // Each remaining command may scan the map. Their duration is measured; a slow worker gets a replace instead.
  let left = wrongValue.length + duplicates.length * commandsPerDuplicate + unexpected.length;
  // A scan covers what the worker holds, which may be far more than expected.
  const entries = (): number => Math.max(map.expected.total, comparison.listed - (repairs.removed - removedBefore));
  const unlisted = unexpectedTotal - unexpected.length;
  const isBetterReplaced = (by: NamedBy): boolean =>
    strategy.prefersReplace(pid, entries(), left, turns.bulkWaitMs, by) ||
    strategy.takesTooLong(pid, entries(), left + unlisted, turns.bulkWaitMs, by);
  const repair = async <T>(
    items: readonly T[],
    by: NamedBy,
    work: (slice: readonly T[]) => Promise<{ readonly commands: number; readonly ms: number }>,
  ): Promise<boolean> => {
    for (let start = 0; start < items.length; ) {
      if (isBetterReplaced(by)) return false;
      const slice = items.slice(start, start + strategy.perTurn(pid, entries(), by));
      start += slice.length;
      left -= slice.length;
      time.step();
      const { commands, ms } = await turns.take('bulk', () => work(slice));
      strategy.record(pid, entries(), commands, ms, by);
    }
    return true;
  };
  /** One listing for all slices. A key that changed since is left to the next comparison: its elements may differ. */
  const removeDuplicates = async (): Promise<boolean> => {
    if (duplicates.length === 0) return true;
    if (isBetterReplaced('element')) return false;
    time.step();
    const sinceListing = windows.open();
    try {
      const changes = await runtime.duplicateChanges(worker, duplicates, performance.now() + listingMs);
      left += changes.length - duplicates.length * commandsPerDuplicate;
      const corrected = new Set<string>();
      return await repair(changes, 'element', async (slice) => {
        const members = await map.members([...new Set(slice.map(({ key }) => key))]);
        const same = slice.filter(({ key }) => members.has(key) && !sinceListing.mayHaveChanged(key));
        const ms = await timed(() => runtime.changeElements(worker, same, sliceDeadline()));
        const before = corrected.size;
        for (const { key } of same) corrected.add(key);
        repairs.corrected += corrected.size - before;
        return { commands: same.length, ms };
      });
    } finally {
      windows.close(sinceListing);
    }
  };
  const finished =
    (await repair(wrongValue, byKey, async (slice) => {
      const members = await map.members(slice);
      const texts = slice.filter((text) => members.has(text));
      const ms = await timed(() => correct(runtime, worker, texts));
      repairs.corrected += slice.length;
      return { commands: texts.length, ms };
    })) &&
    (await removeDuplicates()) &&
    (await repair(unexpected, byKey, async (slice) => {
      const members = await map.members(slice);
      const foreign = slice.filter((text) => !members.has(text));
      const ms = await timed(() => runtime.deleteMany(worker, foreign, sliceDeadline()));
      repairs.removed += foreign.length;
      return { commands: foreign.length, ms };
    }));
  return { leftToReplace: !finished };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** An entry that is gone, or was added again, is looked up. */
async function correct(runtime: RuntimeMap, worker: WorkerRef, texts: readonly string[]): Promise<void> {
  try {
    await runtime.setMany(worker, texts, sliceDeadline());
  } catch (error) {
    if (!(error instanceof RuntimeMapRejection)) throw error;
    await lookUpAndAdd(runtime, worker, texts, sliceDeadline());
  }
}

async function lookUpAndAdd(
  runtime: RuntimeMap,
  worker: WorkerRef,
  texts: readonly string[],
  deadline: number,
): Promise<number> {
  if (texts.length === 0) return 0;
  const outcome = await runtime.changeGroup({
    worker,
    add: texts,
    remove: [],
    processes: false,
    deadline,
  });
  if (outcome.ended !== null) throw outcome.ended;
  return texts.length - outcome.alreadyThere - outcome.failures.length;
}

/** Combines small pages: a turn each would cost more than its work. */
async function* gathered(pages: AsyncIterable<readonly string[]>, size: number): AsyncIterable<readonly string[]> {
  let waiting: string[] = [];
  for await (const page of pages) {
    waiting.push(...page);
    if (waiting.length < size) continue;
    yield waiting;
    waiting = [];
  }
  if (waiting.length > 0) yield waiting;
}

async function learning(lookups: LookupSize, count: number, work: () => Promise<number>): Promise<number> {
  try {
    const done = await work();
    // A partial slice says nothing about the size.
    if (count >= lookups.size) lookups.enough();
    return done;
  } catch (error) {
    if (error instanceof MasterSocketError && error.reason === 'deadline') lookups.tooMany();
    throw error;
  }
}

/** `size` is read before each slice. */
function* slices<T>(items: readonly T[], size: () => number): Iterable<readonly T[]> {
  for (let start = 0; start < items.length; ) {
    const slice = items.slice(start, start + size());
    start += slice.length;
    yield slice;
  }
}
