// What the rest of the insight part learns of HAProxy's tables. All counters are cumulative: differences are the
// reader's to take, by worker (pid and start) and key.

import type { IpWords } from '../domain/ip.ts';
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

/** An entry of pm_denied. */
export interface DeniedAddress {
  readonly address: IpWords;
  /** Cumulative gpc0. */
  readonly value: number;
  /** Of the value: requests of the last minute, as HAProxy estimates. */
  readonly lately: number;
  /** When it was last denied, at the latest; in seconds since 1970. Null: one of those that are active. */
  readonly at: number | null;
}

/** HAProxy's own counters of a backend. */
export interface BackendCounters {
  readonly requests: number;
  /** HTTP 500 to 599, including HAProxy's own. */
  readonly serverErrors: number;
  /** Of about the last 500 requests; `ProxyStat`. */
  readonly responseMs: number;
}

export interface WorkerReading {
  readonly pid: number;
  readonly startedAt: Date;
  readonly current: boolean;
  /** Its tables take part in `peers`: a new worker may start from the values of an earlier one. */
  readonly handsOver: boolean;
  /** Each address once. Objects are made as they are read: there may be 100,000. */
  readonly denied: Iterable<DeniedAddress>;
  /** Site key (host as in sites map) -> cumulative sampled http_req_cnt of denied requests. */
  readonly sites: ReadonlyMap<string, number>;
  /** Sampled 1 in 16: /64 for IPv6. Empty with PROXY_MANAGER_INSIGHT=denied. */
  readonly clients: ReadonlyMap<string, { readonly requests: number; readonly rate: number; readonly errors: number }>;
  readonly rejected: ReadonlyMap<string, number>;
  /** By name of the backend; cumulative since the worker's start. */
  readonly backends: ReadonlyMap<string, BackendCounters>;
  /** HAProxy's own counters of the front end, cumulative since the worker's start. */
  readonly requests: number;
  readonly deniedRequests: number;
  /** used/size per table, 0..1. */
  readonly used: ReadonlyMap<string, number>;
}

export interface InsightSource {
  read(options: { readonly whole: boolean; readonly signal: AbortSignal }): Promise<InsightReading>;
}
