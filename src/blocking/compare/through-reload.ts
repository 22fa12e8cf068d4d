import { MasterSocketError } from '../../haproxy/socket/master-socket.ts';
import { mayBeReload } from '../../haproxy/socket/master-socket-error.ts';
import type { RuntimeLink } from '../write/runtime-link.ts';
import type { WorkerVerdict } from './worker-reconciler.ts';
import type { WorkerRegistry } from './worker-registry.ts';

/** A reload with millions of entries takes this long. */
export const reloadPatienceMs = 5_000;
/** With continuous reloads the last verdict counts. */
export const triesThroughReloads = 5;

/** Repeats a verdict that a reload interrupted. Returns the last one, with the repairs of all. */
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
