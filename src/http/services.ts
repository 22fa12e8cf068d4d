// What the HTTP layer asks of the rest of the service, beside the blocked set. Implemented by the services and wired
// in the composition root; a refusal is a thrown `ServiceError`, anything else that is thrown is answered with 500.
import type { AuditPage } from '../api/audit.ts';
import type {
  Backup,
  ConfigDiff,
  CurrentConfig,
  ReloadAnswer,
  ReloadPage,
  ReloadRecord,
  ValidationAnswer,
} from '../api/configuration.ts';
import type { Key, NewKey } from '../api/keys.ts';
import type { ServerState, SiteAnswer, SiteRecord, SiteRemoved } from '../api/sites.ts';
import type { Webhook, WebhookAnswer, WebhookRemoved } from '../api/webhooks.ts';
import type { Caller, RuntimeReport } from '../blocking/answers.ts';
import type { BlockedSetService, TrustChange, TrustedIp } from '../blocking/blocked-set-service.ts';
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
  readonly sessions: SessionsService;
  readonly audit: AuditService;
  readonly events: EventsService;
  readonly webhooks: WebhooksService;
  readonly health: HealthService;
  readonly panel: PanelFiles;
  readonly metrics: MetricsService;
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
  /** Verified as a block is. */
  put(
    entry: IpEntry,
    change: TrustChange,
    caller: Caller,
  ): Promise<{ readonly created: boolean; readonly answer: TrustedIp & RuntimeReport }>;
  /** Errors: 1100 when it is not trusted. */
  remove(entry: IpEntry, caller: Caller): Promise<{ readonly ip_address: string } & RuntimeReport>;
}

/** What a caller agrees to beforehand. */
export interface ReplaceConsent {
  /** A live configuration that was not rendered by proxy-manager may be replaced. */
  readonly replace: boolean;
}

export interface SitesService {
  list(): Promise<readonly SiteRecord[]>;
  /** Errors: 1100. */
  get(domain: string): Promise<SiteRecord>;
  /** Live by a safe reload before the answer. Errors: 6020, 422, and then nothing is stored; 503 when it was not taken. */
  put(
    site: Site,
    consent: ReplaceConsent,
    caller: Caller,
  ): Promise<{ readonly created: boolean; readonly answer: SiteAnswer }>;
  remove(domain: string, consent: ReplaceConsent, caller: Caller): Promise<SiteRemoved>;
  servers(domain: string): Promise<readonly ServerState[]>;
}

export interface ConfigurationService {
  /** Errors: 6020 without consent; 422 with the proxy's own messages, `restored` and the workers; 503 when it was rolled back. */
  reload(consent: ReplaceConsent, caller: Caller): Promise<ReloadAnswer>;
  current(): Promise<CurrentConfig>;
  /** A dry run; a configuration that is refused is an answer here, not an error. */
  validate(caller: Caller): Promise<ValidationAnswer>;
  /** What a reload would change, as a unified diff; with the id of a backup, what its restore would. Errors: 1100. */
  diff(backup: string | null): Promise<ConfigDiff>;
  reloads(query: PageQuery): Promise<ReloadPage>;
  /** Errors: 1100. */
  reloadRecord(id: string): Promise<ReloadRecord>;
  backups(): Promise<readonly Backup[]>;
  /** Through the same safe reload. Errors: 1100, and those of `reload`. */
  restore(id: string, caller: Caller): Promise<ReloadAnswer>;
}

/** Who a request comes from. */
export interface SessionHolder {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Null: it has a key. */
  readonly sessionEndsAt: string | null;
}

/** Sessions of the panel: docs/adr/0046-sessions.md. */
export interface SessionsService {
  /** Null for a token that is unknown or has ended, or whose key has. Counts as a use of it. */
  authenticate(token: string): Promise<SessionHolder | null>;
  /** A session of the caller's key. Errors: 401 for a key that has ended meanwhile, 503 for too many at once. */
  start(caller: Caller): Promise<{ readonly token: string; readonly endsAt: string }>;
  end(token: string, caller: Caller): Promise<void>;
}

export interface KeysService {
  /** Null for a key that is unknown, expired or revoked. Called for every request: it must be quick. */
  authenticate(key: string): Promise<{ readonly name: string; readonly scopes: readonly Scope[] } | null>;
  list(): Promise<readonly Key[]>;
  /** `key` is the key itself, shown this once. Errors: 1002 when the name is taken. */
  create(
    request: {
      readonly name: string;
      /** Default: admin. */
      readonly scopes?: readonly Scope[] | undefined;
      readonly expiresAt?: Date | undefined;
    },
    caller: Caller,
  ): Promise<NewKey>;
  /** Errors: 1100; 409 for the admin key that lasts longest, since without it everybody would be locked out. */
  revoke(name: string, caller: Caller): Promise<Key>;
}

/** What was done or refused; `rows` are those that the changes wrote with themselves. */
export interface AnsweredRequest {
  readonly note: {
    readonly operation: string;
    readonly keyName: string;
    readonly source: string;
    readonly requestId: string;
    /** Canonical text. */
    readonly ipAddress: string | null;
    readonly target: string | null;
  };
  readonly at: Date;
  readonly rows: readonly number[];
  readonly status: number;
  readonly outcome: {
    readonly code: number | null;
    readonly runtimeMapUpdated: boolean | null;
    readonly runtimeMapFailuresTotal: number | null;
    readonly reloadScheduled: boolean | null;
    readonly result: Readonly<Record<string, unknown>> | null;
  };
}

export interface AuditService {
  /** Never throws, returns at once. */
  answered(request: AnsweredRequest): void;
  /** Newest first, with every outcome that was answered by now. Times are `Date.toISOString`'s. Errors: 107. */
  page(
    query: PageQuery & {
      readonly operation?: string | undefined;
      readonly key?: string | undefined;
      /** Canonical text. */
      readonly ipAddress?: string | undefined;
      readonly since?: string | undefined;
      readonly until?: string | undefined;
    },
  ): Promise<AuditPage>;
}

export interface EventView {
  /** Null: all. */
  readonly types: ReadonlySet<string> | null;
  readonly admin: boolean;
}

/** The events of this run of the service, read from a place on. A place is a number that grows. */
export interface EventsService {
  types(): readonly string[];
  newest(): number;
  /** Null: it cannot be read on from there. */
  placeOf(id: string): number | null;
  idOf(place: number): string;
  /** Some of what came after; `missed`: something of it is gone, and `place` is the newest. `text`: JSON, one line. */
  read(
    place: number,
    view: EventView,
  ): {
    readonly events: readonly { readonly id: string; readonly type: string; readonly text: string }[];
    readonly place: number;
    readonly missed: boolean;
  };
  /** `wake` is called when there is more. Returns how to end that. */
  onMore(wake: () => void): () => void;
  /** The service ends: that is the last event. */
  stopping(): void;
  /** Nothing more will come. */
  over(): boolean;
}

export interface WebhooksService {
  list(): Promise<readonly Webhook[]>;
  /** Errors: 1100. */
  get(id: string): Promise<Webhook>;
  /** `secret` of the answer: the one that was made, shown this once; else null. Errors: 409 when there are too many. */
  put(
    request: {
      readonly id: string;
      readonly url: string;
      readonly types: readonly string[] | null;
      readonly secret?: string | undefined;
      readonly enabled: boolean;
    },
    caller: Caller,
  ): Promise<{ readonly created: boolean; readonly answer: WebhookAnswer }>;
  /** Errors: 1100. */
  remove(id: string, caller: Caller): Promise<WebhookRemoved>;
}

export interface WorkerHealth {
  readonly pid: number;
  /** It was seen to hold both maps as they should be. */
  readonly whole: boolean;
  readonly reason: string | null;
}

/** Whether the live configuration is what sites, settings and template give now. */
export interface DriftReport {
  readonly status: 'none' | 'drift' | 'unknown';
  /** Who wrote the live text; null: there is none, or it is not known. */
  readonly live: 'rendered' | 'restored' | 'other' | null;
  /** The id of the backup that was restored. */
  readonly backup: string | null;
  /** Lines that a reload would add and remove. */
  readonly added: number | null;
  readonly removed: number | null;
  /** Why it is not known. */
  readonly reason: string | null;
}

/** A front end of a configuration that others write. */
export interface FrontEndReport {
  readonly name: string;
  /** `FILE:LINE` of its section. */
  readonly place: string;
  /** HAProxy's word for it: `http`, `tcp` … */
  readonly mode: string;
  /** It denies what the blocked map holds. */
  readonly has_rule: boolean;
  /** `FILE:LINE` of what may answer requests before that, so that it may not count; null: nothing does. */
  readonly answered_before: string | null;
  /** It is to have no rule: PROXY_MANAGER_OPEN_FRONT_ENDS names it. */
  readonly open: boolean;
}

/** What an attached service sees of the configuration that HAProxy runs. */
export interface AttachedReport {
  /** In the order in which HAProxy reads them. */
  readonly files: readonly string[];
  /** As the current worker loaded them, as far as that is known. */
  readonly front_ends: readonly FrontEndReport[];
  /** The files are not what the current worker loaded. */
  readonly changed_since_load: boolean;
  /** `master`, `never` or `systemd:UNIT`. */
  readonly reload_by: string;
}

export interface HealthReport {
  readonly status: 'ok' | 'degraded' | 'down';
  /** What is wrong, the gravest first; empty when all is well. */
  readonly reasons: readonly string[];
  /** `unknown`, here and below: it could not be looked at in time, as the reason says. */
  readonly database: { readonly status: 'ok' | 'down' | 'unknown'; readonly reason: string | null };
  readonly master_socket: {
    readonly status: 'ok' | 'down' | 'unknown';
    readonly reason: string | null;
    /** Since when it counts as down. */
    readonly since: string | null;
  };
  readonly workers: { readonly current: WorkerHealth | null; readonly draining: readonly WorkerHealth[] };
  readonly map_file: {
    readonly status: 'ok' | 'behind' | 'unknown';
    readonly reason: string | null;
    readonly entries: number;
  };
  readonly runtime_map: {
    readonly expected: number;
    /** null: the current worker could not be asked. */
    readonly seen: number | null;
    /** What a big change that is being applied has stored so far; null: none is. */
    readonly big_change: { readonly added: number; readonly removed: number } | null;
    readonly last_verified_at: string | null;
  };
  readonly last_reload: {
    readonly id: string;
    readonly status: 'completed' | 'refused' | 'failed';
    readonly finished_at: string;
    readonly error: string | null;
    /** The number of the error. */
    readonly error_code: number | null;
  } | null;
  /** null: the service is attached, and the configuration is not written here. */
  readonly configuration_drift: DriftReport | null;
  /** null: the configuration is written here. */
  readonly attached: AttachedReport | null;
  /** `used` null: the live configuration could not be read. Entries of a map that is not used have no effect. */
  readonly trusted_map: { readonly used: boolean | null; readonly entries: number };
  readonly scheduled_reload: {
    readonly reasons: readonly string[];
    readonly since: string;
    readonly attempts: number;
  } | null;
  readonly versions: {
    readonly service: string;
    readonly proxy: string;
    /** A sentence when the proxy's version is not one that the service is tested with. */
    readonly untested: string | null;
  };
}

export interface HealthService {
  /** Probed now, never from a cache, within three seconds. */
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

export interface RequestObserver {
  /**
   * A request was answered, or its client went away. Called for every one: it must be quick, and must not throw.
   * @param route as it was registered, `/api/sites/:domain`; null: there is none
   */
  answered(method: string, route: string | null, status: number, milliseconds: number): void;
}

export type MetricsForm = 'prometheus' | 'openmetrics';

export interface MetricsService extends RequestObserver {
  /** Everything that is counted, as text. */
  scrape(form: MetricsForm): Promise<string>;
}
