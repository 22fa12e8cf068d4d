// The insight part over a real database, with a scripted HAProxy and a clock of its own.
import { TurnQueue } from '../../src/concurrency/turn-queue.ts';
import { backendName } from '../../src/domain/site-backend.ts';
import type { Emit } from '../../src/events/facts.ts';
import type { Exemptions } from '../../src/insight/candidate-watch.ts';
import { canonicalEntry } from '../../src/insight/canonical.ts';
import type { StoredCollector } from '../../src/insight/collector.ts';
import { Insight } from '../../src/insight/insight.ts';
import type { BackendCounters, InsightReading, InsightSource, WorkerReading } from '../../src/insight/readings.ts';
import type { WatchedSource } from '../../src/insight/source-watch.ts';
import { EntryLookup } from '../../src/store/entry-lookup.ts';
import { HitsStore } from '../../src/store/hits-store.ts';
import { InsightStore } from '../../src/store/insight-store.ts';
import type { Database } from '../../src/store/open-database.ts';
import { SeriesStore } from '../../src/store/series-store.ts';
import { SiteHoursStore } from '../../src/store/site-hours-store.ts';
import { silentLog } from '../silent-log.ts';

interface ScriptedWorker {
  readonly pid: number;
  readonly startedAt: Date;
  readonly denied: Map<string, number>;
  readonly rejected: Map<string, number>;
  /** When a key of any table was counted last, in milliseconds. */
  readonly active: Map<string, number>;
  readonly sites: Map<string, number>;
  readonly clients: Map<string, { requests: number; rate: number; errors: number }>;
  readonly backends: Map<string, BackendCounters>;
  /** `denied` at the last reading. */
  before: ReadonlyMap<string, number>;
  requests: number;
  deniedRequests: number;
}

/** How long an address is listed as active. */
const activeMs = 60_000;
const expireMs = 86_400_000;

/** Counts as HAProxy does. Everything is sampled where HAProxy samples: pass counts of the sample. */
export class ScriptedHaproxy implements InsightSource {
  handsOver = true;
  /** Does not answer. */
  silent = false;
  /** Pids of those that do not answer. */
  readonly silentWorkers = new Set<number>();
  /** The configuration of new workers has the tables. */
  counts = true;
  readonly readings: { whole: boolean }[] = [];
  readonly #now: () => Date;
  #workers: ScriptedWorker[];
  #master: { pid: number; startedAt: Date };
  #pid = 100;
  /** Pids of workers with tables. */
  readonly #counting = new Set<number>();

  constructor(now: () => Date) {
    this.#now = now;
    this.#master = { pid: 1, startedAt: now() };
    this.#workers = [this.#worker()];
  }

  deny(address: string, times = 1, worker = this.#workers.at(-1)!): void {
    if (this.#counting.has(worker.pid)) this.#count(worker, worker.denied, address, times);
    this.denyUncounted(worker, times);
  }

  /** Its tables are emptied at once. */
  denyUncounted(worker: ScriptedWorker, times = 1): void {
    worker.deniedRequests += times;
    worker.requests += times;
  }

  /** Closes a connection under overload. */
  reject(address: string, worker = this.#workers.at(-1)!): void {
    if (this.#counting.has(worker.pid)) this.#count(worker, worker.rejected, address, 1);
  }

  /** Its entry of the table of denied requests expires, unless the address is active. */
  expire(address: string): void {
    const before = this.#now().getTime() - 2 * activeMs;
    for (const { denied, active } of this.#workers) if ((active.get(address) ?? 0) < before) denied.delete(address);
  }

  /** Is started again: nothing is left of its tables. */
  start(): void {
    this.#master = { pid: this.#master.pid + 1, startedAt: this.#now() };
    this.#workers = [this.#worker()];
  }

  allow(times: number): void {
    this.#workers.at(-1)!.requests += times;
  }

  site(name: string, sampled: number): void {
    const { sites } = this.#workers.at(-1)!;
    sites.set(name, (sites.get(name) ?? 0) + sampled);
  }

  serve(site: string, counted: BackendCounters, { backends } = this.#workers.at(-1)!): void {
    const backend = backendName(site);
    const known = backends.get(backend) ?? { requests: 0, serverErrors: 0 };
    const { requests, serverErrors, responseMs } = counted;
    backends.set(backend, {
      requests: known.requests + requests,
      serverErrors: known.serverErrors + serverErrors,
      responseMs,
    });
  }

  client(address: string, sampled: { readonly requests: number; readonly errors: number }): void {
    const { clients } = this.#workers.at(-1)!;
    const known = clients.get(address) ?? { requests: 0, rate: 0, errors: 0 };
    const { requests, errors } = sampled;
    clients.set(address, { requests: known.requests + requests, rate: requests * 6, errors: known.errors + errors });
  }

  /** The earlier worker drains, or has exited at once. */
  reload({ drains }: { readonly drains: boolean }): void {
    const before = this.#workers.at(-1)!;
    const fresh = this.#worker();
    if (this.handsOver && this.#counting.has(fresh.pid)) {
      for (const table of ['denied', 'sites', 'rejected', 'active'] as const)
        for (const [key, value] of before[table]) fresh[table].set(key, value);
      fresh.before = before.before;
    }
    // HAProxy empties the tables of a worker that drains.
    if (drains) before.denied.clear();
    this.#workers = drains ? [before, fresh] : [fresh];
  }

  get current(): ScriptedWorker {
    return this.#workers.at(-1)!;
  }

  get draining(): ScriptedWorker {
    return this.#workers[0]!;
  }

  async read({ whole }: { readonly whole: boolean }): Promise<InsightReading> {
    this.readings.push({ whole });
    const at = this.#now();
    const current = this.#workers.at(-1);
    if (this.silent)
      return { at, whole, workers: [], missing: [{ pid: current!.pid, reason: 'no answer' }], master: null };
    const answering = this.#workers.filter(({ pid }) => !this.silentWorkers.has(pid));
    const workers = answering.map((worker): WorkerReading => {
      const listed = ([key]: readonly [string, unknown]) =>
        at.getTime() - (worker.active.get(key) ?? 0) <= (whole ? expireMs : activeMs);
      const copy = {
        denied: [...worker.denied].filter(listed).map(([address, value]) => ({
          ...{ address: canonicalEntry(address).words, value, lately: latelyOf(worker, address, value) },
          at: whole ? Math.floor((worker.active.get(address) ?? 0) / 1_000) : null,
        })),
        rejected: new Map([...worker.rejected].filter(listed)),
        sites: new Map(worker.sites),
        backends: new Map(worker.backends),
        clients: structuredClone(worker.clients),
      };
      const tables: [string, number][] = [
        ['pm_denied', worker.denied.size / 102_400],
        ['pm_sites', worker.sites.size / 10_240],
      ];
      const used = new Map(this.#counting.has(worker.pid) ? tables : []);
      return { ...worker, ...copy, current: worker === current, handsOver: this.handsOver, used };
    });
    for (const worker of this.#workers) {
      for (const client of worker.clients.values()) client.rate = 0;
      worker.before = new Map(worker.denied);
    }
    const missing = this.#workers.filter((worker) => !answering.includes(worker));
    return {
      at,
      whole,
      workers,
      missing: missing.map(({ pid }) => ({ pid, reason: 'no answer' })),
      master: this.#master,
    };
  }

  #count(worker: ScriptedWorker, table: Map<string, number>, key: string, times: number): void {
    const now = this.#now().getTime();
    const expired = now - (worker.active.get(key) ?? 0) > expireMs;
    table.set(key, (expired ? 0 : (table.get(key) ?? 0)) + times);
    worker.active.set(key, now);
  }

  #worker(): ScriptedWorker {
    this.#pid += 1;
    if (this.counts) this.#counting.add(this.#pid);
    const tables = { denied: new Map(), rejected: new Map(), active: new Map(), sites: new Map(), clients: new Map() };
    const counts = {
      backends: new Map<string, BackendCounters>(),
      before: new Map<string, number>(),
      requests: 0,
      deniedRequests: 0,
    };
    return { pid: this.#pid, startedAt: this.#now(), ...tables, ...counts };
  }
}

/** Requests since the last reading. An entry that was emptied counts from 0. */
function latelyOf({ before }: ScriptedWorker, key: string, value: number): number {
  const last = before.get(key) ?? 0;
  return last > 0 && last < value ? value - last : value;
}

export type EmittedFact = readonly [type: string, data: unknown];

export class InsightKit {
  now = new Date('2026-11-20T12:00:00.000Z');
  readonly haproxy = new ScriptedHaproxy(() => this.now);
  readonly facts: EmittedFact[] = [];
  /** Warnings. */
  readonly logged: (readonly [message: string, fields: unknown])[] = [];
  readonly turns = new TurnQueue();
  exempt: Exemptions = { reason: async () => null };
  sources: WatchedSource[] = [];
  /** That are remembered, of the next `restart` on; null: as many as usual. */
  mostAddresses: number | null = null;
  insight: Insight;
  readonly #database: Database;
  readonly #source: InsightSource;

  /** @param source in place of `haproxy` */
  constructor(database: Database, source?: InsightSource) {
    this.#database = database;
    this.#source = source ?? this.haproxy;
    this.insight = this.#create();
  }

  get seconds(): number {
    return this.now.getTime() / 1_000;
  }

  /** What was emitted, without its data. */
  get types(): string[] {
    return this.facts.map(([type]) => type);
  }

  /** As after `kill -9`: nothing more is stored. */
  restart(): void {
    this.insight = this.#create();
  }

  /** As if the first reading had been so long ago. */
  async watchedFor(days: number): Promise<void> {
    await this.pass(70);
    const series = new SeriesStore(this.#database);
    const stored = (await series.state('collector')) as StoredCollector;
    await series.write({ points: [], states: { collector: { ...stored, since: stored.since - days * 86_400 } } });
    this.restart();
    await this.pass(10);
  }

  /** Rounds of ten seconds, with `before` each. */
  async pass(seconds: number, before: (second: number) => void = () => undefined): Promise<void> {
    for (let second = 10; second <= seconds; second += 10) {
      before(second);
      this.now = new Date(this.now.getTime() + 10_000);
      await this.insight.round();
    }
  }

  #create(): Insight {
    const emit: Emit = (type, data) => void this.facts.push([type, data]);
    return new Insight({
      source: this.#source,
      tables: ['pm_denied'],
      hits: new HitsStore(this.#database),
      series: new SeriesStore(this.#database),
      siteHours: new SiteHoursStore(this.#database),
      records: new InsightStore(this.#database),
      lookup: new EntryLookup(this.#database),
      turns: this.turns,
      names: async () => ({
        siteOf: (name) => name,
        sourceOf: (source) => (source === 1 ? 'manual' : `source-${source}`),
        kindOf: () => 'manual',
      }),
      sources: async () => this.sources,
      exemptions: { reason: (address) => this.exempt.reason(address) },
      entries: () => this.#database.blockedCount.value,
      emit,
      log: { info: silentLog.info, warn: (message, fields) => void this.logged.push([message, fields]) },
      now: () => this.now,
      ...(this.mostAddresses !== null && { mostAddresses: this.mostAddresses }),
    });
  }
}
