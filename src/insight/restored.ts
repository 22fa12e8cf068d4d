// The figures as the last run of the service stored them.
import { entryOfShortKey, entryOfSortKey, isAddress } from '../domain/ip.ts';
import type { HitsStore } from '../store/hits-store.ts';
import type { InsightStore } from '../store/insight-store.ts';
import { keyOfText } from '../store/key-text.ts';
import type { SeriesStore } from '../store/series-store.ts';
import type { SiteHoursStore } from '../store/site-hours-store.ts';
import { causeText, type Log } from '../telemetry/log.ts';
import { ActiveAddresses } from './active-addresses.ts';
import { Attribution, type EntrySource } from './attribution.ts';
import { Collector, type Names, type StoredCollector } from './collector.ts';
import { readCounters } from './counter-column.ts';
import { noRow } from './key-rows.ts';
import { Knocking } from './knocking.ts';
import { LoudClients } from './loud-clients.ts';
import { Points } from './points.ts';
import { firstHour } from './site-traffic.ts';
import type { StoredWorkers } from './workers.ts';

const hourSeconds = 3_600;

interface RestoredDeps {
  readonly hits: HitsStore;
  readonly series: SeriesStore;
  readonly siteHours: SiteHoursStore;
  readonly records: InsightStore;
  readonly lookup: EntrySource;
  readonly names: () => Promise<Names>;
  readonly entries: () => number;
  /** Default: of `knocking.ts`. */
  readonly mostAddresses?: number;
  readonly log: Pick<Log, 'warn'>;
  readonly now: () => Date;
}

/** @throws StoreError; RangeError if a state cannot be read */
export async function restored(deps: RestoredDeps) {
  const at = Math.floor(deps.now().getTime() / 1_000);
  const knocking = new Knocking(deps.mostAddresses);
  const clients = new LoudClients();
  const points = new Points();
  const active = new ActiveAddresses();
  const collector = new Collector(
    {
      ...{ knocking, clients, points, active, names: deps.names, entries: deps.entries },
      attribution: new Attribution(deps.lookup),
      label: (kind, name) => deps.series.label(kind, name),
    },
    (await deps.series.state('workers')) as StoredWorkers | undefined,
    ((await deps.series.state('collector')) ?? null) as StoredCollector | null,
  );
  knocking.hours.advance(Math.floor(at / hourSeconds));
  const damaged: { key: string; cause: string }[] = [];
  for await (const slice of deps.hits.knocking()) {
    for (const row of slice) {
      try {
        const address = entryOfShortKey(row.address);
        if (!isAddress(address)) throw new RangeError(`${address.text} is a network`);
        const entry = row.entry === null ? null : entryOfShortKey(row.entry).text;
        const counters = readCounters(address.text, row.counters, collector.workers.first);
        const { total, first_hit: firstHit, last_hit: lastHit } = row;
        const known = knocking.restore({ address: address.words, entry, total, firstHit, lastHit });
        knocking.counters.set(known, counters);
        knocking.restoreHour(known, Math.floor(lastHit / hourSeconds), row.hour_hits);
        active.restore(at, lastHit);
      } catch (error) {
        // Its address is counted from the beginning.
        damaged.push({ key: row.address.toString('hex'), cause: causeText(error) });
      }
    }
  }
  if (damaged.length > 0)
    deps.log.warn('Skipped stored figures of denied addresses', { rows: damaged.length, ...damaged[0] });
  for (const hour of await deps.siteHours.since(firstHour(at))) collector.traffic.restore(hour);
  for await (const slice of deps.hits.hours(at - 24 * hourSeconds)) {
    for (const { at: hour, key, hits } of slice) {
      const entry = entryOfSortKey(keyOfText(key));
      const known = isAddress(entry) ? knocking.find(entry.words) : noRow;
      if (known !== noRow) knocking.restoreHour(known, hour / hourSeconds, hits);
    }
  }
  for (const { address, requests, errors, first_seen, last_seen, ignored_until } of await deps.records.clients()) {
    clients.restore({
      ...{ address: textOf(address), requests, errors },
      ...{ firstSeen: first_seen, lastSeen: last_seen, ignoredUntil: ignored_until },
    });
  }
  return { collector, knocking, clients, points, active };
}

function textOf(sortKey: Buffer): string {
  return entryOfSortKey(sortKey).text;
}
