// What is known of every live worker: who it is (pid and start time), and whether each map was seen to be whole in
// it. Health, reload decisions and the answers' truth come from here.

import { type Emit, noFacts } from '../../events/facts.ts';
import type { Processes, Worker } from '../../haproxy/process/workers.ts';
import type { MapName } from '../mirrored-map.ts';
import { LeftOver } from '../write/left-over.ts';

export type WorkerRole = 'current' | 'draining';

export interface MapState {
  /** Whole: it was compared and nothing failed since. */
  readonly whole: boolean;
  readonly since: Date;
  /** Why it is not known to be whole. */
  readonly reason: string | null;
  /** Null: what was found stays wrong, or the map is whole. */
  readonly passing: Passing | null;
}

/**
 * What ends by itself: `unproved`, nothing was found wrong, a comparison was cut short or has not been made yet;
 * `unbrought`, it differs, and what is under way (a repair, a big change) brings what it lacks.
 */
export type Passing = 'unproved' | 'unbrought';

export interface KnownWorker {
  readonly pid: number;
  readonly startTime: number | null;
  role: WorkerRole;
  readonly maps: Map<MapName, MapState>;
  /** A command to it went unanswered: it is not asked again by groups until a probe was answered. */
  unresponsive: boolean;
  /** How often somebody failed to bring a change into it, or to see what it holds. */
  troubles: number;
  /** What its count shows beside the live map, by map. */
  readonly leftOver: Record<MapName, LeftOver>;
}

const mapNames: readonly MapName[] = ['blocked', 'trusted'];

export class WorkerBook {
  #workers = new Map<string, KnownWorker>();
  #masterPid: number | null = null;
  #runningVersion: string | null = null;
  #lastVerifiedAt: Date | null = null;
  readonly #now: () => Date;
  readonly #onForgotten: (pid: number) => void;
  readonly #emit: Emit;

  /** `onForgotten` hears of each worker that is gone; another may get its pid. */
  constructor(now: () => Date, onForgotten: (pid: number) => void = () => undefined, emit: Emit = noFacts) {
    this.#now = now;
    this.#onForgotten = onForgotten;
    this.#emit = emit;
  }

  get masterPid(): number | null {
    return this.#masterPid;
  }

  /** As `show proc` lists the current worker, `2.6.12-1+deb12u4`; null: not seen yet. */
  get runningVersion(): string | null {
    return this.#runningVersion;
  }

  /** When the blocked map was last seen to be whole in every live worker at once; null: never yet. */
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

  /** Takes over a `show proc`. Returns the workers that were not known before. */
  observe(processes: Processes): readonly KnownWorker[] {
    this.#masterPid = processes.master.pid;
    this.#runningVersion = processes.current[0]?.version ?? this.#runningVersion;
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
          maps: new Map(mapNames.map((name) => [name, this.#state(false, 'new worker, not compared yet', 'unproved')])),
          unresponsive: false,
          troubles: 0,
          leftOver: { blocked: new LeftOver(), trusted: new LeftOver() },
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
      this.#onForgotten(pid);
      this.#emit('worker.gone', { pid });
    }
    for (const { pid, role } of fresh) this.#emit('worker.appeared', { pid, role });
    return fresh;
  }

  /** No proxy is there at all. */
  clear(): void {
    for (const { pid } of this.all()) this.forget(pid);
    this.#masterPid = null;
  }

  forget(pid: number): void {
    for (const [key, worker] of this.#workers) {
      if (worker.pid !== pid) continue;
      this.#workers.delete(key);
      this.#emit('worker.gone', { pid });
    }
    this.#onForgotten(pid);
  }

  markWhole(pid: number, map: MapName): void {
    const worker = this.byPid(pid);
    if (worker === null) return;
    worker.unresponsive = false;
    worker.maps.set(map, this.#state(true, null));
    if (this.isWholeEverywhere()) this.#lastVerifiedAt = this.#now();
  }

  markSuspect(pid: number, map: MapName, reason: string, passing: Passing | null = null): void {
    const worker = this.byPid(pid);
    if (worker === null) return;
    worker.troubles += 1;
    const state = this.stateOf(worker, map);
    // What is worse is not covered up by what is less.
    if (state.whole || badness(passing) > badness(state.passing))
      worker.maps.set(map, this.#state(false, reason, passing));
  }

  /** After a change in what is expected that nobody sent to the workers. */
  markAllSuspect(map: MapName, reason: string): void {
    for (const worker of this.all()) this.markSuspect(worker.pid, map, reason);
  }

  stateOf(worker: KnownWorker, map: MapName): MapState {
    return worker.maps.get(map) ?? this.#state(false, 'not compared yet');
  }

  isWhole(worker: KnownWorker): boolean {
    return mapNames.every((name) => this.stateOf(worker, name).whole);
  }

  /** At least one current worker, and every live worker seen to hold both maps. */
  isWholeEverywhere(): boolean {
    return this.current() !== null && this.all().every((worker) => this.isWhole(worker));
  }

  /** Somewhere something is not proved, or not mended, that ends by itself: another look may show it. */
  hasPassingLack(): boolean {
    return this.all().some((worker) =>
      mapNames.some((name) => {
        const { whole, passing } = this.stateOf(worker, name);
        return !whole && passing !== null;
      }),
    );
  }

  #state(whole: boolean, reason: string | null, passing: Passing | null = null): MapState {
    return { whole, since: this.#now(), reason, passing };
  }
}

function badness(passing: Passing | null): number {
  if (passing === null) return 2;
  return passing === 'unbrought' ? 1 : 0;
}
