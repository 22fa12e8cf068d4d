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
import type { EndedOperation } from '../api/ended-operation.ts';
import type { Health } from '../api/health.ts';
import type { Key, NewKey } from '../api/keys.ts';
import type { ServerState, SiteAnswer, SiteRecord, SiteRemoved } from '../api/sites.ts';
import type { DistrustAnswer, TrustAnswer, TrustedIp } from '../api/trusted-ips.ts';
import type { Webhook, WebhookAnswer, WebhookRemoved } from '../api/webhooks.ts';
import type { Caller } from '../blocking/answers.ts';
import type { BlockedSetService, TrustChange } from '../blocking/blocked-set-service.ts';
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
  readonly operations: OperationObserver;
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
  ): Promise<{ readonly created: boolean; readonly answer: TrustAnswer }>;
  /** Errors: 1100 when it is not trusted. */
  remove(entry: IpEntry, caller: Caller): Promise<DistrustAnswer>;
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

export interface AuditService {
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

export interface HealthService {
  /** Probed now, never from a cache, within three seconds. */
  health(): Promise<Health>;
  ready(): Promise<boolean>;
}

/** The panel as it was built. */
export interface PanelFiles {
  /** The page, with a place for the nonce; null: it could not be read, and `problem` says so. */
  readonly page: string | null;
  readonly problem: string | null;
  readonly assets: ReadonlyMap<string, PanelAsset>;
}

export interface OperationObserver {
  /** Never throws, returns at once. */
  ended(operation: EndedOperation): void;
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
