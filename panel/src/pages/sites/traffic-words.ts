import type { SiteTraffic } from '../../api/types.ts';
import { count, percent, unknownFigure } from '../../parts/figures.ts';

interface TrafficFigure {
  readonly name: string;
  readonly value: string;
  /** What it says, on hover. */
  readonly about: string;
}

/** @param complete the last 24 hours were watched without a gap */
export function trafficFigures(
  { requests, denied, server_errors: errors, response_ms: ms }: Omit<SiteTraffic, 'site'>,
  complete: boolean,
): readonly TrafficFigure[] {
  const least = (value: number | null): string =>
    complete || value === null ? count(value) : `at least ${count(value)}`;
  const share =
    errors === null || errors === 0 || requests === null ? '' : ` (${percent(Math.min(1, errors / requests))})`;
  const part = complete ? '' : ' A part of the last 24 hours was not watched.';
  return [
    { name: 'Requests, 24 h', value: least(requests), about: `Requests that were not denied.${part}` },
    {
      name: 'Denied, 24 h',
      value: denied === null || denied === 0 ? least(denied) : `about ${count(denied)}`,
      about: `Estimated: HAProxy counts 1 in 16 denied requests of each site.${part}`,
    },
    {
      name: '5xx, 24 h',
      value: `${least(errors)}${share}`,
      about: `Requests that a server or HAProxy answered with 5xx.${part}`,
    },
    {
      name: 'Response time, 24 h',
      value: ms === null ? unknownFigure : `${count(ms)} ms`,
      about: 'From the request to the start of its response, on average.',
    },
  ];
}
