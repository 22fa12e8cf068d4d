import type { SeriesBy, SeriesMetric } from '../../api/insight.ts';

export interface ChartView {
  readonly name: string;
  readonly label: string;
  readonly title: string;
  readonly metric: SeriesMetric;
  /** `verdict`: denied requests, and all others. */
  readonly by: SeriesBy | 'verdict';
  readonly unit: string;
  /** False: a level, not a sum of a step. */
  readonly perMinute: boolean;
  readonly fromZero: boolean;
}

const denied = { metric: 'denied', perMinute: true, fromZero: true, unit: 'denied requests/min' } as const;

const requests: ChartView = {
  ...{ name: 'requests', label: 'All requests', title: 'All requests per minute', by: 'verdict' },
  ...{ metric: 'requests', perMinute: true, fromZero: true, unit: 'requests/min' },
};
const deniedInAll: ChartView = {
  ...denied,
  name: 'denied',
  label: 'Denied',
  title: 'Denied requests per minute',
  by: 'none',
};

/** Of all clients, blocked or not. */
export const trafficViews: readonly ChartView[] = [requests, deniedInAll];

/** Of denied requests. */
export const deniedViews: readonly ChartView[] = [
  { ...denied, name: 'sites', label: 'Denied by site', title: 'Denied requests per minute, by site', by: 'site' },
  deniedInAll,
  {
    ...denied,
    name: 'sources',
    label: 'Denied by source',
    title: 'Denied requests per minute, by source',
    by: 'source',
  },
];

export const allViews: readonly ChartView[] = [
  ...deniedViews,
  requests,
  {
    ...{ name: 'entries', label: 'Blocked entries', title: 'Blocked entries', by: 'none' },
    ...{ metric: 'entries', perMinute: false, fromZero: false, unit: 'entries' },
  },
];

/** The first one for a name that there is not. */
export function viewNamed(views: readonly ChartView[], name: string): ChartView {
  const view = views.find((one) => one.name === name) ?? views[0];
  if (view === undefined) throw new Error('there are no charts');
  return view;
}
