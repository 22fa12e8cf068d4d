import type { Metric } from './metrics-text.ts';

/** The metrics that the charts use. Counters are of the current worker: a reload resets them. */
export interface Sample {
  readonly at: number;
  /** Null: HAProxy could not be queried. */
  readonly requests: number | null;
  readonly denied: number | null;
  readonly sites: ReadonlyMap<string, number>;
  readonly blocked: number | null;
  /** End of the last reload of each result; seconds since 1970. */
  readonly reloads: readonly { readonly at: number; readonly result: string }[];
}

export function sampleOf(metrics: readonly Metric[], at: number): Sample {
  const of = (name: string) => metrics.filter((metric) => metric.name === `proxy_manager_${name}`);
  const up = of('proxy_stats_up')[0]?.value === 1;
  const sum = (name: string): number | null => (up ? of(name).reduce((total, { value }) => total + value, 0) : null);
  const sites = new Map<string, number>();
  for (const { labels, value } of of('backend_requests_total')) {
    const site = labels['site'] ?? '';
    if (site !== '') sites.set(site, (sites.get(site) ?? 0) + value);
  }
  return {
    at,
    requests: sum('frontend_requests_total'),
    denied: sum('frontend_denied_requests_total'),
    sites,
    blocked: of('entries').find(({ labels }) => labels['set'] === 'blocked')?.value ?? null,
    reloads: of('last_reload_timestamp_seconds').map(({ labels, value }) => ({
      at: value,
      result: labels['result'] ?? '',
    })),
  };
}
