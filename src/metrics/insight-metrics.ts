import type { InsightState, ReadingFigures } from '../insight/insight-observer.ts';
import { type Instruments, OptionalGauge } from './instruments.ts';

/** Seconds. A reading takes some 20 ms, the first one of a full table up to 0.3 s. */
const readBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Series of sites; the rest is summed up. */
const mostSites = 1_000;
const others = '(others)';

export class InsightMetrics {
  readonly #denied;
  readonly #sites;
  readonly #notAttributed;
  readonly #duration;
  readonly #knocking;
  readonly #neverMatched;
  readonly #candidates;
  readonly #attack;
  readonly #used;
  readonly #lastRead;
  readonly #siteNames = new Set<string>();

  constructor(instruments: Instruments) {
    this.#denied = instruments.counter(
      'denied_requests_total',
      'Denied requests by the kind of source whose claim the entry carries that denied them.',
      ['source_kind'],
    );
    this.#sites = instruments.counter(
      'site_denied_requests_total',
      'Denied requests of a site, estimated from 1 in 16 of them.',
      ['site'],
    );
    this.#notAttributed = instruments.counter(
      'insight_not_attributed_total',
      'Denied requests that no entry explains: it was removed meanwhile, or the configuration denies for other reasons.',
    );
    this.#duration = instruments.histogram(
      'insight_read_duration_seconds',
      "Time of a reading of HAProxy's tables, attribution included.",
      readBuckets,
    );
    this.#knocking = new OptionalGauge(
      instruments,
      'knocking_addresses',
      'Addresses that were denied in the last ten minutes or less.',
    );
    this.#neverMatched = instruments.gauge(
      'never_matched_entries',
      'Entries that denied nothing in so many days. Absent until all of these days were watched.',
      ['days'],
    );
    this.#candidates = new OptionalGauge(instruments, 'candidates', 'Loud clients that are not blocked.');
    this.#attack = new OptionalGauge(instruments, 'attack_active', '1: denied requests are far above the usual.');
    this.#used = instruments.gauge('insight_table_used_ratio', 'How full a table of HAProxy is, from 0 to 1.', [
      'table',
    ]);
    this.#lastRead = new OptionalGauge(
      instruments,
      'insight_last_read_timestamp_seconds',
      "When HAProxy's tables were last read; absent before the first reading.",
    );
  }

  read({ byKind, sites, notAttributed, milliseconds }: ReadingFigures): void {
    this.#duration.observe(milliseconds / 1_000);
    this.#notAttributed.inc(notAttributed);
    for (const [source_kind, hits] of byKind) this.#denied.inc({ source_kind }, hits);
    for (const [name, hits] of sites) {
      const site = this.#siteNames.has(name) || this.#siteNames.size < mostSites ? name : others;
      this.#siteNames.add(site);
      this.#sites.inc({ site }, hits);
    }
  }

  /** @param state null: switched off, or not loaded */
  refresh(state: InsightState | null): void {
    this.#knocking.set(state?.knocking ?? null);
    this.#candidates.set(state?.candidates ?? null);
    this.#attack.set(state === null ? null : Number(state.attack));
    this.#lastRead.set(state?.lastReadAt ?? null);
    this.#neverMatched.reset();
    if (state !== null && state.neverMatched !== null)
      this.#neverMatched.set({ days: String(state.neverMatched.days) }, state.neverMatched.count);
    this.#used.reset();
    for (const [table, share] of state?.used ?? []) this.#used.set({ table }, share);
  }
}
