// HAProxy's own counters, by its names and by the site behind them.
import type { ProxyStat } from '../haproxy/process/proxy-stats.ts';
import type { Instruments } from './instruments.ts';

/**
 * Per kind, the first in alphabetical order, so that they stay the same from scrape to scrape; the rest is summed up.
 * Three lines of some 100 bytes each: a scrape stays below 1 MiB, however many sites.
 */
export const listedAtMost = 1_000;
/** Not a possible name of a site or a section. */
const unlisted = '(others)';

type Totals = Pick<ProxyStat, 'requests' | 'denied' | 'serverErrors' | 'sessions'>;

export class ProxyMetrics {
  readonly #up;
  readonly #frontendRequests;
  readonly #denied;
  readonly #frontendSessions;
  readonly #backendRequests;
  readonly #serverErrors;
  readonly #backendSessions;
  readonly #unlisted;

  constructor(instruments: Instruments) {
    const restarts = 'Counted by the current worker; a new worker starts at 0.';
    this.#up = instruments.gauge('proxy_stats_up', 'Whether the statistics of HAProxy could be read.');
    this.#frontendRequests = instruments.counter('frontend_requests_total', `HTTP requests. ${restarts}`, ['frontend']);
    this.#denied = instruments.counter(
      'frontend_denied_requests_total',
      `HTTP requests that a rule denied, including those of blocked addresses. ${restarts}`,
      ['frontend'],
    );
    this.#frontendSessions = instruments.gauge('frontend_sessions', 'Open sessions.', ['frontend']);
    this.#backendRequests = instruments.counter('backend_requests_total', `HTTP requests. ${restarts}`, [
      'backend',
      'site',
    ]);
    this.#serverErrors = instruments.counter(
      'backend_responses_5xx_total',
      `Responses with a status of 500 to 599. ${restarts}`,
      ['backend', 'site'],
    );
    this.#backendSessions = instruments.gauge('backend_sessions', 'Open sessions.', ['backend', 'site']);
    this.#unlisted = instruments.gauge(
      'proxy_unlisted',
      `Frontends and backends beyond the first ${listedAtMost}; their numbers are added up in one series named ${unlisted}.`,
      ['kind'],
    );
  }

  /**
   * @param stats null: unreadable; nothing is shown
   * @param siteOf the site of a backend; an empty text if none
   */
  refresh(stats: readonly ProxyStat[] | null, siteOf: (backend: string) => string): void {
    this.#up.set(stats === null ? 0 : 1);
    for (const metric of [
      this.#frontendRequests,
      this.#denied,
      this.#frontendSessions,
      this.#backendRequests,
      this.#serverErrors,
      this.#backendSessions,
      this.#unlisted,
    ])
      metric.reset();
    if (stats === null) return;
    this.#each(stats, 'frontend', (frontend, totals) => {
      this.#frontendRequests.inc({ frontend }, totals.requests);
      this.#denied.inc({ frontend }, totals.denied);
      this.#frontendSessions.set({ frontend }, totals.sessions);
    });
    this.#each(stats, 'backend', (backend, totals) => {
      const labels = { backend, site: backend === unlisted ? '' : siteOf(backend) };
      this.#backendRequests.inc(labels, totals.requests);
      this.#serverErrors.inc(labels, totals.serverErrors);
      this.#backendSessions.set(labels, totals.sessions);
    });
  }

  #each(stats: readonly ProxyStat[], kind: ProxyStat['kind'], show: (name: string, totals: Totals) => void): void {
    const own = stats.filter((stat) => stat.kind === kind);
    own.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const stat of own.slice(0, listedAtMost)) show(stat.name, stat);
    const rest = own.slice(listedAtMost);
    this.#unlisted.set({ kind }, rest.length);
    if (rest.length > 0) show(unlisted, sum(rest));
  }
}

function sum(stats: readonly ProxyStat[]): Totals {
  const total = { requests: 0, denied: 0, serverErrors: 0, sessions: 0 };
  for (const { requests, denied, serverErrors, sessions } of stats) {
    total.requests += requests;
    total.denied += denied;
    total.serverErrors += serverErrors;
    total.sessions += sessions;
  }
  return total;
}
