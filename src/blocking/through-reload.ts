// A whole comparison takes its time, and a reload that begins meanwhile cuts it off: that is no finding about the worker.
import { MasterSocketError } from '../haproxy/master-socket.ts';
import { mayBeReload, type RuntimeLink } from './runtime-link.ts';
import type { WorkerBook } from './worker-book.ts';
import type { WorkerVerdict } from './worker-keeper.ts';

/** A reload of millions is waited out. */
export const reloadPatienceMs = 5_000;
/** Where somebody reloads all the time, the last verdict stands. */
export const triesThroughReloads = 5;

/**
 * Judges again as long as a reload came between, while the worker is still there. Afterwards the book knows the workers
 * of that reload.
 */
export async function throughReload(
  link: RuntimeLink,
  book: WorkerBook,
  judge: () => Promise<WorkerVerdict>,
): Promise<WorkerVerdict> {
  for (let tries = 1; ; tries += 1) {
    const verdict = await judge();
    if (verdict.socketFailure === null || !mayBeReload(verdict.socketFailure) || tries === triesThroughReloads)
      return verdict;
    try {
      book.observe(await link.processes(reloadPatienceMs));
    } catch (error) {
      if (error instanceof MasterSocketError) return verdict;
      throw error;
    }
    if (book.byPid(verdict.pid) === null) return verdict;
  }
}
