// Parts of the report of `/health`, from what the probes found.
import type { KnownWorker, Passing, WorkerRegistry } from '../blocking/compare/worker-registry.ts';
import { mapNames } from '../blocking/mirrored-map.ts';
import type { Processes } from '../haproxy/process/workers.ts';
import { MasterSocketError } from '../haproxy/socket/master-socket.ts';
import { causeText } from '../telemetry/log.ts';
import type { ProbeResult } from './timed-probe.ts';

export async function problemOf(ask: () => Promise<void>): Promise<string | null> {
  try {
    await ask();
    return null;
  } catch (error) {
    return causeText(error);
  }
}

export function socketProblem(processes: Processes | MasterSocketError): string | null {
  return processes instanceof MasterSocketError ? processes.detail : null;
}

export function partOf<T, Wrong extends string>(
  result: ProbeResult<T>,
  wrong: Wrong,
  problemIn: (value: T) => string | null,
) {
  if (!result.checked) return { status: 'unknown' as const, reason: result.why };
  const reason = problemIn(result.value);
  return { status: reason === null ? ('ok' as const) : wrong, reason };
}

export function workerProblem(
  worker: KnownWorker,
  registry: WorkerRegistry,
  except: readonly Passing[] = [],
): string | null {
  for (const map of mapNames) {
    const state = registry.stateOf(worker, map);
    const excepted = state.passing !== null && except.includes(state.passing);
    if (!state.inSync && !excepted) return `${map} map: ${state.reason ?? 'not verified'}`;
  }
  return null;
}

export function workerPart(worker: KnownWorker, registry: WorkerRegistry) {
  return { pid: worker.pid, whole: registry.isInSync(worker), reason: workerProblem(worker, registry) };
}
