import type { Generated } from 'kysely';
import type { ReloadRecord } from '../api/configuration.ts';

/**
 * The tables, as the code sees them. Times are ISO 8601 in UTC with milliseconds (`2026-11-20T12:00:00.000Z`), so
 * that text order is time order; booleans are 0 and 1; `*_json` columns hold JSON text.
 */
export interface Schema {
  blocked_ips: BlockedIpsTable;
  trusted_ips: TrustedIpsTable;
  sites: SitesTable;
  api_keys: ApiKeysTable;
  sessions: SessionsTable;
  reloads: ReloadsTable;
  instance: InstanceTable;
  health_probe: HealthProbeTable;
  bulk_changes: BulkChangesTable;
  bulk_blocks: BulkBlocksTable;
  bulk_skips: BulkSkipsTable;
  audit: AuditTable;
  audit_outcomes: AuditOutcomesTable;
  webhooks: WebhooksTable;
  webhook_events: WebhookEventsTable;
  schema_migrations: SchemaMigrationsTable;
}

interface BlockedIpsTable {
  /** Canonical text, primary key. */
  ip_address: string;
  /** 17 bytes of `domain/ip.ts`; the order of addresses. Null only in foreign rows (`unkeyed-rows.ts`). */
  sort_key: Buffer;
  reason: string | null;
  blocked_by: string | null;
  blocked_at: string;
  /** Null: for good. */
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
  created_at: string;
  updated_at: string;
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
}

/** Who is signed in. */
export interface SessionsTable {
  /** SHA-256 of the token, lower-case hex. */
  hash: string;
  key_name: string;
  /** Shows that the key is still the one that signed in; `keys/sessions.ts`. */
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

/** One row, which nothing but the health probe touches: what it writes says nothing. */
interface HealthProbeTable {
  only: number;
  probes: number;
}

interface BulkChangesTable {
  id: Generated<number>;
  replace: number;
  requested_by: string | null;
  state: BulkState;
  /** Sort key up to which the state's work is done; null before its first slice. */
  position: Buffer | null;
  created_at: string;
}

/** `adding` applies the staged rows, `removing` (replace only) takes away what was not staged. */
export type BulkState = 'receiving' | 'adding' | 'removing' | 'finished' | 'discarded';

/** Staged rows, a block of them in one row: a million small rows cost more than everything that is done with them. */
interface BulkBlocksTable {
  bulk: number;
  /** Blocks of one run are in order of their keys and do not overlap; of one address in two runs the higher counts. */
  run: number;
  /** Sort key of the block's first row. */
  first_key: Buffer;
  /** The sort keys, one behind the other. */
  keys: Buffer;
  /** A byte for each; `staged-rows.ts` has the form, of the details too. */
  kinds: Buffer;
  details_json: string | null;
}

/** Addresses that were changed after the bulk change was complete: it skips them. */
interface BulkSkipsTable {
  bulk: number;
  sort_key: Buffer;
  ip_address: string;
}

/** Append-only, held by triggers. */
export interface AuditTable {
  id: Generated<number>;
  at: string;
  operation: string;
  /** Null: the service itself. */
  key_name: string | null;
  /** The peer's address, or `unix`. */
  source: string | null;
  request_id: string | null;
  /** Canonical text, where it is about one address. */
  ip_address: string | null;
  /** What else it is about: a site's domain, a key's name, the id of a backup. */
  target: string | null;
  details_json: string | null;
}

/** The outcome, as far as it is known. */
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
  /** In clear: it signs. Never shown again, never logged. */
  secret: string;
  enabled: number;
  created_at: string;
  updated_at: string;
  /** Of the last event that is done with. */
  position: number;
  /** Of the last event of the delivery under way. */
  batch_end: number | null;
  /** Lost events that were not reported to it yet. */
  missed: Generated<number>;
  /** Of the delivery under way, that failed. */
  attempts: Generated<number>;
  first_failed_at: string | null;
  next_attempt_at: string | null;
  last_success_at: string | null;
  last_error: string | null;
  last_error_at: string | null;
}

/** Events that wait for a webhook. */
interface WebhookEventsTable {
  seq: Generated<number>;
  type: string;
  event_json: string;
}

interface SchemaMigrationsTable {
  name: string;
  applied_at: string;
}
