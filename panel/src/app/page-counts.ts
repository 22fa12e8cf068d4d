import { counted } from '../../../src/domain/counted.ts';
import type { PanelPage } from '../../../src/http/panel-pages.ts';
import { useHealth } from '../api/health.ts';
import { useCandidates } from '../api/insight.ts';
import { useNotices } from '../api/notices.ts';
import { useSites } from '../api/sites.ts';
import { useSources } from '../api/sources.ts';
import type { Candidates, Health, Notice } from '../api/types.ts';
import { shortCount } from '../parts/figures.ts';
import { isAboutCertificate, unprotectedFrontEnds } from './enforcement.ts';

export interface PageCount {
  readonly text: string;
  /** What it counts. */
  readonly about: string;
  readonly attention: boolean;
}

/** What is known; undefined: not known. */
interface Known {
  readonly health: Health | undefined;
  readonly candidates: number | undefined;
  readonly sources: number | undefined;
  readonly sites: number | undefined;
  readonly notices: readonly Pick<Notice, 'type' | 'page' | 'ended_at'>[] | undefined;
}

/** From requests that the frame or the pages send anyway. */
export function usePageCounts(): ReadonlyMap<PanelPage, PageCount> {
  const health = useHealth();
  const candidates = useCandidates();
  const sources = useSources();
  const notices = useNotices();
  // Next to a HAProxy of its operator, there are no sites.
  const sites = useSites({ enabled: health.data?.attached === null });
  return pageCounts({
    health: health.data,
    candidates: countedClients(current(candidates)),
    sources: current(sources)?.items.length,
    sites: current(sites)?.items.length,
    notices: current(notices)?.items,
  });
}

/** Undefined too where HAProxy counts no clients. */
function countedClients(candidates: Pick<Candidates, 'items' | 'sampled'> | undefined): number | undefined {
  return candidates?.sampled === null ? undefined : candidates?.items.length;
}

/** After a failed request, what was known before may be wrong now. */
function current<Data>({ data, error }: { readonly data: Data | undefined; readonly error: unknown }) {
  return error === null ? data : undefined;
}

export function pageCounts({ health, candidates, sources, sites, notices = [] }: Known): Map<PanelPage, PageCount> {
  const open = notices.filter(({ ended_at: end }) => end === null);
  const openAt = (page: PanelPage) => open.filter((notice) => notice.page === page).length;
  const down = open.filter(({ type }) => type === 'site.down').length;
  // Of a certificate that health has a reason for, there may be a notice as well.
  const certificates = Math.max(health?.reasons.filter(isAboutCertificate).length ?? 0, openAt('/certificates'));
  const frontEnds = health === undefined ? 0 : unprotectedFrontEnds(health).length;
  const { runtime_map: blocked, trusted_map: trusted } = health ?? {};
  return new Map<PanelPage, PageCount>([
    ...some('/candidates', candidates, (count) => counted(count, 'candidate'), candidates !== 0),
    ...some('/blocked', blocked?.expected, (count) => counted(count, 'entry', 'entries')),
    ...some('/trusted', trusted?.entries, (count) => counted(count, 'entry', 'entries')),
    ...some('/sources', sources, (count) => counted(count, 'source')),
    ...(down === 0
      ? some('/sites', sites, (count) => counted(count, 'site'))
      : [['/sites', { text: `${down} down`, about: `${counted(down, 'site')} down`, attention: true }] as const]),
    ...problems('/certificates', certificates, counted(certificates, 'problem')),
    ...problems('/webhooks', openAt('/webhooks'), counted(openAt('/webhooks'), 'problem')),
    ...problems('/keys', openAt('/keys'), counted(openAt('/keys'), 'problem')),
    ...problems('/configuration', frontEnds, `${counted(frontEnds, 'front end')} without a rule`),
  ]);
}

/** None of a count that is not known: it is not 0. */
function some(
  page: PanelPage,
  count: number | undefined,
  aboutOf: (count: number) => string,
  attention = false,
): (readonly [PanelPage, PageCount])[] {
  if (count === undefined) return [];
  // There is room for four characters.
  const text = shortCount(count < 10_000 ? count : Math.round(count / 1_000) * 1_000);
  return [[page, { text, about: aboutOf(count), attention }]];
}

function problems(page: PanelPage, count: number, about: string): (readonly [PanelPage, PageCount])[] {
  return count === 0 ? [] : [[page, { text: String(count), about, attention: true }]];
}
