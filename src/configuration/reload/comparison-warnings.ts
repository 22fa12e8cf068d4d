// The comparison of the workers' maps that ends a reload, as warnings of its answer.
import { withTimeout } from '../../concurrency/pause.ts';
import { causeText } from '../../telemetry/log.ts';
import type { ReloadSurroundings } from './reload-request.ts';

/** A verification that cannot be made now is made by the reconciler; the reload itself is proved. Never throws. */
export async function comparisonWarnings(
  surroundings: Pick<ReloadSurroundings, 'verifyWorkers'>,
  patienceMs: number,
): Promise<readonly string[]> {
  try {
    const warnings = await withTimeout(surroundings.verifyWorkers(), patienceMs);
    return warnings ?? [`the maps of the workers were not compared within ${patienceMs / 1_000} s; it goes on`];
  } catch (error) {
    return [`the maps of the workers could not be compared: ${causeText(error)}`];
  }
}
