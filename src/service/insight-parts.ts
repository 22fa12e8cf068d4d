// What the blocked set does: its readings, its figures, and what they need of other parts.
import type { InsightMode } from '../domain/insight-mode.ts';
import type { Emit } from '../events/facts.ts';
import { clientsTable, deniedTable } from '../haproxy/process/counting-tables.ts';
import { CountingWatch } from '../insight/counting-watch.ts';
import { CandidateExemptions } from '../insight/exemptions.ts';
import { Insight } from '../insight/insight.ts';
import type { InsightObserver } from '../insight/insight-observer.ts';
import { type InsightFigures, insightOff } from '../insight/insight-off.ts';
import { InsightService } from '../insight/insight-service.ts';
import { TableReader } from '../insight/reader.ts';
import { EntryLookup } from '../store/entry-lookup.ts';
import { HitsStore } from '../store/hits-store.ts';
import { InsightStore } from '../store/insight-store.ts';
import { MatchCounts } from '../store/match-counts.ts';
import type { Database } from '../store/open-database.ts';
import { ReloadsStore } from '../store/reloads-store.ts';
import { SeriesStore } from '../store/series-store.ts';
import { SiteHoursStore } from '../store/site-hours-store.ts';
import type { SitesStore } from '../store/sites-store.ts';
import { SourcesStore } from '../store/sources-store.ts';
import { TrustedIpsStore } from '../store/trusted-ips-store.ts';
import { UpstreamsStore } from '../store/upstreams-store.ts';
import { causeText, type Log } from '../telemetry/log.ts';
import type { BlockingParts } from './blocking-parts.ts';
import { enabledSites, type WorkerSockets } from './metric-sources.ts';

/** Reloads that a chart shows. */
const mostReloads = 200;

interface InsightPartsOptions {
  readonly mode: InsightMode;
  readonly sockets: WorkerSockets;
  readonly database: Database;
  readonly blocking: Pick<BlockingParts, 'turns' | 'registry'>;
  readonly sites: SitesStore;
  readonly observer: InsightObserver;
  readonly emit: Emit;
  readonly log: Log;
  readonly now: () => Date;
}

export interface InsightParts {
  /** Null: switched off. */
  readonly insight: Insight | null;
  readonly figures: InsightFigures;
  begin(): Promise<void>;
}

export function wireInsight({
  mode,
  sockets,
  database,
  blocking,
  sites,
  observer,
  emit,
  log,
  now,
}: InsightPartsOptions): InsightParts {
  const series = new SeriesStore(database);
  if (mode === 'off') {
    return { insight: null, figures: insightOff, begin: () => endNotices({ series, emit, log }) };
  }
  const workers = () => blocking.registry.all().map(({ pid }) => pid);
  const source = new TableReader({ ...sockets, workers, mode, now });
  const [records, lookup] = [new InsightStore(database), new EntryLookup(database)];
  const sourcesStore = new SourcesStore(database);
  const trusted = new TrustedIpsStore(database);
  const upstreams = new UpstreamsStore(database);
  const reloads = new ReloadsStore(database);
  const entries = () => database.blockedCount.value;
  const names = async () => {
    const [all, domains] = await Promise.all([sourcesStore.list(), siteNames(sites)]);
    const bySource = new Map(all.map((one) => [one.id, one]));
    return {
      siteOf: (name: string) => domains.get(name) ?? name,
      sourceOf: (source: number) => bySource.get(source)?.name ?? null,
      kindOf: (source: number) => bySource.get(source)?.kind ?? null,
    };
  };
  const exemptions = new CandidateExemptions({
    blocked: async (address) => (await lookup.around([address])).size > 0,
    trusted: async (entry) =>
      (await trusted.get(entry.text)) !== null ||
      (await trusted.coveringOf(entry)).length > 0 ||
      (await trusted.insideOf(entry, 1)).length > 0,
    upstreams: async () => (await upstreams.all()).flatMap(({ networks }) => networks),
  });
  const hits = new HitsStore(database);
  const insight = new Insight({
    tables: mode === 'on' ? [deniedTable.name, clientsTable.name] : [deniedTable.name],
    ...{ source, observer, series, records, lookup, names, exemptions, entries, emit, log, now },
    hits,
    siteHours: new SiteHoursStore(database),
    turns: blocking.turns,
    sources: async () =>
      (await sourcesStore.list()).map(({ created_at, ...one }) => ({
        ...one,
        createdAt: Math.floor(Date.parse(created_at) / 1_000),
      })),
  });
  const figures = new InsightService({
    ...{ insight, series, records, lookup, entries, emit, now },
    ...{ hits, counts: new MatchCounts(database) },
    sources: () => sourcesStore.list(),
    sourceNames: () => sourceNames(sourcesStore),
    sites: () => sites.domains(),
    reloadsSince: async (from) => {
      const { items } = await reloads.list({ limit: mostReloads });
      return items
        .filter(({ status, started_at }) => status === 'completed' && started_at >= from)
        .map(({ started_at, reasons }) => ({ at: started_at, text: `HAProxy reloaded: ${reasons.join('; ')}` }));
    },
  });
  return { insight, figures, begin: async () => insight.start() };
}

/** What was reported of the configuration while requests were counted. */
async function endNotices({ series, emit, log }: { series: SeriesStore; emit: Emit; log: Log }): Promise<void> {
  try {
    await (await CountingWatch.load({ series, emit })).end();
  } catch (error) {
    log.warn('Could not end the notice of what is not counted', { cause: causeText(error) });
  }
}

async function sourceNames(store: SourcesStore): Promise<ReadonlyMap<number, string>> {
  return new Map((await store.list()).map(({ id, name }) => [id, name]));
}

/** Domain by each name of a site. */
async function siteNames(sites: SitesStore): Promise<ReadonlyMap<string, string>> {
  return new Map((await enabledSites(sites)).flatMap(({ domain, names }) => names.map((name) => [name, domain])));
}
