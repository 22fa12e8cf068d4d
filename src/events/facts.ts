// What happens in the service, as its parts tell it and others hear of it: the event stream, the webhooks. A part that
// tells knows no listener, is never held up by one and never fails because of one.

/** What is told, by type. Plain data, in the names that clients see. Times are ISO 8601 in UTC. */
export interface Activities {
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
  /** More at once than are told one by one. */
  'entries.changed': {
    readonly operation: 'batch' | 'replace' | 'expire';
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
  /** A running map is not what the database says. */
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
  'reload.started': { readonly id: string; readonly reasons: readonly string[] };
  'reload.completed': {
    readonly id: string;
    readonly changed: boolean;
    readonly worker_before: number | null;
    readonly worker_after: number | null;
    readonly duration_ms: number;
  };
  'reload.failed': { readonly id: string; readonly status: string; readonly error: string | null };
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
  'key.created': {
    readonly name: string;
    readonly scopes: readonly string[];
    readonly expires_at: string | null;
    readonly by: string;
  };
  'key.revoked': { readonly name: string; readonly by: string };
  'webhook.set': { readonly id: string; readonly enabled: boolean; readonly by: string };
  'webhook.removed': { readonly id: string; readonly by: string };
  'health.changed': {
    readonly status: string;
    /** Null: it was not looked at before. */
    readonly was: string | null;
    readonly reasons: readonly string[];
  };
  'worker.appeared': { readonly pid: number; readonly role: string };
  'worker.gone': { readonly pid: number };
  'service.started': { readonly version: string; readonly proxy: string };
  'service.stopping': Readonly<Record<string, never>>;
}

export type ActivityType = keyof Activities;

/** Tells what happened. Never throws, returns at once. */
export type Tell = <Type extends ActivityType>(type: Type, data: Activities[Type]) => void;

/** For parts that are used without a service, and for tests. */
export const tellNobody: Tell = () => undefined;
