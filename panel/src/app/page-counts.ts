import type { PanelPage } from '../../../src/http/panel-pages.ts';
import { useHealth } from '../api/health.ts';
import type { Health } from '../api/types.ts';
import { counted } from '../parts/counted.ts';
import { shortCount } from '../parts/figures.ts';
import { isAboutCertificate, unprotectedFrontEnds } from './enforcement.ts';

export interface PageCount {
  readonly text: string;
  /** What it counts. */
  readonly about: string;
  readonly attention: boolean;
}

/** Only what is known from requests that the frame sends anyway. */
export function usePageCounts(): ReadonlyMap<PanelPage, PageCount> {
  return pageCounts(useHealth().data);
}

export function pageCounts(health: Health | undefined): Map<PanelPage, PageCount> {
  const counts = new Map<PanelPage, PageCount>();
  if (health === undefined) return counts;
  const { expected } = health.runtime_map;
  counts.set('/blocked', {
    // There is room for four characters.
    text: shortCount(expected < 10_000 ? expected : Math.round(expected / 1_000) * 1_000),
    about: counted(expected, 'entry', 'entries'),
    attention: false,
  });
  const certificates = health.reasons.filter(isAboutCertificate).length;
  const frontEnds = unprotectedFrontEnds(health).length;
  if (certificates > 0) {
    const about = counted(certificates, 'problem');
    counts.set('/certificates', { text: about, about, attention: true });
  }
  if (frontEnds > 0) {
    const about = `${counted(frontEnds, 'front end')} without a rule`;
    counts.set('/configuration', { text: String(frontEnds), about, attention: true });
  }
  return counts;
}
