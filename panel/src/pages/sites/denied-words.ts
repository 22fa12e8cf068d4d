import type { InsightSeries } from '../../api/types.ts';
import { count } from '../../parts/figures.ts';

/** How many requests to a site were denied; null: not known. @param series of 24 hours, by site; undefined: there is none */
export function deniedWords(
  series: Pick<InsightSeries, 'labels' | 'values' | 'complete'> | undefined,
  domain: string,
): string | null {
  if (series === undefined) return null;
  const at = series.labels.indexOf(domain);
  const known = (series.values[at] ?? []).filter((value) => value !== null);
  if (at >= 0 && known.length > 0) {
    const words = `About ${count(known.reduce((all, value) => all + value, 0))} denied requests in 24 h`;
    return series.complete ? words : `${words}, part of which was not watched`;
  }
  return series.complete ? 'No denied requests seen in 24 h' : null;
}
