// What the verbs ask of the service. `connection/http-service-api.ts` speaks HTTP for it; tests put a stub in its place.
// Every method throws an `ApiProblem` for an error answer, and a `Failure` where no answer came.
import type { components } from '../client/client.ts';

type Schemas = components['schemas'];

export type AuditPage = Schemas['AuditPage'];
export type AuditRow = Schemas['AuditRecord'];
export type BackupRecord = Schemas['Backup'];
export type BlockAnswer = Schemas['BlockAnswer'];
export type BlockedIp = Schemas['BlockedIp'];
export type BlockedIpPage = Schemas['BlockedIpPage'];
export type BulkAnswer = Schemas['BulkAnswer'];
export type CheckAnswer = Schemas['CheckAnswer'];
export type HealthReport = Schemas['Health'];
export type KeyRecord = Schemas['Key'];
export type ReloadAnswer = Schemas['ReloadAnswer'];
export type ReloadRecord = Schemas['ReloadRecord'];
export type RuntimeMapFailure = Schemas['RuntimeMapFailure'];
export type ServerState = Schemas['ServerState'];
export type SiteRecord = Schemas['Site'];
export type SyncAnswer = Schemas['SyncAnswer'];
export type TrustAnswer = Schemas['TrustAnswer'];
export type TrustedIp = Schemas['TrustedIp'];
export type UnblockAnswer = Schemas['UnblockAnswer'];
export type ValidationAnswer = Schemas['ValidationAnswer'];
export type WebhookRecord = Schemas['Webhook'];
export type WorkerPart = NonNullable<HealthReport['workers']['current']>;
/** What every answer to a change says of the running proxy. */
export type RuntimeReport = Pick<
  BlockAnswer,
  'runtime_map_updated' | 'runtime_map_failures' | 'runtime_map_failures_total' | 'reload_scheduled'
>;

/** An entry as the API takes it. */
export interface BlockElement {
  readonly ip_address: string;
  readonly reason?: string;
  readonly blocked_by?: string;
  readonly expires_at?: string | null;
  readonly duration_seconds?: number;
  readonly force?: boolean;
  readonly allow_wide?: boolean;
}

/** Of every element of a list. */
export interface ListOptions {
  readonly allowWide?: boolean;
  /** Only count what would be done. */
  readonly dryRun?: boolean;
}

/** When trust ends; null: never; neither: as before. */
export interface TrustEnd {
  readonly expires_at?: string | null;
  readonly duration_seconds?: number;
}

export interface ListQuery {
  readonly limit: number;
  readonly cursor?: string;
  readonly q?: string;
  /** Not beside `q`. */
  readonly text?: string;
  readonly expiring?: boolean;
}

export interface SiteServer {
  readonly address: string;
  readonly port: number;
  readonly options?: Readonly<Record<string, boolean | number | string>>;
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

/** Whether a live configuration that proxy-manager did not render may be replaced. */
export interface ReplaceConsent {
  readonly replaceConfiguration: boolean;
}

export interface ServiceApi {
  block(element: BlockElement): Promise<BlockAnswer>;
  unblock(ip: string): Promise<UnblockAnswer>;
  batch(
    body: { readonly add?: readonly (string | BlockElement)[]; readonly remove?: readonly string[] },
    options?: ListOptions,
  ): Promise<BulkAnswer>;
  replaceAll(list: StreamedList, options: ListOptions & { readonly allowShrink: boolean }): Promise<BulkAnswer>;
  list(query: ListQuery): Promise<BlockedIpPage>;
  /** The addresses alone, one a line. A connection that breaks is an error: the list is not whole then. */
  listText(): AsyncIterable<Uint8Array>;
  check(ip: string): Promise<CheckAnswer>;
  /** Also of a 207. */
  sync(options: { readonly acceptMapFile: boolean }): Promise<SyncAnswer>;
  /** Also of a 503: not well is an answer. */
  health(): Promise<HealthReport>;

  reload(options: ReplaceConsent): Promise<ReloadAnswer>;
  validate(): Promise<ValidationAnswer>;
  diff(backup?: string): Promise<Schemas['ConfigDiff']>;
  reloads(query: { readonly limit: number }): Promise<Schemas['ReloadPage']>;
  backups(): Promise<Schemas['Backups']>;
  restore(id: string): Promise<ReloadAnswer>;

  trustedIps(): Promise<Schemas['TrustedIps']>;
  /** Without an end an entry keeps its own, and a new one is permanent. */
  trust(ip: string, change: { readonly note?: string | undefined } & TrustEnd): Promise<TrustAnswer>;
  distrust(ip: string): Promise<Schemas['DistrustAnswer']>;

  sites(): Promise<Schemas['Sites']>;
  putSite(domain: string, servers: readonly SiteServer[], options: ReplaceConsent): Promise<Schemas['SiteAnswer']>;
  removeSite(domain: string, options: ReplaceConsent): Promise<Schemas['SiteRemoved']>;
  siteServers(domain: string): Promise<Schemas['ServerStates']>;

  keys(): Promise<Schemas['Keys']>;
  createKey(request: Schemas['KeyRequest']): Promise<Schemas['NewKey']>;
  revokeKey(name: string): Promise<KeyRecord>;

  webhooks(): Promise<Schemas['Webhooks']>;
  putWebhook(id: string, request: Schemas['WebhookRequest']): Promise<Schemas['WebhookAnswer']>;
  removeWebhook(id: string): Promise<Schemas['WebhookRemoved']>;

  audit(query: AuditQuery): Promise<AuditPage>;
}
