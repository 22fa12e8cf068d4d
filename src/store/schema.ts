import type { Generated } from 'kysely';
import type { ReloadRecord } from '../api/configuration.ts';
import type { SourceKind } from '../domain/source-name.ts';
import type { AcmeSchema } from './acme-schema.ts';
import type { InsightSchema } from './insight-schema.ts';
import type { NoticesSchema } from './notices-schema.ts';

/**
 * The tables. Times are ISO 8601 in UTC with milliseconds (`2026-11-20T12:00:00.000Z`), so that text order is time
 * order; booleans are 0 and 1; `*_json` columns contain JSON.
 */
export interface Schema extends AcmeSchema, InsightSchema, NoticesSchema {
  blocked_ips: BlockedIpsTable;
  sources: SourcesTable;
  claims: ClaimsTable;
  trusted_ips: TrustedIpsTable;
  sites: SitesTable;
  https_names: HttpsNamesTable;
  upstreams: UpstreamsTable;
  upstream_networks: UpstreamNetworksTable;
  api_keys: ApiKeysTable;
  sessions: SessionsTable;
  reloads: ReloadsTable;
  instance: InstanceTable;
  health_probe: HealthProbeTable;
  bulk_changes: BulkChangesTable;
  bulk_blocks: BulkBlocksTable;
  bulk_skips: BulkSkipsTable;
  undo_changes: UndoChangesTable;
  undo_blocks: UndoBlocksTable;
  audit: AuditTable;
  audit_outcomes: AuditOutcomesTable;
  webhooks: WebhooksTable;
  webhook_events: WebhookEventsTable;
  certificates: CertificatesTable;
  certificate_versions: CertificateVersionsTable;
  certificate_names: CertificateNamesTable;
  saved_views: SavedViewsTable;
  schema_migrations: SchemaMigrationsTable;
}

interface BlockedIpsTable {
  /** Canonical text. */
  ip_address: string;
  /** 17 bytes of `domain/ip.ts`; the address order. Null only in foreign rows (`foreign-rows.ts`). */
  sort_key: Buffer;
  reason: string | null;
  blocked_by: string | null;
  blocked_at: string;
  /** Null: no expiry. */
  expires_at: string | null;
  /** Of the claim that this row carries, the one that ends last. */
  source: Generated<number>;
  /** How many rows of `claims` the address has. */
  others: Generated<number>;
  /** Of the claim that this row carries. Null: `blocked_at`. */
  claimed_at: Generated<string | null>;
}

/** Who may want an address blocked; 1 is `manual`. */
interface SourcesTable {
  id: Generated<number>;
  name: string;
  kind: SourceKind;
  note: string | null;
  /** When all its claims are to be dropped; null: not asked for. */
  release_at: string | null;
  /** Modulo 3: 1: a release dropped its claims; 2: a `keep` has reported that, and the agent has claimed nothing since. */
  released: Generated<number>;
  /** 1: an operator removed it; shown again once it has a claim. */
  removed: Generated<number>;
  /** How many claims it has. This and the next two are kept by triggers, in the transaction of each change (ADR 0114). */
  claims: Generated<number>;
  /** Those of addresses that no other source claims. */
  alone: Generated<number>;
  /** Of its newest claim, also if that was dropped; null: it has never had one. */
  last_claimed_at: Generated<string | null>;
  created_at: string;
}

export type { SourceKind };

/** Claims to blocked addresses besides the one that `blocked_ips` carries. */
interface ClaimsTable {
  sort_key: Buffer;
  source: number;
  reason: string | null;
  blocked_by: string | null;
  claimed_at: string;
  expires_at: string | null;
}

interface TrustedIpsTable {
  ip_address: string;
  sort_key: Buffer;
  note: string | null;
  added_at: string;
  /** Null: permanent. */
  expires_at: string | null;
}

export interface SitesTable {
  domain: string;
  servers_json: string;
  /** Null: neither redirect nor HSTS. */
  tls_json: Generated<string | null>;
  names_json: string;
  canonical: string | null;
  /** 0 or 1. */
  enabled: number;
  redirect_json: string | null;
  created_at: string;
  updated_at: string;
}

interface HttpsNamesTable {
  name: string;
  /** `httpsMapValue` of `domain/site-tls.ts`. */
  value: string;
}

export interface UpstreamsTable {
  name: string;
  /** Null: its networks were given. */
  preset: string | null;
  /** Null: by PROXY protocol only. */
  header: string | null;
  chain: number;
  proxy_protocol: number;
  on_invalid: string;
  note: string | null;
  created_at: string;
  updated_at: string;
  /** When its networks were last given. */
  networks_at: string;
}

interface UpstreamNetworksTable {
  /** Canonical text. */
  network: string;
  sort_key: Buffer;
  upstream: string;
}

export interface ApiKeysTable {
  name: string;
  hash: string;
  scopes_json: string;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  /** To the minute. */
  last_used_at: string | null;
  /** The name of the source whose claims its requests change; null: not bound to one. */
  source: string | null;
  /** 1: it was bound to it, and not all of its earlier claims have been moved there. */
  moves_claims: Generated<number>;
}

export interface SessionsTable {
  /** SHA-256 of the token, lower-case hex. */
  hash: string;
  key_name: string;
  /** Proves that the key is still the one that signed in; `keys/sessions.ts`. */
  key_proof: string;
  created_at: string;
  /** To the minute. */
  last_used_at: string;
}

export interface ReloadsTable {
  /** Order of appending; the page cursor. */
  seq: Generated<number>;
  id: string;
  status: ReloadRecord['status'];
  reasons_json: string;
  changed: number | null;
  validation_output: string | null;
  error: string | null;
  backup: string | null;
  worker_before: number | null;
  worker_after: number | null;
  warnings_json: string;
  started_at: string;
  finished_at: string | null;
}

/** One row. */
interface InstanceTable {
  only: number;
  database_id: string;
  /** The number of the last change of the blocked set; `instance-store.ts`. */
  generation: number;
  created_at: string;
}

/** One row, used by the health probe alone; its value has no meaning. */
interface HealthProbeTable {
  only: number;
  probes: number;
}

interface BulkChangesTable {
  id: Generated<number>;
  replace: number;
  /** Whose claims it changes; null: `manual`, and its removals drop the claims of agents too. */
  source: number | null;
  /** Which claims its removals drop, a `ClaimFilter`; null: all. */
  filter_json: Generated<string | null>;
  /** Of the request, whose steps are recorded; null: they are not. */
  audit_id: Generated<number | null>;
  requested_by: string | null;
  state: BulkState;
  /** Everything up to this sort key is done in this state; null before its first slice. */
  position: Buffer | null;
  created_at: string;
}

/** `adding` applies the staged rows, `removing` (replace only) removes what was not staged. */
export type BulkState = 'receiving' | 'adding' | 'removing' | 'finished' | 'discarded';

/** Staged rows, a block of them per row: a million small rows would cost more than all other work on them. */
interface BulkBlocksTable {
  bulk: number;
  /** Blocks of one run are in key order and do not overlap; for an address in two runs the higher counts. */
  run: number;
  first_key: Buffer;
  /** The sort keys, concatenated. */
  keys: Buffer;
  /** One byte each; the format, also of the details, is in `staged-rows.ts`. */
  kinds: Buffer;
  details_json: string | null;
}

/** Addresses that were changed after the bulk change was complete: it skips them. */
interface BulkSkipsTable {
  bulk: number;
  sort_key: Buffer;
  ip_address: string;
  /** 1: only staged removals skip it. */
  removals_only: Generated<number>;
}

/** Changes of several addresses that can be undone; `undo-records.ts`. */
interface UndoChangesTable {
  audit_id: number;
  created_at: string;
  /** How many it changed. */
  claims: number;
  /** 0: too many. */
  complete: number;
}

interface UndoBlocksTable {
  audit_id: number;
  block: number;
  steps_json: string;
}

/** Append-only, enforced by triggers. */
export interface AuditTable {
  id: Generated<number>;
  at: string;
  operation: string;
  /** Null: the service itself. */
  key_name: string | null;
  /** The peer's address, or `unix`. */
  source: string | null;
  request_id: string | null;
  /** Canonical text, if it is about one address. */
  ip_address: string | null;
  /** A site's domain, a key's name, the id of a backup. */
  target: string | null;
  details_json: string | null;
}

export interface AuditOutcomesTable {
  audit_id: number;
  finished_at: string;
  /** Of the response; null without a request. */
  status: number | null;
  /** Of the problem document; `errors/catalogue.ts`. */
  code: number | null;
  runtime_map_updated: number | null;
  runtime_map_failures_total: number | null;
  reload_scheduled: number | null;
  result_json: string | null;
}

export interface WebhooksTable {
  id: string;
  url: string;
  /** Null: all. */
  types_json: string | null;
  /** Unencrypted, since it signs. Never shown again, never logged. */
  secret: string;
  enabled: number;
  created_at: string;
  updated_at: string;
  /** Of the last event delivered or dropped. */
  position: number;
  /** Of the last event of the delivery in progress. */
  batch_end: number | null;
  /** Lost events not yet reported to it. */
  missed: Generated<number>;
  /** Failed attempts of the delivery in progress. */
  attempts: Generated<number>;
  first_failed_at: string | null;
  next_attempt_at: string | null;
  last_success_at: string | null;
  last_error: string | null;
  last_error_at: string | null;
}

interface WebhookEventsTable {
  seq: Generated<number>;
  type: string;
  event_json: string;
}

export interface CertificatesTable {
  id: string;
  /** `upload` or `acme` */
  source: string;
  active_version: number;
  created_at: string;
  /** When the active version became so. */
  updated_at: string;
}

export interface CertificateVersionsTable {
  certificate: string;
  /** From 1. */
  version: number;
  names_json: string;
  not_before: string;
  not_after: string;
  issuer: string;
  /** Of the certificate without its chain: hexadecimal. */
  sha256: string;
  sha1: string;
  /** What is only shown: `CertificateDetails`. */
  details_json: string;
  /** The certificate and its chain. */
  chain_pem: string;
  public_key_sha256: string;
  /** Never in clear text: `secrets/sealed.ts`. */
  key_sealed: Buffer;
  created_at: string;
}

interface CertificateNamesTable {
  /** A host name in lower case, or `*.` and one. */
  name: string;
  certificate: string;
}

export interface SavedViewsTable {
  name: string;
  /** The path of a page of the panel. */
  page: string;
  /** Its search string, without the question mark. */
  query: string;
  /** The name of a key. */
  created_by: string;
  created_at: string;
  updated_at: string;
}

interface SchemaMigrationsTable {
  name: string;
  applied_at: string;
}
