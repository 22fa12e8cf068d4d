// What the API answers, as far as the panel looks at it (docs/api.md).

export type Scope = 'read' | 'block' | 'admin';

export interface SessionInfo {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expires_at: string | null;
}

export interface WorkerHealth {
  readonly pid: number;
  readonly entries?: number | null;
  readonly whole?: boolean;
  readonly reason?: string | null;
  readonly [detail: string]: unknown;
}

export interface LastReload {
  readonly id: string;
  readonly status: string;
  readonly reasons?: readonly string[];
  readonly finished_at?: string | null;
  readonly [detail: string]: unknown;
}

export interface Health {
  readonly status: 'ok' | 'degraded' | 'down';
  readonly reasons: readonly string[];
  readonly database: { readonly status: string; readonly reason: string | null };
  readonly master_socket: { readonly status: string; readonly reason: string | null; readonly since: string | null };
  readonly workers: { readonly current: WorkerHealth | null; readonly draining: readonly WorkerHealth[] };
  readonly map_file: { readonly status: string; readonly reason: string | null; readonly entries: number };
  readonly runtime_map: {
    readonly expected: number;
    readonly seen: number | null;
    readonly last_verified_at: string | null;
  };
  readonly last_reload: LastReload | null;
  readonly scheduled_reload: {
    readonly reasons: readonly string[];
    readonly since: string;
    readonly attempts: number;
  } | null;
  readonly versions: { readonly service: string; readonly proxy: string };
}

export interface RuntimeReport {
  readonly runtime_map_updated: boolean;
  readonly runtime_map_failures: readonly {
    readonly ip_address: string;
    readonly worker: number | null;
    readonly command: string;
    readonly responses: readonly string[];
    readonly reason: string;
  }[];
  readonly runtime_map_failures_total: number;
  readonly reload_scheduled: boolean;
}

export interface BlockedIp {
  readonly ip_address: string;
  readonly reason: string | null;
  readonly blocked_by: string | null;
  readonly blocked_at: string;
  readonly expires_at: string | null;
}

export interface BlockedIpDetail extends BlockedIp {
  readonly workers: readonly { readonly pid: number; readonly draining: boolean; readonly holds: boolean | null }[];
}

export interface BlockedIpPage {
  readonly items: readonly BlockedIp[];
  readonly next_cursor: string | null;
  readonly total: number;
}

export interface BlockRequest {
  readonly ip_address: string;
  readonly reason?: string | null;
  readonly blocked_by?: string;
  readonly expires_at?: string | null;
  readonly duration_seconds?: number;
  readonly force?: boolean;
}

export interface BlockAnswer extends BlockedIp, RuntimeReport {
  readonly overridden_by?: readonly string[];
  readonly trusted_inside?: readonly string[];
}

export interface UnblockAnswer extends RuntimeReport {
  readonly ip_address: string;
  readonly still_blocked_by: readonly string[];
}

export interface BulkAnswer extends RuntimeReport {
  readonly added: number;
  readonly removed: number;
  readonly unchanged: number;
  readonly rejected_total: number;
  readonly rejected: readonly {
    readonly line?: number;
    readonly index?: number;
    readonly list?: string;
    readonly value: string;
    readonly why: string;
  }[];
}

export interface SyncAnswer {
  readonly runtime_map_synced: boolean;
  readonly total_ips: number;
  readonly added: number;
  readonly removed: number;
  readonly missing_ips: readonly string[];
  readonly unexpected_ips: readonly string[];
  readonly wrong_value_ips: readonly string[];
  readonly duplicate_ips: readonly string[];
  readonly map_file_updated: boolean;
  readonly reload_scheduled: boolean;
  readonly duration_ms: number;
  readonly reason?: string;
}

export interface CheckAnswer {
  readonly ip_address: string;
  readonly verdict: 'blocked' | 'trusted' | 'allowed';
  readonly by: string | null;
  readonly reason: string | null;
  readonly expires_at: string | null;
  readonly enforced: boolean | null;
  readonly workers: readonly { readonly pid: number; readonly verdict: string }[];
}

export interface TrustedIp {
  readonly ip_address: string;
  readonly note: string | null;
  readonly added_at: string;
}
