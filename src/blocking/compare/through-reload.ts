// A reload cuts off a comparison that is under way: that is no finding about the worker.
import { MasterSocketError } from '../../haproxy/socket/master-socket.ts';
import { mayBeReload } from '../../haproxy/socket/master-socket-error.ts';
import type { RuntimeLink } from '../write/runtime-link.ts';
import type { WorkerVerdict } from './worker-reconciler.ts';
import type { WorkerRegistry } from './worker-registry.ts';

/** A reload of millions is waited out. */
export const reloadPatienceMs = 5_000;
/** With reloads all the time, the last verdict stands. */
export const triesThroughReloads = 5;

/**
 * Judges again as long as a reload came between, while the worker is still there. Afterwards the registry knows the workers
 * of that reload. The verdict is the last one; its repairs are those of all of them.
 */
export async function throughReload(
  link: RuntimeLink,
  registry: WorkerRegistry,
  judge: () => Promise<WorkerVerdict>,
): Promise<WorkerVerdict> {
  const made = { added: 0, removed: 0, corrected: 0 };
  for (let tries = 1; ; tries += 1) {
    const last = await judge();
    made.added += last.added;
    made.removed += last.removed;
    made.corrected += last.corrected;
    const verdict = { ...last, ...made };
    if (verdict.socketFailure === null || !mayBeReload(verdict.socketFailure) || tries === triesThroughReloads)
      return verdict;
    try {
      registry.observe(await link.processes(reloadPatienceMs));
    } catch (error) {
      if (error instanceof MasterSocketError) return verdict;
      throw error;
    }
    if (registry.byPid(verdict.pid) === null) return verdict;
  }
}
