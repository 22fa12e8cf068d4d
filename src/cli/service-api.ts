// What the verbs ask of the service. `connection/http-service-api.ts` speaks HTTP for it; tests put a stub in its place.
// Every method throws an `ApiProblem` for an error answer, and a `Failure` where no answer came.
import type {
  BlockAnswer,
  BlockedIp,
  BlockedIpPage,
  BulkAnswer,
  CheckAnswer,
  RuntimeReport,
  SyncAnswer,
  UnblockAnswer,
} from '../blocking/answers.ts';
import type { KeyRecord, ReloadAnswer, SiteRecord } from '../http/services.ts';

export type {
  BlockAnswer,
  BlockedIp,
  BlockedIpPage,
  BulkAnswer,
  CheckAnswer,
  KeyRecord,
  ReloadAnswer,
  RuntimeReport,
  SiteRecord,
  SyncAnswer,
  UnblockAnswer,
};
export type Rejection = BulkAnswer['rejected'][number];
export type RuntimeMapFailure = RuntimeReport['runtime_map_failures'][number];
export interface TrustedIp {
  readonly ip_address: string;
  readonly note: string | null;
  readonly added_at: string;
}

/** An entry as the API takes it. */
export interface BlockElement {
  readonly ip_address: string;
  readonly reason?: string;
  readonly blocked_by?: string;
  readonly expires_at?: string;
  readonly duration_seconds?: number;
  readonly force?: boolean;
}

export interface ListQuery {
  readonly limit: number;
  readonly cursor?: string;
  readonly q?: string;
  readonly expiring?: boolean;
}

export interface WorkerPart {
  readonly pid: number;
  readonly whole: boolean;
  readonly reason: string | null;
}

export interface HealthReport {
  readonly status: 'ok' | 'degraded' | 'down';
  readonly reasons: readonly string[];
  readonly database: { readonly status: string; readonly reason: string | null };
  readonly master_socket: { readonly status: string; readonly reason: string | null; readonly since: string | null };
  readonly workers: { readonly current: WorkerPart | null; readonly draining: readonly WorkerPart[] };
  readonly map_file: { readonly status: string; readonly reason: string | null; readonly entries: number };
  readonly runtime_map: {
    readonly expected: number;
    readonly seen: number | null;
    readonly last_verified_at: string | null;
  };
  readonly last_reload: {
    readonly id: string;
    readonly status: string;
    readonly finished_at: string;
    readonly error: string | null;
  } | null;
  readonly scheduled_reload: { readonly reasons: readonly string[]; readonly since: string } | null;
  readonly versions: { readonly service: string; readonly proxy: string };
}

export interface ReloadRecord {
  readonly id: string;
  readonly status: string;
  readonly reasons: readonly string[];
  readonly changed: boolean | null;
  readonly error: string | null;
  readonly backup: string | null;
  readonly started_at: string;
  readonly finished_at: string | null;
}

export interface BackupRecord {
  readonly id: string;
  readonly created_at: string;
  readonly reason: string;
}

export interface ServerState {
  readonly address: string;
  readonly port: number;
  readonly status: string | null;
  readonly check?: string | null;
  readonly resolved_address?: string | null;
}

export interface SiteServer {
  readonly address: string;
  readonly port: number;
  readonly options?: object;
}

/** One operation of the audit, as the service kept it. */
export interface AuditRow {
  readonly [field: string]: unknown;
}

export interface AuditQuery {
  readonly limit: number;
  readonly cursor?: string;
  readonly operation?: string;
  readonly key?: string;
  readonly ip_address?: string;
  readonly since?: string;
  readonly until?: string;
}

/** A body that is made while it is sent. */
export interface StreamedList {
  readonly contentType: 'text/plain' | 'application/json';
  readonly chunks: AsyncIterable<string>;
}

export interface Items<T> {
  readonly items: readonly T[];
}

export interface Page<T> extends Items<T> {
  readonly next_cursor: string | null;
}

type Reloaded = { readonly reload: ReloadAnswer };

export interface ServiceApi {
  block(element: BlockElement): Promise<BlockAnswer>;
  unblock(ip: string): Promise<UnblockAnswer>;
  batch(body: {
    readonly add?: readonly (string | BlockElement)[];
    readonly remove?: readonly string[];
  }): Promise<BulkAnswer>;
  replaceAll(list: StreamedList, options: { readonly allowShrink: boolean }): Promise<BulkAnswer>;
  list(query: ListQuery): Promise<BlockedIpPage>;
  /** The addresses alone, one a line. A connection that breaks is an error: the list is not whole then. */
  listText(): AsyncIterable<Uint8Array>;
  check(ip: string): Promise<CheckAnswer>;
  /** Also of a 207. */
  sync(options: { readonly acceptMapFile: boolean }): Promise<SyncAnswer>;
  /** Also of a 503: not well is an answer. */
  health(): Promise<HealthReport>;

  reload(): Promise<ReloadAnswer>;
  validate(): Promise<{ readonly valid: boolean; readonly output: string; readonly sha256: string }>;
  diff(): Promise<{ readonly changed: boolean; readonly diff: string }>;
  reloads(query: { readonly limit: number; readonly cursor?: string }): Promise<Page<ReloadRecord>>;
  backups(): Promise<Items<BackupRecord>>;
  restore(id: string): Promise<ReloadAnswer>;

  trustedIps(): Promise<Items<TrustedIp>>;
  trust(ip: string, note: string | undefined): Promise<TrustedIp & RuntimeReport>;
  distrust(ip: string): Promise<{ readonly ip_address: string } & RuntimeReport>;

  sites(): Promise<Items<SiteRecord>>;
  putSite(domain: string, servers: readonly SiteServer[]): Promise<SiteRecord & Reloaded>;
  removeSite(domain: string): Promise<{ readonly domain: string } & Reloaded>;
  siteServers(domain: string): Promise<Items<ServerState>>;

  keys(): Promise<Items<KeyRecord>>;
  createKey(request: {
    readonly name: string;
    readonly scopes?: readonly string[];
    readonly expires_at?: string;
  }): Promise<KeyRecord & { readonly key: string }>;
  revokeKey(name: string): Promise<KeyRecord>;

  audit(query: AuditQuery): Promise<Page<AuditRow>>;
}
