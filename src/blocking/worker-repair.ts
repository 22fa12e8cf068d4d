// Repairs what a comparison found, in slices between which other changes go first. Whatever was found may be old by
// the time its slice has the turn, so each slice asks the database again and looks before it adds: a repair never
// doubles an entry and never takes out one that was blocked meanwhile.
import type { RuntimeMap, WorkerRef } from '../haproxy/runtime-map.ts';
import type { ChangeWindow } from './change-windows.ts';
import type { MirroredMap } from './mirrored-map.ts';
import type { TurnQueue } from './turn-queue.ts';
import type { Comparison } from './worker-comparison.ts';

export interface Repairs {
  added: number;
  removed: number;
  corrected: number;
}

/** An addition costs 1 µs in the worker, and 1,000 of them a payload or two. */
const addSlice = 1_000;
/** Below this many missing entries each is looked up before it is added; beyond, the listing just made is trusted. */
const lookFirstUpTo = 2_000;
const commandSlice = 200;
/** Before 2.9 one delete scans the whole map: 5 to 40 ms at a million (haproxy-facts "Map commands"). */
const slowCommandSlice = 2;
const slowFrom = 20_000;
/** A slice has the turn: a worker that hangs ends the repair, and must not hold up every block until it does. */
const sliceMs = 700;
const sliceDeadline = (): number => performance.now() + sliceMs;

export async function repairWorker(options: {
  readonly map: MirroredMap;
  readonly worker: WorkerRef;
  readonly comparison: Comparison;
  /** Open since before the comparison's listing began. */
  readonly window: ChangeWindow;
  readonly turns: TurnQueue;
  readonly fastDeletes: boolean;
}): Promise<Repairs> {
  const { map, worker, comparison, window, turns } = options;
  const { runtime } = map;
  const repairs: Repairs = { added: 0, removed: 0, corrected: 0 };
  const slice = options.fastDeletes || map.expected.total < slowFrom ? commandSlice : slowCommandSlice;
  const { unexpected, duplicate } = comparison.differences;
  // One that is there several times with a wrong value is listed as often, and set right once.
  const wrongValue = [...new Set(comparison.differences.wrongValue)];

  // Missing ones first: they are the ones that let somebody in.
  let found = 0;
  for await (const page of comparison.missing()) {
    for (const texts of slices(page, addSlice)) {
      found += texts.length;
      await turns.take('bulk', async () => {
        const members = await map.members(texts);
        const wanted = texts.filter((text) => members.has(text));
        const sure = found > lookFirstUpTo ? wanted.filter((text) => !window.isTainted(text)) : [];
        const unsure = found > lookFirstUpTo ? wanted.filter((text) => window.isTainted(text)) : wanted;
        if (sure.length > 0) await runtime.addMany(worker, sure, sliceDeadline());
        repairs.added += sure.length + (await lookAndAdd(runtime, worker, unsure, sliceDeadline())).added;
      });
    }
  }
  for (const texts of slices(wrongValue, slice)) {
    await turns.take('bulk', async () => {
      const members = await map.members(texts);
      await lookAndAdd(
        runtime,
        worker,
        texts.filter((text) => members.has(text)),
        sliceDeadline(),
      );
      repairs.corrected += texts.length;
    });
  }
  for (const texts of slices(duplicate, Math.min(slice, 20))) {
    await turns.take('bulk', async () => {
      const members = await map.members(texts);
      for (const text of texts) {
        if (members.has(text)) await runtime.undouble(worker, text, sliceDeadline());
        repairs.corrected += 1;
      }
    });
  }
  for (const texts of slices(unexpected, slice)) {
    await turns.take('bulk', async () => {
      const members = await map.members(texts);
      const strangers = texts.filter((text) => !members.has(text));
      if (strangers.length > 0) await runtime.deleteMany(worker, strangers, sliceDeadline());
      repairs.removed += strangers.length;
    });
  }
  return repairs;
}

async function lookAndAdd(
  runtime: RuntimeMap,
  worker: WorkerRef,
  texts: readonly string[],
  deadline: number,
): Promise<{ added: number }> {
  if (texts.length === 0) return { added: 0 };
  const outcome = await runtime.changeGroup({
    worker,
    add: texts,
    remove: [],
    committed: Promise.resolve(),
    processes: false,
    deadline,
  });
  if (outcome.ended !== null) throw outcome.ended;
  return { added: texts.length - outcome.alreadyThere - outcome.failures.length };
}

function* slices<T>(items: readonly T[], size: number): Iterable<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
