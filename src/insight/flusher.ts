// Stores what has changed, once a minute, in slices with lower priority than blocks.
import type { TurnQueue } from '../concurrency/turn-queue.ts';
import { parseIp, sortKey } from '../domain/ip.ts';
import { type EntryIncrease, type HitsStore, hitsAtOnce, type KeyHits, loudest } from '../store/hits-store.ts';
import type { KnockingTable } from '../store/insight-schema.ts';
import type { SeriesStore } from '../store/series-store.ts';
import type { Collector } from './collector.ts';
import type { Knocking, UnstoredAddress } from './knocking.ts';
import type { Points } from './points.ts';

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
  readonly turns: Pick<TurnQueue, 'take'>;
  /** Small states that are stored with the points. */
  readonly states: () => Readonly<Record<string, unknown>>;
  /** Points were too old to be kept. @param at in seconds */
  readonly dropped: (at: number) => void;
}

export class Flusher {
  readonly #deps: FlusherDeps;
  #storedWorkers = '';
  /** Number of the hour since 1970 up to which hours are stored; null: none yet. */
  #hour: number | null = null;

  constructor(deps: FlusherDeps) {
    this.#deps = deps;
  }

  /** Nothing is lost by a failure: it is stored next time. @param at in seconds @throws StoreError */
  async flush(at: number): Promise<void> {
    const { collector, knocking, points, series } = this.#deps;
    // First, so that stored counters never name a worker that is unknown after a crash.
    const workers = JSON.stringify(collector.workers.stored);
    if (workers !== this.#storedWorkers) {
      await this.#turn(() => series.write({ points: [], states: { workers: collector.workers.stored } }));
      this.#storedWorkers = workers;
    }
    const { changed, gone } = knocking.take();
    await this.#writeHits([...changed.values()], [...gone]);
    const taken = points.take();
    const { stored } = collector;
    const states = { ...this.#deps.states(), ...(stored === null ? {} : { collector: stored }) };
    try {
      await this.#turn(() => series.write({ points: taken, states }));
    } catch (error) {
      if (points.giveBack(taken, at)) this.#deps.dropped(at);
      throw error;
    }
    await this.#storeHours(Math.floor(at / hourSeconds));
  }

  /** Also the hour that has only begun, for a stop. @throws StoreError */
  async flushHour(at: number): Promise<void> {
    await this.#storeHour(Math.floor(at / hourSeconds));
  }

  /** Deletes what is older than it is kept, in slices. @param at in seconds @throws StoreError */
  async prune(at: number): Promise<void> {
    const { hits, series } = this.#deps;
    while (await this.#turn(() => series.prune(at)));
    while (await this.#turn(() => hits.prune(at)));
    let after: Buffer | null = null;
    do after = await this.#turn<Buffer | null>(() => hits.pruneEntries(after));
    while (after !== null);
  }

  async #writeHits(changed: UnstoredAddress[], gone: string[]): Promise<void> {
    const { knocking, hits } = this.#deps;
    // In the order of the table: fewer pages are written.
    const keyed = changed.map((one) => ({ one, key: keyOf(one.address.address) })).sort((a, b) => a.key.compare(b.key));
    let [done, dropped] = [0, 0];
    try {
      for (; done < keyed.length; done += addressesAtOnce) {
        const slice = keyed.slice(done, done + addressesAtOnce);
        const entries = increases(slice.map(({ one }) => one));
        await this.#turn(() =>
          hits.write({ knocking: slice.map(({ one, key }) => this.#row(one, key)), entries, gone: [] }),
        );
      }
      for (; dropped < gone.length; dropped += hitsAtOnce) {
        const keys = gone.slice(dropped, dropped + hitsAtOnce).map(keyOf);
        await this.#turn(() => hits.write({ knocking: [], entries: [], gone: keys }));
      }
    } catch (error) {
      knocking.giveBack(
        keyed.slice(done).map(({ one }) => one),
        gone.slice(dropped),
      );
      throw error;
    }
  }

  #row({ address: { address, entry, total, firstHit, lastHit } }: UnstoredAddress, key: Buffer): KnockingTable {
    return {
      address: key,
      entry: entry === null ? null : keyOf(entry),
      ...{ total, first_hit: firstHit, last_hit: lastHit },
      counters: this.#deps.collector.addresses.stored(address) ?? '0',
    };
  }

  /** The complete hours since the last call; then the day that is complete. */
  async #storeHours(hour: number): Promise<void> {
    const last = this.#hour;
    this.#hour = hour;
    if (last === null || hour <= last) return;
    for (let next = Math.max(last, hour - 23); next < hour; next += 1) await this.#storeHour(next);
    const today = hour * hourSeconds - ((hour * hourSeconds) % daySeconds);
    const yesterday = today - daySeconds;
    const { hits } = this.#deps;
    if (last * hourSeconds >= today || (await hits.hasDay(yesterday))) return;
    const entries = async (keys: readonly Buffer[]) => new Set((await hits.ofEntries(keys)).keys());
    await this.#turn(() => hits.putDay(yesterday, entries));
  }

  async #storeHour(hour: number): Promise<void> {
    const { knocking, hits } = this.#deps;
    const addresses: { text: string; hits: number }[] = [];
    const entries = new Map<string, number>();
    for (const { address, entry, row } of knocking.all()) {
      const count = knocking.hours.of(row, hour);
      if (count === 0) continue;
      addresses.push({ text: address, hits: count });
      if (entry !== null && entry !== address) entries.set(entry, (entries.get(entry) ?? 0) + count);
    }
    const networks = [...entries].map(([text, count]) => ({ text, hits: count }));
    const at = hour * hourSeconds;
    for (const rows of [loudestOf(addresses), loudestOf(networks)])
      if (rows.length > 0) await this.#turn(() => hits.putHour(at, rows));
  }

  #turn<T>(work: () => Promise<T>): Promise<T> {
    return this.#deps.turns.take('bulk', work);
  }
}

function loudestOf(counts: { readonly text: string; readonly hits: number }[]): KeyHits[] {
  const sorted = counts.length <= loudest ? counts : counts.sort((a, b) => b.hits - a.hits).slice(0, loudest);
  return sorted.map(({ text, hits }) => ({ sortKey: keyOf(text), hits })).sort((a, b) => a.sortKey.compare(b.sortKey));
}

function increases(changed: readonly UnstoredAddress[]): EntryIncrease[] {
  const sums = new Map<string, { hits: number; firstHit: number; lastHit: number }>();
  for (const { entries } of changed) {
    for (const [entry, more] of entries) {
      const sum = sums.get(entry);
      if (sum === undefined) sums.set(entry, { ...more });
      else {
        sum.hits += more.hits;
        sum.firstHit = Math.min(sum.firstHit, more.firstHit);
        sum.lastHit = Math.max(sum.lastHit, more.lastHit);
      }
    }
  }
  const keyed = [...sums].map(([entry, sum]) => ({ sortKey: keyOf(entry), ...sum }));
  return keyed.sort((a, b) => a.sortKey.compare(b.sortKey));
}

/** @param text canonical */
export function keyOf(text: string): Buffer {
  const parsed = parseIp(text);
  if (!parsed.ok) throw new RangeError(parsed.why);
  return sortKey(parsed.entry);
}
