// Reads HAProxy's tables every ten seconds, and stores what they say: each minute, and at a reload.
import { Mutex } from '../concurrency/mutex.ts';
import { pause } from '../concurrency/pause.ts';
import type { TurnQueue } from '../concurrency/turn-queue.ts';
import type { Emit } from '../events/facts.ts';
import { type CountingTable, clientsTable, deniedTable } from '../haproxy/process/counting-tables.ts';
import type { EntryLookup } from '../store/entry-lookup.ts';
import type { HitsStore } from '../store/hits-store.ts';
import type { InsightStore } from '../store/insight-store.ts';
import type { SeriesStore } from '../store/series-store.ts';
import type { SiteHoursStore } from '../store/site-hours-store.ts';
import { causeText, type Log } from '../telemetry/log.ts';
import { AttackRecorder } from './attack-recorder.ts';
import { CandidateWatch, type Exemptions } from './candidate-watch.ts';
import type { Counted, Names } from './collector.ts';
import { CountingWatch, notCountedText } from './counting-watch.ts';
import { Flusher } from './flusher.ts';
import { gapCauses, gapOf } from './gaps.ts';
import type { InsightObserver, InsightState } from './insight-observer.ts';
import { InsightLimits } from './limits.ts';
import type { LoudClients } from './loud-clients.ts';
import { type Mark, Marks } from './marks.ts';
import type { InsightReading, InsightSource, WorkerReading } from './readings.ts';
import { restored } from './restored.ts';
import { SourceWatch, type WatchedSource } from './source-watch.ts';
import { WatchedTime } from './watched-time.ts';

const everyMs = 10_000;
const minuteSeconds = 60;
const hourSeconds = 3_600;
/** HAProxy lists an address as active for at least so long. */
const activeSeconds = 60;
/** Addresses of this step are in the metrics. */
const knockingStep = 600;

export interface InsightDeps {
  readonly source: InsightSource;
  /** Tables without which figures are missing. */
  readonly tables: readonly string[];
  readonly hits: HitsStore;
  readonly series: SeriesStore;
  readonly siteHours: SiteHoursStore;
  readonly records: InsightStore;
  readonly lookup: Pick<EntryLookup, 'around' | 'generation' | 'sourcesOf'>;
  readonly turns: Pick<TurnQueue, 'take'>;
  readonly names: () => Promise<Names>;
  readonly sources: () => Promise<readonly WatchedSource[]>;
  readonly exemptions: Exemptions;
  /** How many entries are blocked. */
  readonly entries: () => number;
  readonly emit: Emit;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly now: () => Date;
  readonly observer?: InsightObserver;
  readonly everyMs?: number;
  /** That are remembered; default: of `knocking.ts`. */
  readonly mostAddresses?: number;
}

/** Parts that exist once the stored figures are loaded. */
export interface RunningInsight {
  readonly state: Awaited<ReturnType<typeof restored>>;
  readonly clients: LoudClients;
  readonly flusher: Flusher;
  readonly attacks: AttackRecorder;
  readonly candidates: CandidateWatch;
  readonly sources: SourceWatch;
  readonly watched: WatchedTime;
  readonly counting: CountingWatch;
}

export class Insight {
  readonly limits: InsightLimits;
  readonly marks: Marks;
  readonly #deps: InsightDeps;
  readonly #stop = new AbortController();
  readonly #work = new Mutex();
  #running: RunningInsight | null = null;
  /** Whether HAProxy was read, or could not be: what an earlier run had read and not stored is back then. */
  #shown = false;
  #loop: Promise<void> | null = null;
  /** Of this run. */
  #readings = 0;
  /** Since the last one. */
  #skipped = 0;
  #flushedMinute: number | null = null;
  #prunedHour: number | null = null;
  /** By what failed: the cause that was logged. */
  readonly #causes = new Map<string, string>();
  #reading: {
    readonly at: number;
    readonly ms: number;
    readonly used: ReadonlyMap<string, number>;
    readonly missing: readonly string[];
  } | null = null;

  constructor(deps: InsightDeps) {
    this.#deps = deps;
    this.limits = new InsightLimits(deps.series, deps.records);
    this.marks = new Marks(deps.now);
  }

  /** What is known now; null: not loaded yet, or HAProxy was not read since. */
  get state(): RunningInsight | null {
    return this.#shown ? this.#running : null;
  }

  /** The last reading that was answered: when (seconds), how long it took, and how full each table is; null: none yet. */
  get reading() {
    return this.#reading;
  }

  /** Whether HAProxy counts in this table, as far as is known. */
  counts({ name }: Pick<CountingTable, 'name'>): boolean {
    return this.#deps.tables.includes(name) && this.#running?.counting.missing?.includes(name) !== true;
  }

  /** For `/health`: what the configuration does not count, as a sentence. */
  notices(): readonly string[] {
    const text = notCountedText(this.#running?.counting.missing ?? []);
    return text === null ? [] : [text];
  }

  /** For metrics; null: not loaded yet. @param neverMatched null: not known */
  metrics(neverMatched: InsightState['neverMatched']): InsightState | null {
    if (this.#running === null) return null;
    const { state, candidates, attacks } = this.#running;
    const at = this.#seconds();
    return {
      knocking: this.counts(deniedTable) ? state.active.of(knockingStep, at) : null,
      candidates: this.counts(clientsTable) ? candidates.count : null,
      attack: attacks.active,
      lastReadAt: this.#reading?.at ?? null,
      neverMatched,
      used: this.#reading?.used ?? new Map(),
    };
  }

  start(): void {
    this.marks.started();
    this.#loop ??= this.#run();
  }

  /** Stores what has changed. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
    await this.#work.run(async () => {
      if (this.#running === null) return;
      await this.#attempt('Could not store the figures of denied requests', async () => {
        const at = this.#seconds();
        const { sources, watched, flusher } = this.#running!;
        sources.giveUpWaiting(at);
        await watched.store();
        await flusher.flush(at);
        await flusher.flushHour(at);
      });
    });
  }

  /** Stores what was read, so that a query of the database sees it. @throws StoreError */
  async settle(): Promise<void> {
    await this.#work.run(async () => {
      const { state, flusher } = this.#running ?? {};
      if (state !== undefined && state.knocking.unstored > 0) await flusher?.flush(this.#seconds());
    });
  }

  /**
   * Before a reload: a worker takes what was not read along when it exits. Then only this service has what was read, so it is
   * stored at once. It is counted and stored while the reload goes on, which waits for the tables alone. Never throws.
   */
  async readNow(): Promise<void> {
    const { promise: read, resolve: wasRead } = Promise.withResolvers<void>();
    void this.#work.run(async () => {
      await this.#attempt('Could not read the tables of denied requests', () => this.#read(wasRead));
      wasRead();
      if (this.#running === null) return;
      await this.#attempt('Could not store the figures of denied requests', () => this.#store(this.#seconds()));
    });
    await read;
  }

  /** One round of the loop: reads, and stores if a minute has passed. Never throws. */
  async round(): Promise<void> {
    await this.#work.run(() => this.#readAndStore());
    await this.#attempt('Could not prune the figures of denied requests', () => this.#eachHour(this.#seconds()));
  }

  async #readAndStore(): Promise<void> {
    await this.#attempt('Could not load the figures of denied requests', () => this.#load());
    if (this.#running === null) return;
    await this.#attempt('Could not read the tables of denied requests', () => this.#read());
    this.#shown = true;
    const at = this.#seconds();
    const minute = Math.floor(at / minuteSeconds);
    if (minute === this.#flushedMinute) return;
    // A failed one is retried in the next minute.
    this.#flushedMinute = minute;
    await this.#attempt('Could not store the figures of denied requests', async () => {
      await this.#store(at);
      await this.#running!.candidates.store();
    });
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.round();
      await pause(this.#deps.everyMs ?? everyMs, { signal });
    }
  }

  async #load(): Promise<void> {
    if (this.#running !== null) return;
    const { deps, limits } = { deps: this.#deps, limits: this.limits };
    const state = await restored(deps);
    await limits.load();
    const marks = (await deps.series.state('marks')) as readonly Mark[] | undefined;
    const attacks = await AttackRecorder.load({ ...deps, state });
    const candidates = new CandidateWatch({ ...deps, clients: state.clients, limits });
    const watched = new WatchedTime({ ...deps, collector: state.collector });
    const sources = await SourceWatch.load({ ...deps, watched });
    const counting = await CountingWatch.load(deps);
    const flusher = new Flusher({
      ...{ collector: state.collector, knocking: state.knocking, points: state.points },
      ...{ hits: deps.hits, series: deps.series, siteHours: deps.siteHours, turns: deps.turns },
      states: () => ({ ...sources.states, ...this.marks.states }),
      dropped: (time) => watched.note({ ...time, cause: gapCauses.unstored }),
    });
    this.marks.restore(marks);
    this.#running = { state, clients: state.clients, flusher, attacks, candidates, sources, watched, counting };
  }

  /** @param wasRead called once HAProxy has answered, before anything is counted */
  async #read(wasRead?: () => void): Promise<void> {
    if (this.#running === null || this.#stop.signal.aborted) return;
    const began = performance.now();
    const { collector } = this.#running.state;
    const { lastAt } = collector;
    // Who was denied before the last minute is not listed as active any more.
    const whole = lastAt === null || Math.abs(this.#seconds() - lastAt) > activeSeconds;
    const reading = await this.#deps.source.read({ whole, signal: this.#stop.signal });
    wasRead?.();
    const missing = reading.missing.map(({ pid, reason }) => `${pid}: ${reason}`);
    // Skipped: the next one counts what this one would have.
    if (!reading.workers.some(({ current }) => current)) {
      if (this.#reading !== null) this.#reading = { ...this.#reading, missing };
      this.#skipped += 1;
      return;
    }
    const known = new Set(reading.workers.filter((worker) => collector.workers.knows(worker)));
    const counted = await collector.take(reading);
    const took = ((this.#skipped + 1) * (this.#deps.everyMs ?? everyMs)) / 1_000;
    const knows = (worker: WorkerReading) => known.has(worker);
    const gap = gapOf(reading, { lastAt, first: this.#readings === 0, took, knows }, counted);
    if (gap !== null) this.#running.watched.note(gap);
    this.#readings += 1;
    this.#skipped = 0;
    this.#reading = { at: counted.at, ms: performance.now() - began, used: usedIn(reading), missing };
    const { byKind, sites, notAttributed } = counted;
    this.#deps.observer?.read({ byKind, sites, notAttributed, milliseconds: this.#reading.ms });
    const unattributed = 'Denied requests could not be attributed';
    if (counted.failure === null) this.#causes.delete(unattributed);
    else this.#report(unattributed, counted.failure.error);
    await this.#attempt('Could not store a gap', () => this.#running!.watched.store());
    await this.#attempt('Could not report what is not counted', () =>
      this.#running!.counting.judge(reading, this.#deps.tables),
    );
    await this.#afterReading(counted);
  }

  async #afterReading(counted: Counted): Promise<void> {
    const { attacks, candidates, sources } = this.#running!;
    attacks.count(counted.at, counted.denied);
    // Each of its own: one that fails must not keep the others from what this reading found.
    await this.#attempt('Could not look up the sources of denied requests', () => sources.matched(counted));
    await this.#attempt('Could not record an attack', () => attacks.judge(counted.at, this.limits.value));
    await this.#attempt('Could not find candidates', () => candidates.judge(counted.at));
  }

  async #store(at: number): Promise<void> {
    const { flusher, watched } = this.#running!;
    // First: a reading that is stored was watched, but for the gaps that are stored.
    await watched.store();
    await flusher.flush(at);
  }

  /** Not part of `#work`: the reading before a reload does not wait for it. */
  async #eachHour(at: number): Promise<void> {
    const hour = Math.floor(at / hourSeconds);
    if (this.#running === null || hour === this.#prunedHour) return;
    this.#prunedHour = hour;
    await this.#running.sources.judge(at);
    await this.#running.flusher.prune(at);
  }

  async #attempt(failed: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      this.#causes.delete(failed);
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#report(failed, error);
    }
  }

  /** A failure that repeats is logged once. */
  #report(failed: string, error: unknown): void {
    const cause = causeText(error);
    if (this.#causes.get(failed) !== cause) this.#deps.log.warn(failed, { cause });
    this.#causes.set(failed, cause);
  }

  #seconds(): number {
    return Math.floor(this.#deps.now().getTime() / 1_000);
  }
}

/** Of the fullest table of each name. */
function usedIn({ workers }: InsightReading): ReadonlyMap<string, number> {
  const used = new Map<string, number>();
  for (const worker of workers)
    for (const [table, share] of worker.used) used.set(table, Math.max(share, used.get(table) ?? 0));
  return used;
}

export function iso(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}
