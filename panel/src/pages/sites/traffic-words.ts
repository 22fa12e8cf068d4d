import type { PanelPage } from '../../../../src/http/panel-pages.ts';
import type { SiteTraffic } from '../../api/types.ts';
import { count, percent, unknownFigure } from '../../parts/figures.ts';

interface TrafficFigure {
  readonly name: string;
  readonly value: string;
  /** What it says, or why it is not known; on hover. */
  readonly about: string;
  /** Where more about it is. */
  readonly to?: PanelPage;
}

/**
 * HAProxy has no figures but the denied requests of a site that is redirected or disabled: they are left out.
 * @param complete all of the last 24 hours was watched
 */
export function trafficFigures(
  { requests, denied, server_errors: errors, response_ms: ms }: Omit<SiteTraffic, 'site'>,
  complete: boolean,
): readonly TrafficFigure[] {
  const part = complete ? '' : ' A part of the last 24 hours was not watched.';
  const least = (value: number): string =>
    complete ? count(value) : value === 0 ? 'none seen' : `at least ${count(value)}`;
  const deniedFigure: TrafficFigure = {
    name: 'Denied, 24 h',
    to: '/denied',
    value: denied === null ? unknownFigure : denied === 0 ? 'none seen' : `about ${count(denied)}`,
    about:
      denied === null
        ? 'Not known: HAProxy was not read yet, or its configuration does not count denied requests by site.'
        : `Estimated: HAProxy counts 1 in 16 denied requests of each site.${part}`,
  };
  if (requests === null) return [deniedFigure];
  const share =
    errors === null || errors === 0 || requests === 0 ? '' : ` (${percent(Math.min(1, errors / requests))})`;
  return [
    {
      name: 'Requests, 24 h',
      value: least(requests),
      about: `Requests for its servers. Redirects are not counted.${part}`,
    },
    deniedFigure,
    {
      name: '5xx, 24 h',
      value: errors === null ? unknownFigure : `${least(errors)}${share}`,
      about: `Requests that a server or HAProxy answered with 5xx.${part}`,
    },
    {
      name: 'Response time, 24 h',
      value: ms === null ? unknownFigure : `${count(ms)} ms`,
      about: ms === null ? 'There were no requests.' : 'From a request to the start of its response, on average.',
    },
  ];
}
