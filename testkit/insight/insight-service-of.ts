// The figures as the API has them, of an `InsightKit`.
import { InsightService } from '../../src/insight/insight-service.ts';
import { ClaimSearch } from '../../src/store/claim-search.ts';
import { EntryLookup } from '../../src/store/entry-lookup.ts';
import { HitsStore } from '../../src/store/hits-store.ts';
import { InsightStore } from '../../src/store/insight-store.ts';
import { MatchCounts } from '../../src/store/match-counts.ts';
import type { Database } from '../../src/store/open-database.ts';
import { SeriesStore } from '../../src/store/series-store.ts';
import type { InsightKit } from './insight-kit.ts';

export function insightServiceOf(kit: InsightKit, database: Database, sites: readonly string[] = []): InsightService {
  return new InsightService({
    insight: kit.insight,
    series: new SeriesStore(database),
    records: new InsightStore(database),
    lookup: new EntryLookup(database),
    counts: new MatchCounts(database),
    hits: new HitsStore(database),
    sources: async () => [{ id: 1, name: 'manual', kind: 'manual', claims: 3, alone: 3 }],
    sites: async () => sites,
    sourceNames: async () => new Map([[1, 'manual']]),
    reloadsSince: async () => [],
    entries: () => 3,
    emit: () => undefined,
    now: () => kit.now,
  });
}

/** Entries that were blocked for so long and denied nothing in it, at most 1,000. Errors: 7012. */
export async function notHitIn(kit: InsightKit, database: Database, seconds: number): Promise<string[]> {
  const notHit = await insightServiceOf(kit, database).notHit(seconds);
  const search = new ClaimSearch(database.read);
  const { found } = await search.slice({ notHit }, kit.now.toISOString(), Buffer.alloc(0), 1_000);
  return found.map(({ ip_address }) => ip_address);
}
