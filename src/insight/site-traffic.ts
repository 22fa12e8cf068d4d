// What the clients of each site got in the last 24 hours: requests, server errors and response times by HAProxy's own
// counters of the site's backend, denied requests by its sample.
import type { TimeSlice } from '../concurrency/slices.ts';
import { siteOfBackend } from '../domain/site-backend.ts';
import type { SiteHour } from '../store/site-hours-store.ts';
import type { CounterReading } from './counter-column.ts';
import { Counters } from './counters.ts';
import type { BackendCounters } from './readings.ts';

const hourSeconds = 3_600;
/** With the current one, as for the denied requests of an entry. */
const hours = 24;
/** Two of each backend: far more than HAProxy has. */
const mostCounters = 200_000;

/** One worker of a reading. */
export interface BackendsOfWorker {
  readonly reading: CounterReading;
  /** It takes new requests. */
  readonly current: boolean;
  readonly backends: ReadonlyMap<string, BackendCounters>;
}

export interface Traffic extends Readonly<Omit<SiteHour, 'at' | 'site'>> {
  /** HAProxy passes it requests, or did. */
  readonly served: boolean;
}
type Hour = { -readonly [Name in keyof SiteHour]: SiteHour[Name] };

export class SiteTraffic {
  /** Not stored: what HAProxy counts while the service is stopped belongs to no known time. */
  readonly #counters = new Counters(mostCounters);
  /** By site, the oldest first. */
  readonly #hours = new Map<string, Hour[]>();
  readonly #unstored = new Set<Hour>();
  /** Sites with a backend in the current worker. */
  #served: ReadonlySet<string> = new Set();
  /** In milliseconds; null: none yet. */
  #firstReading: number | null = null;
  /** Numbers of the workers that were read before. */
  readonly #known = new Set<number>();

  /** Of an earlier run of the service; the oldest first. */
  restore(hour: SiteHour): void {
    this.#hoursOf(hour.site).push({ ...hour });
  }

  /** All workers of a reading. @param at in seconds */
  count(workers: readonly BackendsOfWorker[], at: number): void {
    for (const { reading, current, backends } of workers) {
      this.#firstReading ??= reading.at.getTime();
      // What it counted before it was first read belongs to no known time, unless it was started since.
      const isKnown = this.#known.has(reading.number) || reading.startedAt.getTime() >= this.#firstReading;
      this.#known.add(reading.number);
      const served = new Set<string>();
      for (const [backend, counted] of backends) {
        const site = siteOfBackend(backend);
        if (site === null) continue;
        served.add(site);
        const requests = this.#counters.increaseOf(reading, backend, counted.requests);
        const errors = this.#counters.increaseOf(reading, `${backend} 5xx`, counted.serverErrors);
        if (!isKnown || (requests === 0 && errors === 0)) continue;
        const hour = this.#hourOf(site, at);
        hour.requests += requests;
        hour.server_errors += errors;
        hour.response_ms += requests * counted.responseMs;
      }
      if (current) this.#served = served;
    }
  }

  /** @param requests estimated  @param at in seconds */
  deny(site: string, requests: number, at: number): void {
    this.#hourOf(site, at).denied += requests;
  }

  /** Of the last 24 hours. @param at in seconds */
  of(site: string, at: number): Traffic {
    const sum = { requests: 0, server_errors: 0, response_ms: 0, denied: 0 };
    for (const hour of this.#hours.get(site) ?? []) {
      if (hour.at < firstHour(at)) continue;
      for (const name of ['requests', 'server_errors', 'response_ms', 'denied'] as const) sum[name] += hour[name];
    }
    return { ...sum, served: sum.requests > 0 || this.#served.has(site) };
  }

  /**
   * Writes what has changed since it was written. What changes meanwhile is written by the next call, and so is what
   * could not be written.
   * @param most rows at once
   */
  async store(most: number, write: (rows: readonly SiteHour[]) => Promise<void>): Promise<void> {
    const changed = [...this.#unstored];
    for (let first = 0; first < changed.length; first += most) {
      const hours = changed.slice(first, first + most);
      for (const hour of hours) this.#unstored.delete(hour);
      try {
        await write(hours.map((hour) => ({ ...hour })));
      } catch (error) {
        for (const hour of hours) this.#unstored.add(hour);
        throw error;
      }
    }
  }

  /** Sites without anything in the last 24 hours. @param at in seconds */
  forget(at: number): void {
    for (const [site, own] of this.#hours) if (own.every((hour) => hour.at < firstHour(at))) this.#hours.delete(site);
  }

  /** Forgets exited workers. As `Counters.keep`. */
  async keep(living: ReadonlySet<number>, slice: TimeSlice): Promise<void> {
    for (const number of this.#known) if (!living.has(number)) this.#known.delete(number);
    // No worker starts from the values of another.
    await this.#counters.keep(living, Number.POSITIVE_INFINITY, slice);
  }

  #hourOf(site: string, at: number): Hour {
    const own = this.#hoursOf(site);
    const start = at - (at % hourSeconds);
    let hour = own.find((one) => one.at === start);
    if (hour === undefined) {
      hour = { at: start, site, requests: 0, server_errors: 0, response_ms: 0, denied: 0 };
      own.push(hour);
      while (own[0]!.at < firstHour(at)) own.shift();
    }
    this.#unstored.add(hour);
    return hour;
  }

  #hoursOf(site: string): Hour[] {
    const known = this.#hours.get(site);
    if (known !== undefined) return known;
    const own: Hour[] = [];
    this.#hours.set(site, own);
    return own;
  }
}

/** Of the hours that count. @param at in seconds */
export function firstHour(at: number): number {
  return at - (at % hourSeconds) - (hours - 1) * hourSeconds;
}
