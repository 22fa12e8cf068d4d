// Services reject by throwing a `ServiceError`; any other error becomes 500.
import type { EndedOperation } from '../api/ended-operation.ts';
import type { AuditRecorder } from '../audit/audit-recorder.ts';
import type { BlockedSetService } from '../blocking/blocked-set-service.ts';
import type { BulkUnblock } from '../blocking/bulk-unblock.ts';
import type { EntryMap } from '../blocking/entry-map.ts';
import type { Releases } from '../blocking/releases.ts';
import type { Sources } from '../blocking/sources.ts';
import type { TrustedSet } from '../blocking/trusted-set.ts';
import type { Undo } from '../blocking/undo.ts';
import type { ConfigurationService } from '../configuration/reload/configuration-service.ts';
import type { EventFeed } from '../events/event-feed.ts';
import type { Health } from '../health/health.ts';
import type { InsightFigures } from '../insight/insight-off.ts';
import type { AcmeOperations } from '../issuance/acme-operations.ts';
import type { ApiKeys } from '../keys/keys.ts';
import type { Sessions } from '../keys/sessions.ts';
import type { Notices } from '../notices/notices.ts';
import type { SitesTls } from '../sites/site-tls.ts';
import type { SitesService } from '../sites/sites-service.ts';
import type { CertificateOperations } from '../tls/certificate-operations.ts';
import type { ClientAddresses } from '../upstreams/client-addresses.ts';
import type { Upstreams } from '../upstreams/upstreams.ts';
import type { SavedViews } from '../views/saved-views.ts';
import type { WebhooksService } from '../webhooks/webhooks.ts';
import type { PanelAsset } from './panel-asset.ts';

export interface Services {
  readonly blockedSet: BlockedSetService;
  readonly bulkUnblock: Pick<BulkUnblock, 'unblock'>;
  readonly entryMap: Pick<EntryMap, 'read'>;
  readonly undo: Pick<Undo, 'undo'>;
  readonly sources: Pick<Sources, 'list'>;
  readonly releases: Pick<Releases, 'get' | 'put' | 'release' | 'keep' | 'remove'>;
  readonly trustedIps: Pick<TrustedSet, 'list' | 'get' | 'put' | 'remove'>;
  readonly upstreams: Pick<Upstreams, 'list' | 'get' | 'put' | 'remove'>;
  readonly clientAddresses: Pick<ClientAddresses, 'explain'>;
  readonly sites: SitesService;
  readonly certificates: Pick<
    CertificateOperations,
    'list' | 'get' | 'add' | 'replace' | 'remove' | 'chain' | 'verify'
  >;
  readonly acme: Pick<AcmeOperations, 'status' | 'request' | 'get' | 'renew' | 'stop'>;
  readonly sitesTls: Pick<SitesTls, 'get' | 'put' | 'change'>;
  readonly configuration: ConfigurationService;
  readonly keys: Pick<ApiKeys, 'authenticate' | 'list' | 'create' | 'bind' | 'revoke'>;
  readonly sessions: Pick<Sessions, 'authenticate' | 'start' | 'end'>;
  readonly audit: Pick<AuditRecorder, 'page'>;
  readonly events: EventsService;
  readonly webhooks: WebhooksService;
  readonly insight: InsightFigures;
  readonly notices: Pick<Notices, 'list' | 'read'>;
  readonly views: Pick<SavedViews, 'list' | 'get' | 'put' | 'remove'>;
  readonly health: Pick<Health, 'health' | 'ready'>;
  readonly panel: PanelFiles;
  readonly metrics: MetricsService;
  readonly operations: OperationObserver;
  readonly log: RequestLog;
}

export type EventsService = Pick<EventFeed, keyof EventFeed>;

export interface RequestLog {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export interface PanelFiles {
  /** Has a placeholder for the nonce; null: it could not be read, see `problem`. */
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
   * Also called if the client disconnected. Must be quick, and must not throw.
   * @param route as registered, `/api/sites/:domain`; null: none matched
   */
  answered(method: string, route: string | null, status: number, milliseconds: number): void;
}

export type MetricsForm = 'prometheus' | 'openmetrics';

export interface MetricsService extends RequestObserver {
  scrape(form: MetricsForm): Promise<string>;
}
