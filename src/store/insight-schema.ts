import type { Generated } from 'kysely';

/**
 * The tables of what the blocked set does. Unlike elsewhere, times are whole seconds since 1970: they are part of keys
 * of millions of rows. Addresses and entries are sort keys, in `knocking` short keys.
 */
export interface InsightSchema {
  entry_hits: EntryHitsTable;
  entry_hours: KeyHitsTable;
  entry_days: KeyHitsTable;
  knocking: KnockingTable;
  clients: ClientsTable;
  series: SeriesTable;
  series_labels: SeriesLabelsTable;
  site_hours: SiteHoursTable;
  insight_gaps: InsightGapsTable;
  attacks: AttacksTable;
  insight_state: InsightStateTable;
}

/** Entries that ever matched. A row of an entry that was removed is deleted later. */
export interface EntryHitsTable {
  sort_key: Buffer;
  total: number;
  first_hit: number;
  last_hit: number;
}

/** `entry_hours`: the loudest entries and addresses of an hour, `entry_days`: the loudest entries of a day. */
interface KeyHitsTable {
  /** Start of the hour or day, in UTC. */
  at: number;
  sort_key: Buffer;
  hits: number;
}

/** Denied addresses; the longest without a request go first. */
export interface KnockingTable {
  address: Buffer;
  /** That denied it last; null: not attributed. */
  entry: Buffer | null;
  total: number;
  first_hit: number;
  last_hit: number;
  /** `Counters.stored` of `insight/counters.ts`: the last values of HAProxy, up to which `total` counts. */
  counters: string;
  /** Its requests in the hour of `last_hit`. */
  hour_hits: number;
}

/** What the clients of a site got in an hour. */
export interface SiteHoursTable {
  /** Start of the hour, in UTC. */
  at: number;
  /** Its domain. */
  site: string;
  requests: number;
  server_errors: number;
  /** Sum over all requests. */
  response_ms: number;
  /** Estimated from a sample. */
  denied: number;
}

/** Loud clients that are not blocked. Figures are of the sample, 1 in 16. */
export interface ClientsTable {
  address: Buffer;
  requests: number;
  errors: number;
  first_seen: number;
  last_seen: number;
  /** No candidate until then; null: not ignored. */
  ignored_until: number | null;
}

interface SeriesTable {
  /** `numberOf` of `series-store.ts`. */
  metric: number;
  /** 0: the sum of all. */
  label: number;
  /** Seconds: 60, 600 or 7200. */
  step: number;
  at: number;
  value: number;
}

interface SeriesLabelsTable {
  id: Generated<number>;
  kind: 'site' | 'source';
  name: string;
}

interface InsightGapsTable {
  id: Generated<number>;
  from_at: number;
  to_at: number;
  cause: string;
}

export interface AttacksTable {
  id: Generated<number>;
  started_at: number;
  /** Null: it continues. */
  ended_at: number | null;
  /** Requests a minute. */
  peak: number;
  usual: number;
  denied: number;
  /** Networks and sites with most denied requests. */
  top_json: string;
}

/** By name; `insight/state.ts`. */
interface InsightStateTable {
  name: string;
  value_json: string;
}
