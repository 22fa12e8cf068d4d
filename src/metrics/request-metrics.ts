// How long the API takes, by route and class of status.
import type { RequestObserver } from '../http/services.ts';
import type { Instruments } from './instruments.ts';

/** Seconds. A verified block takes 2.4 ms; two seconds are what it may take; a sync of millions takes more. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30];
const classes = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;

type Series = { observe(seconds: number): void };

export class RequestMetrics implements RequestObserver {
  readonly #durations;
  /** Looked up once each: every block is a request. */
  readonly #series = new Map<string, Series>();

  constructor(instruments: Instruments) {
    this.#durations = instruments.histogram(
      'http_request_duration_seconds',
      'Time from the headers of a request to the end of its answer.',
      BUCKETS,
      ['method', 'route', 'status'],
    );
  }

  answered(method: string, route: string | null, status: number, milliseconds: number): void {
    const index = Math.min(Math.max(Math.trunc(status / 100), 1), classes.length) - 1;
    // What somebody asks for that is not there may be anything; it is one series.
    const series = route === null ? this.#seriesOf('', 'none', index) : this.#seriesOf(method, route, index);
    series.observe(milliseconds / 1_000);
  }

  #seriesOf(method: string, route: string, index: number): Series {
    const status = classes[index]!;
    const key = `${method} ${route} ${status}`;
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    const series = this.#durations.labels({ method, route, status });
    this.#series.set(key, series);
    return series;
  }
}
