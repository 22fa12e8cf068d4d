// The types of events, and which of their fields only administrators receive: what the API hides from other keys as
// well (ADR 0024), names and scopes of keys, webhooks, and HAProxy's messages about a configuration.

/** Changes of any number of entries. */
export type BulkOperation = 'batch' | 'replace' | 'unblock_selected' | 'undo';

/** Derived from operations. Plain data, in the names that clients see. Times are ISO 8601 in UTC. */
interface OperationEvents {
  'entry.blocked': {
    readonly ip_address: string;
    readonly created: boolean;
    readonly reason: string | null;
    readonly blocked_by: string | null;
    readonly expires_at: string | null;
    readonly by: string;
    readonly runtime_map_updated: boolean;
  };
  'entry.unblocked': { readonly ip_address: string; readonly by: string; readonly runtime_map_updated: boolean };
  'entry.expired': { readonly ip_address: string; readonly runtime_map_updated: boolean };
  /** For more entries than get an event each. */
  'entries.changed': {
    readonly operation: BulkOperation | 'expire';
    readonly added: number;
    readonly updated: number;
    readonly removed: number;
    readonly unchanged: number;
    /** Null: the service itself. */
    readonly by: string | null;
    readonly runtime_map_updated: boolean;
  };
  'sync.done': {
    readonly runtime_map_synced: boolean;
    readonly total_ips: number;
    readonly added: number;
    readonly removed: number;
    readonly reload_scheduled: boolean;
    readonly duration_ms: number;
    readonly by: string;
  };
  'trust.added': {
    readonly ip_address: string;
    readonly created: boolean;
    readonly note: string | null;
    readonly expires_at: string | null;
    readonly by: string;
    readonly runtime_map_updated: boolean;
  };
  'trust.removed': { readonly ip_address: string; readonly by: string; readonly runtime_map_updated: boolean };
  'trust.expired': { readonly ip_address: string; readonly runtime_map_updated: boolean };
  'site.set': { readonly domain: string; readonly created: boolean; readonly by: string };
  'site.removed': { readonly domain: string; readonly by: string };
  /** Uploaded, and installed in files and workers as far as possible. */
  'certificate.installed': {
    readonly id: string;
    /** False: it replaced an earlier version. */
    readonly created: boolean;
    readonly names: readonly string[];
    readonly not_after: string;
    readonly sha256: string;
    readonly by: string;
    /** Every current worker was read back to hold it; null: not known. */
    readonly runtime_updated: boolean | null;
  };
  'certificate.removed': {
    readonly id: string;
    readonly names: readonly string[];
    readonly by: string;
    readonly runtime_updated: boolean | null;
  };
  'upstream.set': {
    readonly name: string;
    readonly created: boolean;
    readonly networks: number;
    readonly by: string;
    readonly runtime_map_updated: boolean;
  };
  'upstream.removed': { readonly name: string; readonly by: string; readonly runtime_map_updated: boolean };
  'key.created': {
    readonly name: string;
    readonly scopes: readonly string[];
    readonly expires_at: string | null;
    readonly by: string;
  };
  'key.revoked': { readonly name: string; readonly by: string };
  'webhook.set': { readonly id: string; readonly enabled: boolean; readonly by: string };
  'webhook.removed': { readonly id: string; readonly by: string };
}

interface CertificateEnd {
  readonly id: string;
  readonly names: readonly string[];
  readonly not_after: string;
  /** Enabled sites for which it is served. */
  readonly sites: readonly string[];
}

/** Facts that are events as emitted. */
export interface PlainEvents {
  /** A running map differs from the database. */
  'drift.seen': {
    readonly map: string;
    readonly worker: number;
    readonly expected: number;
    readonly seen: number;
  };
  'drift.repaired': {
    readonly map: string;
    readonly worker: number;
    readonly added: number;
    readonly removed: number;
    readonly corrected: number;
  };
  /** Soon, and not replaced yet. */
  'certificate.expiring': CertificateEnd & { readonly days_left: number };
  'certificate.expired': CertificateEnd;
  /** A worker served another certificate for this id, or none, and has the right one again. */
  'certificate.repaired': {
    readonly id: string;
    readonly worker: number;
    /** SHA-1 fingerprint, 40 hex digits in upper case; null: none. */
    readonly was: string | null;
    readonly now: string;
  };
  /** An authority issued it; it is stored, and installed as far as possible. */
  'certificate.issued': {
    readonly id: string;
    readonly names: readonly string[];
    readonly not_after: string;
    /** The authority: a URL. */
    readonly directory: string;
  };
  /** An order failed. */
  'certificate.failing': {
    readonly id: string;
    readonly names: readonly string[];
    readonly directory: string;
    readonly class: string;
    readonly type: string;
    /** In the words of the authority, if it is its problem. */
    readonly detail: string;
    /** In succession. */
    readonly failures: number;
    /** When the next order is due. */
    readonly due_at: string;
  };
  /** The authority set a limit, or cannot be reached. */
  'acme.paused': {
    readonly directory: string;
    readonly scope: string;
    readonly until: string;
    readonly type: string;
    readonly detail: string;
  };
  'reload.started': { readonly id: string; readonly reasons: readonly string[] };
  'reload.completed': {
    readonly id: string;
    readonly changed: boolean;
    readonly worker_before: number | null;
    readonly worker_after: number | null;
    readonly duration_ms: number;
  };
  'reload.failed': { readonly id: string; readonly status: string; readonly error: string | null };
  'health.changed': {
    readonly status: string;
    /** Null: this was the first check. */
    readonly was: string | null;
    readonly reasons: readonly string[];
  };
  'worker.appeared': { readonly pid: number; readonly role: string };
  'worker.gone': { readonly pid: number };
  /** Denied requests rose far above the usual; rates are requests a minute. */
  'attack.started': {
    readonly id: number;
    readonly rate: number;
    readonly usual: number;
    readonly top_networks: readonly { readonly entry: string; readonly denied: number }[];
    /** Estimated from a sample. */
    readonly top_sites: readonly { readonly site: string; readonly denied: number }[];
  };
  'attack.ended': { readonly id: number; readonly denied: number; readonly minutes: number };
  /** A client that is not blocked sends many requests or errors. */
  'candidate.found': {
    readonly ip_address: string;
    /** Requests a second, estimated from a sample. */
    readonly rate: number;
    /** Of its requests, from 0 to 1. */
    readonly error_share: number;
  };
  /** Denied requests were not counted, or only as a sum. */
  'insight.gap': { readonly from: string; readonly to: string; readonly cause: string };
  /** The configuration that HAProxy runs lacks these tables, without which figures are missing. */
  'counting.incomplete': { readonly missing: readonly string[] };
  'counting.complete': Readonly<Record<string, never>>;
  /** A list that denied no request for so many days. */
  'source.useless': { readonly source: string; readonly entries: number; readonly days: number };
  /** HAProxy answers its requests with 503: no server of it passes its checks. */
  'site.down': { readonly domain: string };
  /** A site that was down is not any more: a server passes its checks, or the site was disabled or removed. */
  'site.up': { readonly domain: string };
  /** Soon. */
  'key.expiring': { readonly name: string; readonly expires_at: string; readonly days_left: number };
  'key.expired': { readonly name: string; readonly expires_at: string };
  /** Its deliveries failed several times in succession, or for a day: then events were dropped. */
  'webhook.failing': {
    readonly id: string;
    readonly why: string;
    readonly failing_since: string;
    /** Events that were dropped now. */
    readonly dropped: number;
  };
  /** After `webhook.failing`. */
  'webhook.recovered': { readonly id: string };
  'service.started': { readonly version: string; readonly proxy: string };
  'service.stopping': Readonly<Record<string, never>>;
}

export interface Events extends OperationEvents, PlainEvents {}

export type EventType = keyof Events;
export type Event = { readonly [Type in EventType]: { readonly type: Type; readonly data: Events[Type] } }[EventType];

/** The fields that only administrators receive; `null`: all. */
const adminParts: { readonly [Type in EventType]: readonly (keyof Events[Type])[] | null } = {
  'entry.blocked': [],
  'entry.unblocked': [],
  'entry.expired': [],
  'entries.changed': [],
  'sync.done': [],
  'drift.seen': [],
  'drift.repaired': [],
  'reload.started': ['reasons'],
  'reload.completed': [],
  'reload.failed': ['error'],
  'trust.added': [],
  'trust.removed': [],
  'trust.expired': [],
  'site.set': [],
  'site.removed': [],
  'site.down': [],
  'site.up': [],
  'certificate.installed': [],
  'certificate.removed': [],
  'certificate.expiring': [],
  'certificate.expired': [],
  'certificate.repaired': [],
  'certificate.issued': [],
  'certificate.failing': [],
  'acme.paused': [],
  'upstream.set': [],
  'upstream.removed': [],
  'key.created': null,
  'key.revoked': null,
  'key.expiring': null,
  'key.expired': null,
  'webhook.set': null,
  'webhook.removed': null,
  'webhook.failing': null,
  'webhook.recovered': null,
  'health.changed': [],
  'worker.appeared': [],
  'worker.gone': [],
  'attack.started': [],
  'attack.ended': [],
  'candidate.found': [],
  'insight.gap': [],
  'counting.incomplete': [],
  'counting.complete': [],
  'source.useless': [],
  'service.started': [],
  'service.stopping': [],
};

export const eventTypes = Object.keys(adminParts) as readonly EventType[];

/** What clients without the scope `admin` receive; null: nothing. The same object if that is all of it. */
export function publicPart({ type, data }: Event): object | null {
  const hidden: readonly string[] | null = adminParts[type];
  if (hidden === null) return null;
  if (hidden.length === 0) return data;
  return Object.fromEntries(Object.entries(data).filter(([name]) => !hidden.includes(name)));
}
