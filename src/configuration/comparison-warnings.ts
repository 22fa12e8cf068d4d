// The comparison of the workers' maps that ends a reload, as warnings of its answer.
import { causeText } from '../telemetry/log.ts';
import type { ReloadSurroundings } from './reload-request.ts';

/** A verification that cannot be made now is made by the reconciler; the reload itself is proved. Never throws. */
export async function comparisonWarnings(
  surroundings: Pick<ReloadSurroundings, 'verifyWorkers'>,
): Promise<readonly string[]> {
  try {
    return await surroundings.verifyWorkers();
  } catch (error) {
    return [`the maps of the workers could not be compared: ${causeText(error)}`];
  }
}
