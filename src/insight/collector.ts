// What a reading of HAProxy's tables adds to the figures.

import { partsOf, TimeSlice } from '../concurrency/slices.ts';
import type { LabelKind } from '../store/series-store.ts';
import type { ActiveAddresses } from './active-addresses.ts';
import type { Attribution } from './attribution.ts';
import { Balance } from './balance.ts';
import { canonicalEntry } from './canonical.ts';
import type { CounterReading } from './counter-column.ts';
import { Counters } from './counters.ts';
import { ForgottenCounters, listedSeconds } from './forgotten-counters.ts';
import { setBackSeconds } from './gaps.ts';
import type { Knocking } from './knocking.ts';
import { type LoudClients, sampledOneIn } from './loud-clients.ts';
import type { Points } from './points.ts';
import type { DeniedAddress, InsightReading, WorkerReading } from './readings.ts';
import { type BackendsOfWorker, SiteTraffic } from './site-traffic.ts';
import { type StoredWorkers, Workers } from './workers.ts';

const mostSites = 10_000;
/** Addresses that are looked up at once: the entries of 100,000 would be in memory until all are counted. */
const lookedUpAtOnce = 1_000;
/** How long after it HAProxy has forgotten the address. */
const forgottenSeconds = 86_500;

/** As stored between runs of the service. */
export interface StoredCollector {
  /** In seconds; the first and the last reading. */
  readonly since: number;
  readonly at: number;
  readonly requests: string | null;
  readonly denied: string | null;
  readonly sites: Readonly<Record<string, string>>;
  readonly open: number;
}

export interface Names {
  /** The site of a name of the names map. */
  siteOf(name: string): string;
  /** Null: removed. @param source its number */
  kindOf(source: number): string | null;
  /** Null: removed. @param source its number */
  sourceOf(source: number): string | null;
}

/** What one reading has found. */
export interface Counted {
  readonly at: number;
  readonly denied: number;
  readonly notAttributed: number;
  /** Numbers of sources whose claims matched; `further`: entries with claims of other sources as well. */
  readonly sources: ReadonlySet<number>;
  readonly further: readonly string[];
  readonly byKind: ReadonlyMap<string, number>;
  /** Estimated, by site. */
  readonly sites: ReadonlyMap<string, number>;
  /** A draining worker denied requests that its tables do not show: HAProxy empties them. */
  readonly unseen: boolean;
  /** The database failed: hits could not be attributed or labelled, and are counted all the same. Null: it did not. */
  readonly failure: { readonly error: unknown } | null;
}

interface CollectorDeps {
  readonly attribution: Attribution;
  readonly knocking: Knocking;
  readonly clients: LoudClients;
  readonly points: Points;
  readonly active: ActiveAddresses;
  readonly label: (kind: LabelKind, name: string) => Promise<number>;
  readonly names: () => Promise<Names>;
  /** How many entries are blocked. */
  readonly entries: () => number;
}

/** By row of the address. */
type Hits = Map<number, number>;

interface Span {
  readonly from: number;
  readonly to: number;
}

/** What a worker has counted since the last reading. */
interface CountedWorker extends BackendsOfWorker {
  readonly span: Span;
  readonly requests: number;
  readonly sites: ReadonlyMap<string, number>;
}

export class Collector {
  readonly workers: Workers;
  readonly traffic = new SiteTraffic();
  readonly #deps: CollectorDeps;
  readonly #forgotten = new ForgottenCounters();
  readonly #frontEnd = new Counters(2);
  readonly #sites = new Counters(mostSites);
  readonly #balance: Balance;
  #since: number | null;
  #lastAt: number | null;
  #failure: { readonly error: unknown } | null = null;

  /** @param stored null: nothing was ever read  @throws RangeError for stored counters that cannot be read */
  constructor(deps: CollectorDeps, workers: StoredWorkers | undefined, stored: StoredCollector | null) {
    this.#deps = deps;
    this.workers = new Workers(workers);
    this.#balance = new Balance(stored?.open);
    this.#since = stored?.since ?? null;
    this.#lastAt = stored?.at ?? null;
    if (stored === null) return;
    const { first } = this.workers;
    if (stored.requests !== null) this.#frontEnd.restore('requests', stored.requests, first);
    if (stored.denied !== null) this.#frontEnd.restore('denied', stored.denied, first);
    for (const [name, counters] of Object.entries(stored.sites)) this.#sites.restore(name, counters, first);
  }

  /** The first reading, in seconds; null: nothing was ever read. */
  get since(): number | null {
    return this.#since;
  }

  /** In seconds; null: nothing was ever read. */
  get lastAt(): number | null {
    return this.#lastAt;
  }

  /** Null: nothing was read yet. */
  get stored(): StoredCollector | null {
    if (this.#lastAt === null || this.#since === null) return null;
    return {
      since: this.#since,
      at: this.#lastAt,
      requests: this.#frontEnd.stored('requests'),
      denied: this.#frontEnd.stored('denied'),
      sites: Object.fromEntries([...this.#sites.names()].map((name) => [name, this.#sites.stored(name)!])),
      open: this.#balance.open,
    };
  }

  /**
   * Never throws for the database: what HAProxy counted must not be lost. In slices, since 100,000 addresses may be
   * active: one call at a time.
   */
  async take(reading: InsightReading): Promise<Counted> {
    const at = Math.floor(reading.at.getTime() / 1_000);
    const first = this.#lastAt === null;
    // A clock that was set back: the last moment counts on.
    const from = Math.min(this.#lastAt ?? at, at);
    const setBack = this.#lastAt !== null && at < this.#lastAt - setBackSeconds;
    const before = setBack ? null : this.#lastAt;
    this.#since = setBack ? Math.min(this.#since ?? at, at) : (this.#since ?? at);
    this.#lastAt = setBack ? at : Math.max(at, this.#lastAt ?? at);
    this.#failure = null;
    const hits: Hits = new Map();
    const slice = TimeSlice.ofItems();
    let [denied, unseen] = [0, false];
    const spans: CountedWorker[] = [];
    await this.#startAgain(reading, slice);
    await this.#expire(reading, at, slice);
    // The current worker last: what draining workers counted is then known to have been handed over.
    for (const worker of reading.workers.toSorted((a, b) => Number(a.current) - Number(b.current))) {
      const { frontEnd, counted: shown, ...own } = await this.#advance(reading.at, worker, { before, hits, slice });
      unseen ||= !worker.current && frontEnd.denied > shown;
      const span = { from: Math.max(from, Math.min(at, Math.floor(worker.startedAt.getTime() / 1_000))), to: at };
      // What a worker counted before it was first read is of no known time.
      const counted = first ? { requests: 0, denied: 0 } : frontEnd;
      denied += counted.denied;
      spans.push({ span, requests: counted.requests, current: worker.current, backends: worker.backends, ...own });
      await this.#deps.clients.count(this.workers.numberOf(worker), worker.clients, at);
    }
    this.traffic.count(spans, at);
    await this.#forgetExited(reading, slice);
    await this.#addUnchanged(reading, at, hits, slice);
    const span = spans.at(-1)?.span ?? { from, to: at };
    const { attributed, ...found } = await this.#attribute(reading, { hits, at, span, slice });
    const total = [...hits.values()].reduce((sum, more) => sum + more, 0);
    const balanced = this.#balance.add(first ? total : denied, attributed);
    await this.#forgetOldest(slice);
    const sites = await this.#note(spans, at);
    this.#deps.points.spread('denied', 0, span, balanced.denied);
    this.#deps.points.spread('not_attributed', 0, span, balanced.notAttributed);
    return { at, ...balanced, ...found, sites, unseen, failure: this.#failure };
  }

  /** Known workers have exited, and handed nothing over. */
  async #startAgain({ master, workers, missing }: InsightReading, slice: TimeSlice): Promise<void> {
    if (!this.workers.startedAgain(master, workers, missing)) return;
    await this.#keep(new Set(), slice);
    this.#forgotten.clear();
  }

  /** @param before the last reading, in seconds; null: none, or the clock was set back since */
  async #advance(
    at: Date,
    worker: WorkerReading,
    { before, hits, slice }: { readonly before: number | null; readonly hits: Hits; readonly slice: TimeSlice },
  ) {
    const { startedAt, handsOver } = worker;
    const number = this.workers.numberOf(worker);
    const { knocking } = this.#deps;
    const tables: CounterReading = { at, number, startedAt, handsOver };
    const seconds = Math.floor(at.getTime() / 1_000);
    let counted = 0;
    for (const denied of worker.denied) {
      if (slice.due()) await slice.rest();
      if (this.#wasForgotten(denied, before)) continue;
      const { address, value, lately } = denied;
      const row = knocking.rowOf(address);
      const more = knocking.counters.advance(row, tables, value, () =>
        this.#forgotten.startOf({ address, value, lately, at: seconds }),
      );
      if (more === null || more === 0) continue;
      hits.set(row, (hits.get(row) ?? 0) + more);
      counted += more;
    }
    const own = new Map([
      ['requests', worker.requests],
      ['denied', worker.deniedRequests],
    ]);
    const reading = { ...tables, handsOver: false };
    const increase = this.#frontEnd.advance(reading, own);
    const frontEnd = { requests: increase.get('requests') ?? 0, denied: increase.get('denied') ?? 0 };
    return { frontEnd, counted, reading, sites: this.#sites.advance(tables, worker.sites) };
  }

  /**
   * HAProxy forgets addresses in a slightly different order, and so may remember one longer than the service. If it was not
   * denied since the last reading, it was counted before the service forgot it. The clock may have been set back a little.
   */
  #wasForgotten({ address, value, at }: DeniedAddress, before: number | null): boolean {
    if (before === null || at === null || at >= before - setBackSeconds) return false;
    const { knocking } = this.#deps;
    if (knocking.lastHitOf(knocking.find(address)) !== undefined) return false;
    this.#forgotten.note(address, value, at);
    return true;
  }

  /**
   * A day after its last request HAProxy forgets an address, and counts it from 0 again. Not after a pause: the clock may
   * have been set meanwhile.
   */
  async #expire({ whole, workers }: InsightReading, at: number, slice: TimeSlice): Promise<void> {
    if (whole) return;
    const { knocking } = this.#deps;
    for (const { denied } of workers) {
      for (const { address } of denied) {
        if (slice.due()) await slice.rest();
        const row = knocking.find(address);
        if ((knocking.lastHitOf(row) ?? at) < at - forgottenSeconds) knocking.counters.clear(row);
      }
    }
  }

  /**
   * HAProxy may forget an address earlier, if its table is full or it was started again; it may then count to just the
   * value that it had. But it lists an address only for some time after a request.
   */
  async #addUnchanged({ whole, workers }: InsightReading, at: number, hits: Hits, slice: TimeSlice): Promise<void> {
    if (whole) return;
    const { knocking } = this.#deps;
    const before = at - listedSeconds;
    for (const { denied } of workers) {
      for (const { address } of denied) {
        if (slice.due()) await slice.rest();
        const row = knocking.find(address);
        if (!hits.has(row) && (knocking.lastHitOf(row) ?? at) < before) hits.set(row, 1);
      }
    }
  }

  /** One that only did not answer is not forgotten. */
  async #forgetExited({ workers, missing }: InsightReading, slice: TimeSlice): Promise<void> {
    if (workers.length === 0) return;
    const living = this.workers.keep([...workers, ...missing]);
    if (living !== null) await this.#keep(living, slice);
  }

  async #keep(living: ReadonlySet<number>, slice: TimeSlice): Promise<void> {
    const { first } = this.workers;
    await this.#deps.knocking.keepCounters(living, first, slice);
    for (const counters of [this.#frontEnd, this.#sites]) await counters.keep(living, first, slice);
    await this.traffic.keep(living, slice);
    this.#deps.clients.keep(living);
  }

  /** If there are too many addresses. Only at the end of a reading: until then each row is of one address. */
  async #forgetOldest(slice: TimeSlice): Promise<void> {
    const { attribution, knocking } = this.#deps;
    await knocking.trim(slice, (row) => {
      // One that was only read counts as denied in this reading.
      const lastHit = knocking.lastHitOf(row) ?? this.#lastAt ?? 0;
      this.#forgotten.note(knocking.wordsOf(row), knocking.counters.highest(row), lastHit);
      attribution.forget(row);
    });
  }

  async #attribute(
    reading: InsightReading,
    counted: {
      readonly hits: ReadonlyMap<number, number>;
      readonly at: number;
      readonly span: Span;
      readonly slice: TimeSlice;
    },
  ) {
    const { hits, at, span, slice } = counted;
    const { attribution, knocking, active } = this.#deps;
    const isCounted = (text: string) => hits.has(knocking.find(canonicalEntry(text).words));
    const bySource = new Map<number, number>();
    const further: string[] = [];
    const byKind = new Map<string, number>();
    let attributed = 0;
    attribution.startReading();
    for (const some of partsOf(hits, lookedUpAtOnce)) {
      const rows = some.map(([row]) => row);
      const around = await this.#lookUp(() => attribution.ofRows(rows, (row) => knocking.textOf(row)));
      for (const [index, [row, more]] of some.entries()) {
        if (slice.due()) await slice.rest();
        const entry = around?.[index] ?? null;
        active.saw(at, knocking.count(row, more, entry, at));
        if (entry === null) continue;
        attributed += more;
        bySource.set(entry.source, (bySource.get(entry.source) ?? 0) + more);
        if (entry.others > 0) further.push(entry.entry);
      }
    }
    const sources = new Set(bySource.keys());
    for (const some of partsOf(rejectedIn(reading), lookedUpAtOnce)) {
      const others: string[] = [];
      for (const address of some) {
        if (slice.due()) await slice.rest();
        if (!isCounted(address)) others.push(address);
      }
      const around = await this.#lookUp(() => attribution.of(others));
      for (const entry of around?.values() ?? []) {
        if (entry === null) continue;
        knocking.touch(entry.entry, at);
        sources.add(entry.source);
        if (entry.others > 0) further.push(entry.entry);
      }
    }
    await this.#attempt(async () => {
      if (bySource.size === 0) return;
      const { sourceOf, kindOf } = await this.#deps.names();
      for (const [source, more] of bySource) {
        const kind = kindOf(source);
        if (kind !== null) byKind.set(kind, (byKind.get(kind) ?? 0) + more);
        const name = sourceOf(source);
        if (name !== null) this.#deps.points.spread('denied', await this.#deps.label('source', name), span, more);
      }
    }, undefined);
    return { attributed, sources, further, byKind };
  }

  /** What covers some of the addresses. Null: it could not be read; the others are not looked up then. */
  async #lookUp<T>(read: () => Promise<T>): Promise<T | null> {
    return this.#failure === null ? await this.#attempt<T | null>(read, null) : null;
  }

  async #note(spans: readonly CountedWorker[], at: number): Promise<Map<string, number>> {
    const { points, active } = this.#deps;
    const bySite = new Map<string, number>();
    for (const { span, requests, sites } of spans) {
      points.spread('requests', 0, span, requests);
      await this.#attempt(async () => {
        if (sites.size === 0) return;
        const { siteOf } = await this.#deps.names();
        for (const [name, sampled] of sites) {
          const site = siteOf(name);
          const hits = sampled * sampledOneIn;
          bySite.set(site, (bySite.get(site) ?? 0) + hits);
          this.traffic.deny(site, hits, at);
          points.spread('denied', await this.#deps.label('site', site), span, hits);
        }
      }, undefined);
    }
    points.most('addresses', at, (step) => active.of(step, at));
    points.last('entries', at, this.#deps.entries());
    return bySite;
  }

  async #attempt<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#failure ??= { error };
      return otherwise;
    }
  }
}

/**
 * Addresses whose connections were closed under overload in the last minute. They are no requests, but their entries are
 * of use. The whole table is a day old; what was missed before it is a gap.
 */
function rejectedIn({ whole, workers }: InsightReading): string[] {
  return whole ? [] : [...new Set(workers.flatMap(({ rejected }) => [...rejected.keys()]))];
}
