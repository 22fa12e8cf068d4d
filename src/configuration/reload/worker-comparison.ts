import type { Reconciler } from '../../blocking/compare/reconciler.ts';
import type { KnownWorker, WorkerRegistry } from '../../blocking/compare/worker-registry.ts';
import { pause, withTimeout } from '../../concurrency/pause.ts';
import { hasExited } from '../../haproxy/process/workers.ts';
import { causeText } from '../../telemetry/log.ts';
import type { ReloadPorts } from './reload-request.ts';

/**
 * How long a reload keeps its lock for the comparison, which takes 0.1 s at a million entries, but longer with much to
 * repair. It then continues without the lock.
 */
export const comparisonTimeoutMs = 30_000;
/** A worker that is about to exit answers no commands, and stays listed until it has freed its memory. */
const exitTimeoutMs = 2_000;
const exitPollMs = 100;

/** Never throws: the reload is already proved, and the reconciler repeats a failed comparison. */
export async function comparisonWarnings(
  { verifyWorkers }: Pick<ReloadPorts, 'verifyWorkers'>,
  timeoutMs = comparisonTimeoutMs,
): Promise<readonly string[]> {
  try {
    const warnings = await withTimeout(verifyWorkers(), timeoutMs);
    return warnings ?? [`the workers' maps were not compared within ${timeoutMs / 1_000} s; the comparison continues`];
  } catch (error) {
    return [`the workers' maps could not be compared: ${causeText(error)}`];
  }
}

/**
 * Compares all workers. Repeats it while draining workers do not answer: shortly they answer or have exited.
 * @returns a sentence for each worker that is not in sync
 */
export async function verifyWorkers(
  {
    reconciler,
    registry,
  }: { readonly reconciler: Pick<Reconciler, 'checkThroughReload'>; readonly registry: WorkerRegistry },
  timeoutMs = exitTimeoutMs,
): Promise<string[]> {
  const deadline = performance.now() + timeoutMs;
  await reconciler.checkThroughReload(true);
  let differing = await outOfSync(registry);
  while (differing.some(mayBeExiting) && performance.now() < deadline) {
    await pause(exitPollMs);
    await reconciler.checkThroughReload(false);
    differing = await outOfSync(registry);
  }
  return differing.map((worker) => {
    const [reason] = [...worker.maps.values()].flatMap((state) => state.reason ?? []);
    return `${worker.role} worker ${worker.pid} was not verified to be in sync: ${reason}`;
  });
}

/** Without draining workers that have exited, which may still be listed. */
async function outOfSync(registry: WorkerRegistry): Promise<KnownWorker[]> {
  const workers: KnownWorker[] = [];
  for (const worker of registry.all()) {
    if (registry.isInSync(worker)) continue;
    if (worker.role === 'draining' && (await hasExited(worker))) continue;
    workers.push(worker);
  }
  return workers;
}

/** No drift was found, but it did not answer. */
function mayBeExiting({ role, maps }: KnownWorker): boolean {
  return role === 'draining' && [...maps.values()].every(({ inSync, passing }) => inSync || passing === 'unverified');
}
