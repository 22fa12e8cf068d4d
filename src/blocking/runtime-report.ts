// From failures to the four fields that each operation answers and logs.
import type { RuntimeMapFailure, RuntimeReport } from './answers.ts';

const shownFailures = 100;

export function runtimeReport(failures: readonly RuntimeMapFailure[], reloadScheduled: boolean): RuntimeReport {
  return {
    runtime_map_updated: failures.length === 0,
    runtime_map_failures: failures.slice(0, shownFailures),
    runtime_map_failures_total: failures.length,
    reload_scheduled: reloadScheduled,
  };
}
