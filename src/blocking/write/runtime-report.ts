// From failures to the four fields that each operation answers and logs.
import type { RuntimeMapFailure, RuntimeReport } from '../../api/changes.ts';

const shownFailures = 100;

/**
 * @param reloadScheduled the current worker was not seen to be right, even where no address can be named for it
 * @param total of which `failures` may be only the first
 */
export function runtimeReport(
  failures: readonly RuntimeMapFailure[],
  reloadScheduled: boolean,
  total: number = failures.length,
): RuntimeReport {
  return {
    runtime_map_updated: total === 0 && !reloadScheduled,
    runtime_map_failures: failures.slice(0, shownFailures),
    runtime_map_failures_total: total,
    reload_scheduled: reloadScheduled,
  };
}
