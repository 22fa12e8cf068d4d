// The workers after a reload: which of them is not known to hold the whole set, and why.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reconciler } from '../../blocking/compare/reconciler.ts';
import type { KnownWorker, WorkerBook } from '../../blocking/compare/worker-book.ts';
import { processAlive } from '../../system/processes.ts';

/** A worker that is about to exit lets nobody ask it any more, and is listed until it has freed what it holds. */
const exitPatienceMs = 2_000;
const exitPollMs = 100;

/**
 * Compares them all, and again those that were cut short while they drain: they are seen to be whole, or gone, soon.
 * @returns a sentence for each that was neither
 */
export async function verifyWorkers(
  { reconciler, book }: { readonly reconciler: Pick<Reconciler, 'lookThroughReload'>; readonly book: WorkerBook },
  patienceMs = exitPatienceMs,
): Promise<string[]> {
  const until = performance.now() + patienceMs;
  await reconciler.lookThroughReload(true);
  let lacking = await notWhole(book);
  while (lacking.some((worker) => mayBeExiting(worker)) && performance.now() < until) {
    await sleep(exitPollMs);
    await reconciler.lookThroughReload(false);
    lacking = await notWhole(book);
  }
  return lacking.map((worker) => {
    const [reason] = [...worker.maps.values()].flatMap((state) => state.reason ?? []);
    return `${worker.role} worker ${worker.pid} is not known to hold the whole set: ${reason}`;
  });
}

/** One that has exited serves nobody any more, listed or not. */
async function notWhole(book: WorkerBook): Promise<KnownWorker[]> {
  const workers: KnownWorker[] = [];
  for (const worker of book.all()) {
    if (book.isWhole(worker)) continue;
    if (worker.role === 'draining' && !(await processAlive(worker.pid, worker.startTime))) continue;
    workers.push(worker);
  }
  return workers;
}

/** Nothing was found wrong in it: it could not be asked. */
function mayBeExiting({ role, maps }: KnownWorker): boolean {
  return role === 'draining' && [...maps.values()].every(({ whole, passing }) => whole || passing === 'unproved');
}
