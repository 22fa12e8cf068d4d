// Repairs what a comparison found, in slices between which other changes go first. Whatever was found may be old by
// the time its slice has the turn, so each slice asks the database again and looks before it adds: a repair never
// doubles an entry and never takes out one that was blocked meanwhile.

import { MasterSocketError } from '../haproxy/master-socket.ts';
import { type RuntimeMap, RuntimeMapRejection, type WorkerRef } from '../haproxy/runtime-map.ts';
import type { ChangeWindow } from './change-windows.ts';
import type { LookSize } from './look-size.ts';
import type { MirroredMap } from './mirrored-map.ts';
import type { RemovalRule } from './removal-rule.ts';
import type { RepairTime } from './repair-time.ts';
import type { TurnQueue } from './turn-queue.ts';
import type { Comparison } from './worker-comparison.ts';

export interface Repairs {
  added: number;
  removed: number;
  corrected: number;
}

export interface RepairOutcome {
  /** Commands took so long that the rest is better left to an atomic replace; nothing that is missing is among it. */
  readonly leftToReplace: boolean;
}

/** An addition costs 1 µs in the worker, and 1,000 of them a payload or two. */
const addSlice = 1_000;
/** Below this many missing entries each is looked up before it is added; beyond, the listing just made is trusted. */
const lookFirstUpTo = 2_000;
/** Commands that one duplicate takes: its value, and its removal. */
const commandsPerDuplicate = 2;
/** A slice has the turn: a worker that hangs ends the repair, and must not hold up every block until it does. */
const sliceMs = 700;
const sliceDeadline = (): number => performance.now() + sliceMs;

export async function repairWorker(options: {
  readonly map: MirroredMap;
  readonly pid: number;
  readonly comparison: Comparison;
  /** Open since before the comparison's listing began. */
  readonly window: ChangeWindow;
  readonly turns: TurnQueue;
  readonly rule: RemovalRule;
  /** What is done is added here as it is done: of a repair that fails midway too. */
  readonly repairs: Repairs;
  readonly time: RepairTime;
  readonly looks: LookSize;
}): Promise<RepairOutcome> {
  const { map, pid, comparison, window, turns, rule, repairs, time, looks } = options;
  const { runtime } = map;
  const worker: WorkerRef = { kind: 'pid', pid };
  const removedBefore = repairs.removed;
  const { unexpected, duplicate } = comparison.differences;
  // One that is there several times with a wrong value is listed as often, and set right once.
  const wrongValue = [...new Set(comparison.differences.wrongValue)];
  const doubled = [...new Set(duplicate)];

  // Missing ones first: they are the ones that let somebody in.
  let found = 0;
  for await (const texts of gathered(comparison.missing(), addSlice)) {
    const size = (): number => (found + texts.length > lookFirstUpTo ? addSlice : looks.size);
    for (const slice of slices(texts, size)) {
      found += slice.length;
      time.step();
      await turns.take('bulk', async () => {
        const members = await map.members(slice);
        const wanted = slice.filter((text) => members.has(text));
        const sure = found > lookFirstUpTo ? wanted.filter((text) => !window.isTainted(text)) : [];
        const unsure = found > lookFirstUpTo ? wanted.filter((text) => window.isTainted(text)) : wanted;
        if (sure.length > 0) await runtime.addMany(worker, sure, sliceDeadline());
        repairs.added += sure.length;
        repairs.added += await learning(looks, unsure.length, () =>
          lookAndAdd(runtime, worker, unsure, sliceDeadline()),
        );
      });
    }
  }

  // What is left costs a command with a key for each, and those may scan the map. How long they take is measured as
  // they go; who is better replaced is replaced.
  let left = wrongValue.length + doubled.length * commandsPerDuplicate + unexpected.length;
  // A scan goes over what the worker holds, and that may be far more than what it should.
  const entries = (): number => Math.max(map.expected.total, comparison.listed - (repairs.removed - removedBefore));
  const repair = async (
    texts: readonly string[],
    commandsEach: number,
    work: (slice: readonly string[], members: ReadonlySet<string>) => Promise<number>,
  ): Promise<boolean> => {
    for (let start = 0; start < texts.length; ) {
      if (rule.prefersReplace(pid, entries(), left, turns.bulkWaitMs)) return false;
      const size = Math.max(1, Math.floor(rule.perTurn(pid, entries()) / commandsEach));
      const slice = texts.slice(start, start + size);
      start += size;
      left -= slice.length * commandsEach;
      time.step();
      await turns.take('bulk', async () => {
        const members = await map.members(slice);
        const began = performance.now();
        const done = await work(slice, members);
        rule.took(pid, entries(), done * commandsEach, performance.now() - began);
      });
    }
    return true;
  };
  const finished =
    (await repair(wrongValue, 1, async (slice, members) => {
      await correct(
        runtime,
        worker,
        slice.filter((text) => members.has(text)),
      );
      repairs.corrected += slice.length;
      return slice.length;
    })) &&
    (await repair(doubled, commandsPerDuplicate, async (slice, members) => {
      const texts = slice.filter((text) => members.has(text));
      await runtime.removeDuplicates(worker, texts, sliceDeadline());
      repairs.corrected += slice.length;
      return texts.length;
    })) &&
    (await repair(unexpected, 1, async (slice, members) => {
      const strangers = slice.filter((text) => !members.has(text));
      if (strangers.length > 0) await runtime.deleteMany(worker, strangers, sliceDeadline());
      repairs.removed += strangers.length;
      return strangers.length;
    }));
  return { leftToReplace: !finished };
}

/** Their values set right. One that is not there any more, or not there again, is looked at more closely. */
async function correct(runtime: RuntimeMap, worker: WorkerRef, texts: readonly string[]): Promise<void> {
  try {
    await runtime.setMany(worker, texts, sliceDeadline());
  } catch (error) {
    if (!(error instanceof RuntimeMapRejection)) throw error;
    await lookAndAdd(runtime, worker, texts, sliceDeadline());
  }
}

/** How many were added. */
async function lookAndAdd(
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
    committed: Promise.resolve(),
    processes: false,
    deadline,
  });
  if (outcome.ended !== null) throw outcome.ended;
  return texts.length - outcome.alreadyThere - outcome.failures.length;
}

/** Small pages together: a turn each would cost more than what is done in it. */
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

async function learning(looks: LookSize, count: number, work: () => Promise<number>): Promise<number> {
  try {
    const done = await work();
    // Fewer than a whole slice say nothing of one.
    if (count >= looks.size) looks.enough();
    return done;
  } catch (error) {
    if (error instanceof MasterSocketError && error.reason === 'deadline') looks.tooMany();
    throw error;
  }
}

/** `size` is asked before each. */
function* slices<T>(items: readonly T[], size: () => number): Iterable<readonly T[]> {
  for (let start = 0; start < items.length; ) {
    const slice = items.slice(start, start + size());
    start += slice.length;
    yield slice;
  }
}
