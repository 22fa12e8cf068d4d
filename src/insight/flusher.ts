// Stores what has changed, in slices with lower priority than blocks: each minute, and at a reload.
import { partsOf, sortedInSlices, TimeSlice } from '../concurrency/slices.ts';
import type { TurnQueue } from '../concurrency/turn-queue.ts';
import { shortKeyOfWords, sortKeyOfWords } from '../domain/ip.ts';
import { type EntryIncrease, type HitsStore, hitsAtOnce, type KeyHits, loudest } from '../store/hits-store.ts';
import type { KnockingTable } from '../store/insight-schema.ts';
import { type Point, pointsAtOnce, type SeriesStore } from '../store/series-store.ts';
import { type SiteHoursStore, siteHoursAtOnce } from '../store/site-hours-store.ts';
import { keyOf, shortKeyOf } from './canonical.ts';
import type { Collector } from './collector.ts';
import { storedCounters } from './counter-column.ts';
import { addTo, type Knocking, type Unstored } from './knocking.ts';
import type { Points } from './points.ts';
import { firstHour } from './site-traffic.ts';

const hourSeconds = 3_600;
const daySeconds = 86_400;
/** Each has a row of its own and one of its entry. */
const addressesAtOnce = hitsAtOnce / 2;

interface FlusherDeps {
  readonly collector: Collector;
  readonly knocking: Knocking;
  readonly points: Points;
  readonly hits: HitsStore;
  readonly series: SeriesStore;
  readonly siteHours: SiteHoursStore;
  readonly turns: Pick<TurnQueue, 'take'>;
  /** Small states that are stored with the points. */
  readonly states: () => Readonly<Record<string, unknown>>;
  /** What could not be stored was dropped. Times in seconds. */
  readonly dropped: (time: { readonly from: number; readonly to: number }) => void;
}

export class Flusher {
  readonly #deps: FlusherDeps;
  #storedWorkers = '';
  /** Number of the hour since 1970 up to which hours are stored; null: none in this run. */
  #hour: number | null = null;

  constructor(deps: FlusherDeps) {
    this.#deps = deps;
  }

  /** Nothing is lost by a failure: it is stored next time. @param at in seconds @throws StoreError */
  async flush(at: number): Promise<void> {
    const { collector, knocking, series, siteHours } = this.#deps;
    const lostSince = knocking.takeLost();
    if (lostSince !== null) this.#deps.dropped({ from: lostSince, to: at });
    // First, so that stored counters never name a worker that is unknown after a crash.
    const workers = JSON.stringify(collector.workers.stored);
    if (workers !== this.#storedWorkers) {
      await this.#turn(() => series.write({ points: [], states: { workers: collector.workers.stored } }));
      this.#storedWorkers = workers;
    }
    await this.#writeHits();
    await this.#writePoints(at);
    await collector.traffic.store(siteHoursAtOnce, (rows) => this.#turn(() => siteHours.put(rows)));
    collector.traffic.forget(at);
    await this.#storeHours(Math.floor(at / hourSeconds));
  }

  /** Also the hour that has only begun, for a stop. @throws StoreError */
  async flushHour(at: number): Promise<void> {
    await this.#storeHour(Math.floor(at / hourSeconds));
  }

  /** Deletes what is older than it is kept, in slices. @param at in seconds @throws StoreError */
  async prune(at: number): Promise<void> {
    const { hits, series, siteHours } = this.#deps;
    while (await this.#turn(() => series.prune(at)));
    while (await this.#turn(() => hits.prune(at)));
    while (await this.#turn(() => siteHours.prune(firstHour(at))));
    let after: Buffer | null = null;
    do after = await this.#turn<Buffer | null>(() => hits.pruneEntries(after));
    while (after !== null);
  }

  async #writeHits(): Promise<void> {
    const { knocking, hits } = this.#deps;
    const { rows, entries, gone } = knocking.waiting();
    const sorted = await sortedInSlices(rows, (a, b) => knocking.compare(a, b));
    for (const slice of partsOf(sorted, addressesAtOnce)) {
      const changed = slice.map((row) => this.#row(row));
      const sums = await this.#increases(slice);
      await this.#turn(() => hits.write({ knocking: changed, entries: sums, gone: [] }));
      knocking.noteStored({ rows: slice });
    }
    for (const slice of partsOf(await inTableOrder(entries, ([entry]) => keyOf(entry)), hitsAtOnce)) {
      await this.#turn(() => hits.write({ knocking: [], entries: slice.map(increaseOf), gone: [] }));
      knocking.noteStored({ entries: itemsOf(slice) });
    }
    for (const slice of partsOf(await inTableOrder(gone, shortKeyOf), hitsAtOnce)) {
      await this.#turn(() => hits.write({ knocking: [], entries: [], gone: slice.map(({ key }) => key) }));
      knocking.noteStored({ gone: itemsOf(slice) });
    }
  }

  /** The states with the first points: after a crash, figures may be missing, but none counts twice. */
  async #writePoints(at: number): Promise<void> {
    const { collector, points, series, dropped } = this.#deps;
    const { stored } = collector;
    let states = { ...this.#deps.states(), ...(stored === null ? {} : { collector: stored }) };
    let left: readonly Point[] = points.take();
    try {
      do {
        const slice = left.slice(0, pointsAtOnce);
        await this.#turn(() => series.write({ points: slice, states }));
        left = left.slice(slice.length);
        states = {};
      } while (left.length > 0);
    } catch (error) {
      const lost = points.giveBack(left, at);
      if (lost !== null) dropped(lost);
      throw error;
    }
  }

  #row(row: number): KnockingTable {
    const { knocking } = this.#deps;
    const [entry, lastHit] = [knocking.entryOf(row), knocking.lastHitOf(row)!];
    return {
      address: shortKeyOfWords(knocking.wordsOf(row)),
      entry: entry === null ? null : shortKeyOf(entry),
      ...{ total: knocking.totalOf(row), first_hit: knocking.firstHitOf(row), last_hit: lastHit },
      hour_hits: knocking.hours.of(row, Math.floor(lastHit / hourSeconds)),
      counters: storedCounters(knocking.counters.get(row) ?? []),
    };
  }

  async #increases(rows: readonly number[]): Promise<EntryIncrease[]> {
    const sums = new Map<string, Unstored>();
    for (const row of rows)
      for (const [entry, unstored] of this.#deps.knocking.unstoredIn(row)) addTo(sums, entry, unstored);
    return (await inTableOrder(sums, ([entry]) => keyOf(entry))).map(increaseOf);
  }

  /** The complete hours since the last call, at first the last one; and yesterday, unless it is stored. */
  async #storeHours(hour: number): Promise<void> {
    const last = this.#hour ?? hour - 1;
    for (let next = Math.max(last, hour - 23); next < hour; next += 1) await this.#storeHour(next);
    if (this.#hour === null || hour > this.#hour) await this.#storeDay(hour);
    this.#hour = Math.max(hour, last);
  }

  async #storeDay(hour: number): Promise<void> {
    const { hits } = this.#deps;
    const day = hour * hourSeconds - ((hour * hourSeconds) % daySeconds) - daySeconds;
    if (await hits.hasDay(day)) return;
    const rows = await hits.dayOf(day, async (keys) => new Set((await hits.ofEntries(keys)).keys()));
    if (rows.length > 0) await this.#turn(() => hits.putDay(day, rows));
  }

  async #storeHour(hour: number): Promise<void> {
    const { knocking, hits } = this.#deps;
    const rows: number[] = [];
    const entries = new Map<string, number>();
    const slice = TimeSlice.ofItems();
    for (const row of knocking.all()) {
      if (slice.due()) await slice.rest();
      const count = knocking.lastHitOf(row)! < hour * hourSeconds ? 0 : knocking.hours.of(row, hour);
      if (count === 0) continue;
      rows.push(row);
      const network = knocking.networkOf(row);
      if (network !== null) entries.set(network, (entries.get(network) ?? 0) + count);
    }
    const countOf = (row: number): number => knocking.hours.of(row, hour);
    const addresses = await loudestOf(rows, countOf);
    const networks = await loudestOf([...entries], ([, count]) => count);
    const byKey = async (all: readonly KeyHits[]) => await sortedInSlices(all, (a, b) => a.sortKey.compare(b.sortKey));
    for (const loud of [
      await byKey(addresses.map((row) => ({ sortKey: sortKeyOfWords(knocking.wordsOf(row)), hits: countOf(row) }))),
      await byKey(networks.map(([entry, count]) => ({ sortKey: keyOf(entry), hits: count }))),
    ])
      if (loud.length > 0) await this.#turn(() => hits.putHour(hour * hourSeconds, loud));
  }

  #turn<T>(work: () => Promise<T>): Promise<T> {
    return this.#deps.turns.take('bulk', work);
  }
}

async function loudestOf<T>(all: readonly T[], hitsOf: (one: T) => number): Promise<readonly T[]> {
  if (all.length <= loudest) return all;
  return (await sortedInSlices(all, (a, b) => hitsOf(b) - hitsOf(a))).slice(0, loudest);
}

interface Keyed<T> {
  readonly item: T;
  readonly key: Buffer;
}

function increaseOf({ item: [, sum], key }: Keyed<readonly [string, Unstored]>): EntryIncrease {
  return { sortKey: key, ...sum };
}

function itemsOf<T>(keyed: readonly Keyed<T>[]): T[] {
  return keyed.map(({ item }) => item);
}

/** In the order of a table fewer of its pages are written. In slices, since there may be 100,000. */
async function inTableOrder<T>(items: Iterable<T>, keyIn: (item: T) => Buffer): Promise<Keyed<T>[]> {
  const slice = TimeSlice.ofItems();
  const all: Keyed<T>[] = [];
  for (const item of items) {
    all.push({ item, key: keyIn(item) });
    if (slice.due()) await slice.rest();
  }
  return await sortedInSlices(all, (a, b) => a.key.compare(b.key));
}
