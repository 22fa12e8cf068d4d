// The last minutes as series for charts. Missing values are gaps, never zeros.
import type { Sample } from './sample.ts';

interface Point {
  /** Seconds since 1970. */
  readonly at: number;
  readonly requests: number | null;
  readonly denied: number | null;
  readonly sites: ReadonlyMap<string, number>;
  readonly blocked: number | null;
}

export interface Reload {
  readonly at: number;
  readonly result: string;
}

export interface History {
  readonly last: Sample | null;
  readonly points: readonly Point[];
  readonly reloads: readonly Reload[];
}

export const emptyHistory: History = { last: null, points: [], reloads: [] };

const keptSeconds = 900;
/** Seconds between two samples after which their difference is not a rate. */
const gapAfter = 15;

export function withSample(history: History, sample: Sample): History {
  const { last } = history;
  const seconds = last === null ? 0 : sample.at - last.at;
  const points = [...history.points];
  const followed = last !== null && seconds > 0 && seconds <= gapAfter;
  if (last !== null && !followed)
    points.push({ at: sample.at - 0.001, requests: null, denied: null, sites: new Map(), blocked: null });
  points.push({
    at: sample.at,
    requests: followed ? rate(last.requests, sample.requests, seconds) : null,
    denied: followed ? rate(last.denied, sample.denied, seconds) : null,
    sites: followed ? siteRates(last, sample, seconds) : new Map(),
    blocked: sample.blocked,
  });
  const since = sample.at - keptSeconds;
  const known = new Set(history.reloads.map(({ at }) => at));
  const reloads = [...history.reloads, ...sample.reloads.filter(({ at }) => !known.has(at))];
  return {
    last: sample,
    points: points.filter(({ at }) => at >= since),
    reloads: reloads.filter(({ at }) => at >= since),
  };
}

/** A counter that decreased was reset by a reload, so the rate is unknown. */
function rate(before: number | null, after: number | null, seconds: number): number | null {
  return before === null || after === null || after < before ? null : (after - before) / seconds;
}

function siteRates(last: Sample, sample: Sample, seconds: number): Map<string, number> {
  const rates = new Map<string, number>();
  for (const [site, after] of sample.sites) {
    const one = rate(last.sites.get(site) ?? null, after, seconds);
    if (one !== null) rates.set(site, one);
  }
  return rates;
}

export function busiestSites({ points }: History, most: number): string[] {
  const totals = new Map<string, number>();
  for (const { sites } of points) for (const [site, one] of sites) totals.set(site, (totals.get(site) ?? 0) + one);
  return [...totals]
    .sort((a, b) => b[1] - a[1])
    .slice(0, most)
    .map(([site]) => site);
}
