// Keeps the charts over a reload of the page. Written when the page goes, read and removed by the next page of this tab.
import { busiestSites, emptyHistory, type History } from './history.ts';

const NAME = 'proxy-manager-traffic';
/** The charts show fewer; a machine may have thousands, and session storage holds 5 MB. */
const maxSites = 20;

type Kept = Pick<History, 'reloads'> & {
  readonly last: { readonly at: number; readonly requests: number | null; readonly denied: number | null } | null;
  readonly points: readonly (Omit<History['points'][number], 'sites'> & {
    readonly sites: readonly (readonly [string, number])[];
  })[];
};

export function keepHistory(storage: Storage, history: History): void {
  const kept = new Set(busiestSites(history, maxSites));
  const { last, points, reloads } = history;
  const text: Kept = {
    reloads,
    last: last === null ? null : { at: last.at, requests: last.requests, denied: last.denied },
    points: points.map((point) => ({ ...point, sites: [...point.sites].filter(([site]) => kept.has(site)) })),
  };
  try {
    storage.setItem(NAME, JSON.stringify(text));
  } catch {
    // Full or switched off: the charts start empty.
    storage.removeItem(NAME);
  }
}

export function takeHistory(storage: Storage): History {
  const text = storage.getItem(NAME);
  if (text === null) return emptyHistory;
  storage.removeItem(NAME);
  try {
    const { last, points, reloads } = JSON.parse(text) as Kept;
    return {
      // The sites' counters are not kept: their first rate needs two samples.
      last: last === null ? null : { ...last, sites: new Map(), blocked: null, reloads: [] },
      points: points.map((point) => ({ ...point, sites: new Map(point.sites) })),
      reloads,
    };
  } catch {
    // Of another version of the panel.
    return emptyHistory;
  }
}

export function forgetHistory(storage: Storage): void {
  storage.removeItem(NAME);
}
