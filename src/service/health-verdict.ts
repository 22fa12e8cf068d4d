// The report of `/health`, part by part.
import type { HealthReport } from '../http/services.ts';
import { type HealthVerdict, healthStatuses } from '../metrics/health-metrics.ts';

/** Of the report only what is looked at here; `Health` makes it. */
interface Parts {
  readonly database: { readonly status: string };
  readonly master_socket: { readonly status: string };
  readonly map_file: { readonly status: string };
  readonly workers: {
    readonly current: { readonly whole: boolean } | null;
    readonly draining: readonly { readonly whole: boolean }[];
  };
  readonly runtime_map: { readonly expected: number; readonly seen: number | null };
  readonly scheduled_reload: unknown;
  readonly proxy: { readonly status: string };
}

export function verdictOf(report: HealthReport): HealthVerdict {
  const { database, master_socket, map_file, workers, runtime_map, scheduled_reload, proxy } =
    report as unknown as Parts;
  const { current, draining } = workers;
  return {
    status: healthStatuses.find((status) => status === report.status) ?? 'down',
    parts: {
      database: database.status === 'ok',
      map_file: map_file.status === 'ok',
      master_socket: master_socket.status === 'ok',
      workers: current !== null,
      runtime_map:
        (current?.whole ?? false) &&
        draining.every(({ whole }) => whole) &&
        (runtime_map.seen === null || runtime_map.seen === runtime_map.expected),
      reload: scheduled_reload === null,
      proxy: proxy.status === 'ok',
    },
  };
}
