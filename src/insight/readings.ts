// What the rest of the insight part learns of HAProxy's tables. All counters are cumulative: differences are the
// reader's to take, by worker (pid and start) and key.
import type { ProcessId } from './workers.ts';

/** One reading of the tables of all workers that answered. */
export interface InsightReading {
  readonly at: Date;
  /** Whole tables, or only what was active in the last minute. */
  readonly whole: boolean;
  readonly workers: readonly WorkerReading[];
  /** Workers that should have answered and did not, with the reason. */
  readonly missing: readonly { readonly pid: number; readonly reason: string }[];
  /** The master of all these workers: another one has nothing of the tables of before. Null: not known. */
  readonly master: ProcessId | null;
}

export interface WorkerReading {
  readonly pid: number;
  readonly startedAt: Date;
  readonly current: boolean;
  /** Its tables take part in `peers`: a new worker may start from the values of an earlier one. */
  readonly handsOver: boolean;
  /** Canonical address -> cumulative gpc0 of pm_denied. */
  readonly denied: ReadonlyMap<string, number>;
  /** Of those of these addresses that have fewer than their value: requests of the last minute, as HAProxy estimates. */
  readonly deniedLately: ReadonlyMap<string, number>;
  /** Of a whole reading: when each of these addresses was last denied, at the latest; in seconds since 1970. */
  readonly deniedAt: ReadonlyMap<string, number>;
  /** Site key (host as in sites map) -> cumulative sampled http_req_cnt of denied requests. */
  readonly sites: ReadonlyMap<string, number>;
  /** Sampled 1 in 16: /64 for IPv6. Empty with PROXY_MANAGER_INSIGHT=denied. */
  readonly clients: ReadonlyMap<string, { readonly requests: number; readonly rate: number; readonly errors: number }>;
  readonly rejected: ReadonlyMap<string, number>;
  /** HAProxy's own counters of the front end, cumulative since the worker's start. */
  readonly requests: number;
  readonly deniedRequests: number;
  /** used/size per table, 0..1. */
  readonly used: ReadonlyMap<string, number>;
}

export interface InsightSource {
  read(options: { readonly whole: boolean; readonly signal: AbortSignal }): Promise<InsightReading>;
}
