// Requests, server errors and response times of the sites, by HAProxy's own counters of their backends.
import type { TimeSlice } from '../concurrency/slices.ts';
import type { LabelKind } from '../store/series-store.ts';
import { type CounterReading, Counters } from './counters.ts';
import type { Points } from './points.ts';
import type { BackendCounters } from './readings.ts';

/** Two counters of each of 10,000 sites. */
const mostCounters = 20_000;
const errorsOf = (backend: string): string => `${backend} 5xx`;

/** As stored between runs of the service: by counter. */
export type StoredTraffic = Readonly<Record<string, string>>;

export interface SiteTrafficDeps {
  readonly points: Points;
  readonly label: (kind: LabelKind, name: string) => Promise<number>;
  /** Undefined: the backend is none of a site. */
  readonly siteOfBackend: () => Promise<(backend: string) => string | undefined>;
}

/** Of one worker. */
export interface BackendsOfWorker {
  readonly reading: CounterReading;
  readonly backends: ReadonlyMap<string, BackendCounters>;
  /** In seconds: the time in which it was counted. */
  readonly span: { readonly from: number; readonly to: number };
}

export class SiteTraffic {
  readonly #deps: SiteTrafficDeps;
  readonly #counters = new Counters({ most: mostCounters });
  /** What a worker counted before it was first read is of no known time. */
  #first: boolean;

  /** @param stored undefined: nothing was ever counted  @throws RangeError for stored counters that cannot be read */
  constructor(deps: SiteTrafficDeps, stored: StoredTraffic | undefined, firstWorker: number) {
    this.#deps = deps;
    this.#first = stored === undefined;
    for (const [key, counters] of Object.entries(stored ?? {})) this.#counters.restore(key, counters, firstWorker);
  }

  get stored(): StoredTraffic | undefined {
    if (this.#first) return undefined;
    return Object.fromEntries([...this.#counters.keys()].map((key) => [key, this.#counters.stored(key)!]));
  }

  /** @throws StoreError; nothing is counted then, and the next call makes up for it */
  async count(workers: readonly BackendsOfWorker[]): Promise<void> {
    const siteOf = await this.#deps.siteOfBackend();
    const labels = new Map<string, number>();
    for (const backend of new Set(workers.flatMap(({ backends }) => [...backends.keys()]))) {
      const site = siteOf(backend);
      if (site !== undefined) labels.set(backend, await this.#deps.label('site', site));
    }
    const { points } = this.#deps;
    for (const { reading, backends, span } of workers) {
      for (const [backend, label] of labels) {
        const counted = backends.get(backend);
        if (counted === undefined) continue;
        const requests = this.#counters.increaseOf(reading, backend, counted.requests);
        const errors =
          counted.serverErrors === 0 ? 0 : this.#counters.increaseOf(reading, errorsOf(backend), counted.serverErrors);
        if (this.#first) continue;
        if (errors > 0) points.spread('server_errors', label, span, errors);
        if (requests === 0) continue;
        points.spread('requests', label, span, requests);
        points.spread('response_ms', label, span, requests * counted.responseMs);
      }
    }
    this.#first = false;
  }

  /** As `Counters.keep`. */
  async keep(living: ReadonlySet<number>, first: number, slice: TimeSlice): Promise<void> {
    await this.#counters.keep(living, first, slice);
  }
}
