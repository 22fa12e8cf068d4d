// What each entry denied, from the addresses in memory and from what is stored.
import type { EntryHits } from '../api/blocked-entries.ts';
import { yieldToLoop } from '../concurrency/pause.ts';
import { TimeSlice } from '../concurrency/slices.ts';
import { isAddress } from '../domain/ip.ts';
import type { HitSnapshot } from '../store/columns/hit-columns.ts';
import type { HitsStore } from '../store/hits-store.ts';
import { KEY_BYTES } from '../store/staged-rows.ts';
import { canonicalEntry, keyOf } from './canonical.ts';
import type { Insight, RunningInsight } from './insight.ts';
import { noRow } from './key-rows.ts';
import type { Knocking } from './knocking.ts';

const hourSeconds = 3_600;
const daySeconds = 86_400;
const hoursOfDay = 24;
const keysAtOnce = 5_000;

interface Entry {
  readonly ip_address: string;
  readonly blocked_at: string;
}

interface EntryHitFiguresDeps {
  readonly insight: Insight;
  readonly hits: Pick<HitsStore, 'ofEntries'>;
}

/** By entry; the last hit in seconds since 1970, and the hits of the last 24 hours. */
type Recent = ReadonlyMap<string, { readonly lastHit: number; readonly lastDay: number }>;

export class EntryHitFigures {
  readonly #deps: EntryHitFiguresDeps;
  /** Of one reading. */
  #recent: { readonly readAt: number | null; readonly hour: number; readonly entries: Promise<Recent> } | null = null;
  #snapshot: { readonly of: Recent; readonly snapshot: Promise<HitSnapshot> } | null = null;

  constructor(deps: EntryHitFiguresDeps) {
    this.#deps = deps;
  }

  /** For lists in the order of hits. @param at in seconds */
  async snapshot(running: RunningInsight, at: number): Promise<HitSnapshot> {
    const entries = await this.#entries(running, at);
    if (this.#snapshot?.of !== entries) this.#snapshot = { of: entries, snapshot: keyed(entries) };
    return await this.#snapshot.snapshot;
  }

  /** In the order of the entries. @param at in seconds @throws StoreError */
  async of(
    running: RunningInsight,
    entries: readonly Entry[],
    { at, spark }: { readonly at: number; readonly spark: boolean },
  ): Promise<EntryHits[]> {
    if (entries.length === 0) return [];
    const recent = await this.#entries(running, at);
    const keys = entries.map(({ ip_address }) => keyOf(ip_address));
    const stored = await this.#deps.hits.ofEntries(keys);
    const watched = async (seconds: number) =>
      (await running.watched.shortfall({ from: at - seconds, to: at })) === null;
    const watchedDay = (await watched(daySeconds)) && !forgets(running, at - daySeconds);
    const watchedMonth = await watched(30 * daySeconds);
    // The hours of their addresses also have what another entry denied before: these are not summed.
    const isNew = ({ blocked_at }: Entry) => secondsOf(blocked_at) > at - daySeconds;
    const counted = entries.filter((one) => isNew(one) && recent.has(one.ip_address));
    const unstored = running.state.knocking.unstoredOf(new Set(counted.map(({ ip_address }) => ip_address)));
    const sparks = spark ? await sparksOf(running, new Set(entries.map(({ ip_address }) => ip_address)), at) : null;
    const hourOf = (index: number): number => Math.floor(at / hourSeconds) - hoursOfDay + 1 + index;
    return entries.map((listed, index): EntryHits => {
      const { ip_address } = listed;
      const since = secondsOf(listed.blocked_at);
      const row = stored.get(keys[index]!.toString('hex'));
      const now = recent.get(ip_address);
      const last = Math.max(row?.last_hit ?? 0, now?.lastHit ?? 0);
      // Hits of an earlier block are not of this one.
      if (last === 0 || last < since) {
        const day = watchedDay ? 0 : null;
        // Of a block within the last day, all is what the last day has.
        const month = isNew(listed) ? day : watchedMonth ? 0 : null;
        return {
          ...{ last_24h: day, last_30d: month },
          total: since >= at - 30 * daySeconds ? month : null,
          ...{ first_hit: null, last_hit: null },
          ...(sparks !== null && { spark: watchedDay ? new Array<number>(hoursOfDay).fill(0) : null }),
        };
      }
      // The row has hits of an earlier block as well.
      const isMixed = row !== undefined && row.first_hit < since;
      const first = isMixed ? null : (row?.first_hit ?? null);
      const times = { first_hit: first === null ? null : iso(first), last_hit: iso(last) };
      if (isNew(listed)) {
        const hits = isMixed ? null : (row?.total ?? 0) + (unstored.get(ip_address) ?? 0) || null;
        const figures = { last_24h: hits, last_30d: hits, total: hits, ...times };
        if (sparks === null) return figures;
        const own = (value: number, hour: number) => (hourOf(hour) < Math.floor(since / hourSeconds) ? 0 : value);
        return { ...figures, spark: sparkOf(sparks, ip_address).map(own) };
      }
      const day = now?.lastDay ?? 0;
      const total = isMixed ? null : Math.max(row?.total ?? 0, day);
      const month = at - 30 * daySeconds;
      const quiet = last < at - daySeconds;
      return {
        last_24h: day > 0 ? day : quiet && watchedDay ? 0 : null,
        last_30d: last < month ? 0 : first === null || first >= month ? total : null,
        total,
        ...times,
        ...(sparks !== null && { spark: day > 0 || (quiet && watchedDay) ? sparkOf(sparks, ip_address) : null }),
      };
    });
  }

  async #entries({ state: { knocking } }: RunningInsight, at: number): Promise<Recent> {
    const [readAt, hour] = [this.#deps.insight.reading?.at ?? null, Math.floor(at / hourSeconds)];
    if (this.#recent?.readAt !== readAt || this.#recent.hour !== hour)
      this.#recent = { readAt, hour, entries: recentOf(knocking, at) };
    return await this.#recent.entries;
  }
}

/** In slices, since there may be 100,000. */
async function recentOf(knocking: Knocking, at: number): Promise<Recent> {
  const entries = new Map<string, { lastHit: number; lastDay: number }>();
  const slice = TimeSlice.ofItems();
  for (const row of [...knocking.all()]) {
    if (slice.due()) await slice.rest();
    // An address may be forgotten meanwhile, and counted meanwhile.
    const lastHit = knocking.lastHitOf(row) ?? 0;
    if (lastHit <= at - daySeconds - hourSeconds) continue;
    const entry = knocking.entryOf(row);
    if (entry === null) continue;
    knocking.hours.advance(Math.floor(at / hourSeconds));
    const hits = knocking.hours.sum(row);
    const known = entries.get(entry);
    if (known === undefined) entries.set(entry, { lastHit, lastDay: hits });
    else {
      known.lastHit = Math.max(known.lastHit, lastHit);
      known.lastDay += hits;
    }
  }
  return entries;
}

/** Whether addresses that were denied since then are forgotten already: there were too many. */
function forgets({ state: { knocking } }: RunningInsight, since: number): boolean {
  const [oldest] = knocking.all();
  return knocking.isFull && oldest !== undefined && knocking.lastHitOf(oldest)! >= since;
}

/** In slices, since there may be 100,000 addresses. */
async function sparksOf(
  { state: { knocking } }: RunningInsight,
  wanted: ReadonlySet<string>,
  at: number,
): Promise<Map<string, number[]>> {
  const sparks = new Map<string, number[]>();
  knocking.hours.advance(Math.floor(at / hourSeconds));
  const slice = TimeSlice.ofItems();
  const add = (entry: string, row: number): void => {
    const values = knocking.hours.values(row);
    const known = sparks.get(entry);
    if (known === undefined) sparks.set(entry, values);
    else for (const [index, value] of values.entries()) known[index]! += value;
  };
  for (const entry of wanted) {
    const parsed = canonicalEntry(entry);
    const own = isAddress(parsed) ? knocking.find(parsed.words) : noRow;
    if (own !== noRow && knocking.entryOf(own) === entry) add(entry, own);
  }
  for (const row of [...knocking.all()]) {
    if (slice.due()) await slice.rest();
    const network = knocking.networkOf(row);
    if (network !== null && wanted.has(network)) add(network, row);
  }
  return sparks;
}

function sparkOf(sparks: ReadonlyMap<string, number[]>, entry: string): readonly number[] {
  return sparks.get(entry) ?? new Array<number>(hoursOfDay).fill(0);
}

async function keyed(entries: Recent): Promise<HitSnapshot> {
  const keys = new Uint8Array(entries.size * KEY_BYTES);
  const [lastHit, lastDay] = [new Uint32Array(entries.size), new Uint32Array(entries.size)];
  let index = 0;
  for (const [entry, hits] of entries) {
    keys.set(keyOf(entry), index * KEY_BYTES);
    lastHit[index] = hits.lastHit;
    lastDay[index] = hits.lastDay;
    index += 1;
    if (index % keysAtOnce === 0) await yieldToLoop();
  }
  return { keys, lastHit, lastDay };
}

function secondsOf(time: string): number {
  return Math.floor(Date.parse(time) / 1_000);
}

function iso(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}
