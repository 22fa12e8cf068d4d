// What the HTTP layer asks of the rest of the service, beside the blocked set. Implemented by the services and wired
// in the composition root; a refusal is a thrown `ServiceError`, anything else that is thrown is answered with 500.
import type { Caller, RuntimeReport } from '../blocking/answers.ts';
import type { BlockedSetService, TrustedIp } from '../blocking/blocked-set-service.ts';
import type { IpEntry } from '../domain/ip.ts';
import type { Scope } from '../domain/scope.ts';
import type { Site } from '../domain/site.ts';
import type { PanelAsset } from './panel-asset.ts';

export interface Services {
  readonly blockedSet: BlockedSetService;
  readonly trustedIps: TrustedIpsService;
  readonly sites: SitesService;
  readonly configuration: ConfigurationService;
  readonly keys: KeysService;
  readonly health: HealthService;
  readonly panel: PanelFiles;
  readonly log: RequestLog;
}

/** A part of the service's log: one line an answered request, one a failure of the service itself. */
export interface RequestLog {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** A page of a history, newest first. `cursor` is opaque: `next_cursor` of the page before. */
export interface PageQuery {
  readonly limit: number;
  readonly cursor: string | null;
}

export interface TrustedIpsService {
  list(): Promise<readonly TrustedIp[]>;
  /** Errors: 1100 without a row of its own. */
  get(entry: IpEntry): Promise<TrustedIp>;
  /** An absent `note` keeps the old one, null takes it away. Verified as a block is. */
  put(
    entry: IpEntry,
    note: string | null | undefined,
    caller: Caller,
  ): Promise<{ readonly created: boolean; readonly answer: TrustedIp & RuntimeReport }>;
  /** Errors: 1100 when it is not trusted. */
  remove(entry: IpEntry, caller: Caller): Promise<{ readonly ip_address: string } & RuntimeReport>;
}

/** What a safe reload did. A reload that failed is a thrown `ServiceError` that carries these as members. */
export interface ReloadAnswer {
  readonly id: string;
  readonly status: 'completed';
  readonly reasons: readonly string[];
  /** Whether the live configuration is another one than before. */
  readonly changed: boolean;
  readonly backup: string | null;
  /** pids. */
  readonly worker_before: number | null;
  readonly worker_after: number | null;
  readonly duration_ms: number;
  readonly warnings: readonly string[];
}

export interface SiteRecord extends Site {
  readonly created_at: string;
  readonly updated_at: string;
}

/** One server of a site as the proxy sees it now. */
export interface ServerState {
  readonly address: string;
  readonly port: number;
  /** The proxy's own word (`UP`, `DOWN`, `MAINT`, `no check`, …); null when the proxy could not be asked. */
  readonly status: string | null;
  readonly [detail: string]: unknown;
}

export interface SitesService {
  list(): Promise<readonly SiteRecord[]>;
  /** Errors: 1100. */
  get(domain: string): Promise<SiteRecord>;
  /** Live by a safe reload before the answer. Errors: 422, and then nothing is stored; 503 when it was not taken. */
  put(
    site: Site,
    caller: Caller,
  ): Promise<{ readonly created: boolean; readonly answer: SiteRecord & { readonly reload: ReloadAnswer } }>;
  remove(domain: string, caller: Caller): Promise<{ readonly domain: string; readonly reload: ReloadAnswer }>;
  servers(domain: string): Promise<readonly ServerState[]>;
}

export interface ReloadRecord {
  readonly id: string;
  readonly status: string;
  readonly [detail: string]: unknown;
}

export interface BackupRecord {
  readonly id: string;
  readonly [detail: string]: unknown;
}

export interface ConfigurationService {
  /** Errors: 422 with the proxy's own messages, `restored` and the workers; 503 when it was rolled back. */
  reload(caller: Caller): Promise<ReloadAnswer>;
  /** The live text and the lower-case hex SHA-256 of its bytes. */
  current(): Promise<{ readonly text: string; readonly sha256: string; readonly path: string }>;
  /** A dry run; a configuration that is refused is an answer here, not an error. */
  validate(caller: Caller): Promise<{ readonly valid: boolean; readonly output: string; readonly sha256: string }>;
  /** What a reload would change, as a unified diff. */
  diff(): Promise<{ readonly changed: boolean; readonly diff: string }>;
  reloads(query: PageQuery): Promise<{ readonly items: readonly ReloadRecord[]; readonly next_cursor: string | null }>;
  /** Errors: 1100. */
  reloadRecord(id: string): Promise<ReloadRecord>;
  backups(): Promise<readonly BackupRecord[]>;
  /** Through the same safe reload. Errors: 1100, and those of `reload`. */
  restore(id: string, caller: Caller): Promise<ReloadAnswer>;
}

export interface KeyRecord {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly last_used_at: string | null;
}

export interface KeysService {
  /** Null for a key that is unknown, expired or revoked. Called for every request: it must be quick. */
  authenticate(key: string): Promise<{ readonly name: string; readonly scopes: readonly Scope[] } | null>;
  list(): Promise<readonly KeyRecord[]>;
  /** `key` is the key itself, shown this once. Errors: 1002 when the name is taken. */
  create(
    request: {
      readonly name: string;
      /** Default: admin. */
      readonly scopes?: readonly Scope[] | undefined;
      readonly expiresAt?: Date | undefined;
    },
    caller: Caller,
  ): Promise<KeyRecord & { readonly key: string }>;
  /** Errors: 1100; 409 for the admin key that lasts longest, since without it everybody would be locked out. */
  revoke(name: string, caller: Caller): Promise<KeyRecord>;
}

export interface HealthReport {
  readonly status: 'ok' | 'degraded' | 'down';
  readonly [part: string]: unknown;
}

export interface HealthService {
  /** Probed now, never from a cache. */
  health(): Promise<HealthReport>;
  ready(): Promise<boolean>;
}

/** The panel as it was built. */
export interface PanelFiles {
  /** The page, with a place for the nonce; null: it could not be read, and `problem` says so. */
  readonly page: string | null;
  readonly problem: string | null;
  readonly assets: ReadonlyMap<string, PanelAsset>;
}
