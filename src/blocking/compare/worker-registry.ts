// Every live worker, by pid and start time, and whether its maps are in sync: for health, reload decisions and answers.

import type { Emit } from '../../events/facts.ts';
import { capabilitiesOf, parseRunningVersion } from '../../haproxy/process/proxy-version.ts';
import type { Processes, Worker } from '../../haproxy/process/workers.ts';
import { type MapName, mapNames } from '../mirrored-map.ts';

type WorkerRole = 'current' | 'draining';

interface MapState {
  readonly inSync: boolean;
  readonly since: Date;
  readonly reason: string | null;
  /** Null: the difference is permanent, or the map is in sync. */
  readonly passing: Passing | null;
}

/** `unverified`: a comparison was interrupted or is due. `pending`: a repair or bulk change under way adds the rest. */
export type Passing = 'unverified' | 'pending';

export interface KnownWorker {
  readonly pid: number;
  readonly startTime: number | null;
  role: WorkerRole;
  readonly maps: Map<MapName, MapState>;
  /** A command went unanswered: groups skip the worker until a probe is answered. */
  unresponsive: boolean;
  /** Failed changes and checks. */
  failures: number;
  /** Abandoned entries that its count includes, by map. */
  readonly abandoned: Record<MapName, AbandonedEntries>;
}

interface WorkerRegistryDeps {
  readonly now: () => Date;
  readonly emit: Emit;
}

export class WorkerRegistry {
  #workers = new Map<string, KnownWorker>();
  #masterPid: number | null = null;
  #runningVersion: string | null = null;
  #takesLines = false;
  #bulkChanges = 0;
  #lastVerifiedAt: Date | null = null;
  readonly #deps: WorkerRegistryDeps;
  readonly #listeners: ((pid: number) => void)[] = [];

  constructor(deps: WorkerRegistryDeps) {
    this.#deps = deps;
  }

  /** `forget` is called for each worker that is gone, because its pid may be reused. */
  onForgotten(forget: (pid: number) => void): void {
    this.#listeners.push(forget);
  }

  get masterPid(): number | null {
    return this.#masterPid;
  }

  /** From `show proc`, such as `2.6.12-1+deb12u4`; null: not seen yet. */
  get runningVersion(): string | null {
    return this.#runningVersion;
  }

  /** Whether the master takes a line of commands for a worker. */
  get takesLines(): boolean {
    return this.#takesLines;
  }

  /** When the blocked map was last in sync in all live workers at once. */
  get lastVerifiedAt(): Date | null {
    return this.#lastVerifiedAt;
  }

  all(): readonly KnownWorker[] {
    return [...this.#workers.values()];
  }

  current(): KnownWorker | null {
    return this.all().find((worker) => worker.role === 'current') ?? null;
  }

  draining(): readonly KnownWorker[] {
    return this.all().filter((worker) => worker.role === 'draining');
  }

  byPid(pid: number): KnownWorker | null {
    return this.all().find((worker) => worker.pid === pid) ?? null;
  }

  observe(processes: Processes): readonly KnownWorker[] {
    this.#masterPid = processes.master.pid;
    this.#runningVersion = processes.current[0]?.version ?? this.#runningVersion;
    const ofMaster = parseRunningVersion(processes.master.version);
    this.#takesLines = ofMaster !== null && capabilitiesOf(ofMaster).workerLines;
    const seen = new Map<string, KnownWorker>();
    const fresh: KnownWorker[] = [];
    const take = (worker: Worker, role: WorkerRole): void => {
      const key = `${worker.pid}:${worker.startTime ?? '?'}`;
      let known = this.#workers.get(key);
      if (known === undefined) {
        known = {
          pid: worker.pid,
          startTime: worker.startTime,
          role,
          maps: new Map(
            mapNames.map((name) => [name, this.#state(false, 'new worker, not compared yet', 'unverified')]),
          ),
          unresponsive: false,
          failures: 0,
          abandoned: {
            blocked: new AbandonedEntries(),
            trusted: new AbandonedEntries(),
            upstreams: new AbandonedEntries(),
            proxy_protocol: new AbandonedEntries(),
            https_sites: new AbandonedEntries(),
            acme_challenges: new AbandonedEntries(),
          },
        };
        fresh.push(known);
      }
      known.role = role;
      seen.set(key, known);
    };
    for (const worker of processes.current) take(worker, 'current');
    for (const worker of processes.draining) take(worker, 'draining');
    const gone = [...this.#workers].filter(([key]) => !seen.has(key));
    this.#workers = seen;
    for (const [, { pid }] of gone) {
      this.#forgotten(pid);
      this.#deps.emit('worker.gone', { pid });
    }
    for (const { pid, role } of fresh) this.#deps.emit('worker.appeared', { pid, role });
    return fresh;
  }

  clear(): void {
    for (const { pid } of this.all()) this.forget(pid);
    this.#masterPid = null;
  }

  forget(pid: number): void {
    for (const [key, worker] of this.#workers) {
      if (worker.pid !== pid) continue;
      this.#workers.delete(key);
      this.#deps.emit('worker.gone', { pid });
    }
    this.#forgotten(pid);
  }

  #forgotten(pid: number): void {
    for (const forget of this.#listeners) forget(pid);
  }

  markInSync(pid: number, map: MapName): void {
    const worker = this.byPid(pid);
    if (worker === null) return;
    worker.unresponsive = false;
    worker.maps.set(map, this.#state(true, null));
    if (this.allInSync()) this.#lastVerifiedAt = this.#deps.now();
  }

  markSuspect(pid: number, map: MapName, reason: string, passing: Passing | null = null): void {
    const worker = this.byPid(pid);
    if (worker === null) return;
    worker.failures += 1;
    const state = this.stateOf(worker, map);
    // A passing difference does not replace a lasting one.
    if (state.inSync || badness(passing) > badness(state.passing))
      worker.maps.set(map, this.#state(false, reason, passing));
  }

  /** For a change of the expected set that was not sent to the workers. */
  markAllSuspect(map: MapName, reason: string, passing: Passing | null = null): void {
    for (const worker of this.all()) this.markSuspect(worker.pid, map, reason, passing);
  }

  stateOf(worker: KnownWorker, map: MapName): MapState {
    return worker.maps.get(map) ?? this.#state(false, 'not compared yet');
  }

  /**
   * True if the last comparison found no difference and no bulk change is being applied, which changes the database
   * first. Another process may have added entries since.
   */
  holdsTheSet(worker: KnownWorker, map: MapName): boolean {
    return this.#bulkChanges === 0 && this.stateOf(worker, map).inSync;
  }

  /** Call the returned function when every worker was compared after the bulk change, or marked as suspect. */
  bulkChangeBegins(): () => void {
    this.#bulkChanges += 1;
    return () => {
      this.#bulkChanges -= 1;
    };
  }

  isInSync(worker: KnownWorker): boolean {
    return mapNames.every((name) => this.stateOf(worker, name).inSync);
  }

  /** At least one current worker, and all maps in sync in every live worker. */
  allInSync(): boolean {
    return this.current() !== null && this.all().every((worker) => this.isInSync(worker));
  }

  /** Passes without intervention: not verified or not repaired yet. */
  hasPassingDifference(): boolean {
    return this.all().some((worker) =>
      mapNames.some((name) => {
        const { inSync, passing } = this.stateOf(worker, name);
        return !inSync && passing !== null;
      }),
    );
  }

  #state(inSync: boolean, reason: string | null, passing: Passing | null = null): MapState {
    return { inSync, since: this.#deps.now(), reason, passing };
  }
}

function badness(passing: Passing | null): number {
  if (passing === null) return 2;
  return passing === 'pending' ? 1 : 0;
}

/**
 * An abandoned version stays in the worker until the next commit, and HAProxy counts its entries with the live ones.
 * Up to 3.1 a delete also removes the entry from the abandoned version.
 */
export class AbandonedEntries {
  #most = 0;
  #least = 0;

  /** Call right after the live map was verified. */
  learn(entries: number): void {
    this.#most = Math.max(0, entries);
    this.#least = this.#most;
  }

  /** Call before this many entries are removed from the live map, and perhaps from the abandoned version. */
  removing(entries: number): void {
    this.#least = Math.max(0, this.#least - entries);
  }

  /** If removals leave open which version lost how many, this is `expected`, and a complete comparison decides. */
  live(counted: number, expected: number): number {
    return counted - Math.min(this.#most, Math.max(this.#least, counted - expected));
  }
}
