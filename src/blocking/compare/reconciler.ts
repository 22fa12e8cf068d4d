// Checks every worker's entry count every 2 s and the complete maps every 30 s, and repairs differences at once.
import type { KickablePause } from '../../concurrency/pause.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { RuntimeMapRejection } from '../../haproxy/maps/runtime-map.ts';
import { showProcesses } from '../../haproxy/process/workers.ts';
import { type MasterSocket, MasterSocketError } from '../../haproxy/socket/master-socket.ts';
import { mayBeReload } from '../../haproxy/socket/master-socket-error.ts';
import { isWorkerGone } from '../../haproxy/socket/replies.ts';
import { causeText, type Log } from '../../telemetry/log.ts';
import { isUnused, type MapName, type MirroredMap } from '../mirrored-map.ts';
import type { MapFileKeeper } from '../write/map-file-keeper.ts';
import type { RuntimeLink } from '../write/runtime-link.ts';
import { type DriftObserver, unobservedDrift } from './drift-observer.ts';
import type { WorkerReconciler } from './worker-reconciler.ts';
import type { KnownWorker, WorkerRegistry } from './worker-registry.ts';

const checkEveryMs = 2_000;
const checkWhileStartingMs = 100;
/** A file that waits for a confirmation need not be read every two seconds. */
const refusedFileRetryMs = 10_000;
/** After a full disk the file must be in sync within ten seconds, including a rewrite of millions of entries. */
const failedFileRetryMs = 3_000;
const loggedAtMost = 200;
const compareEveryMs = 30_000;
const checkPatienceMs = 5_000;
/** Longer than any reload: a socket that refuses for so long is a stale file. */
const reloadTakesAtMostMs = 10_000;

/** Files of sets with few entries, which are rewritten completely. */
export interface SmallSetFiles {
  /** For the metric: the first of its maps. */
  readonly map: MapName;
  /** For the log, such as `trusted addresses`. */
  readonly what: string;
  unchanged(): Promise<boolean>;
  rewrite(): Promise<void>;
}

interface ReconcilerDeps {
  readonly timer: KickablePause;
  readonly socket: MasterSocket;
  readonly link: RuntimeLink;
  readonly registry: WorkerRegistry;
  readonly workers: WorkerReconciler;
  readonly keeper: MapFileKeeper;
  readonly smallSets: readonly SmallSetFiles[];
  readonly maps: readonly MirroredMap[];
  readonly log: Log;
  /** Commands could not repair the current worker: only a reload is left. */
  readonly onCurrentOutOfSync: (reason: string) => void;
  /** Whether the master process lives, whatever its socket answers. */
  readonly proxyRuns: () => Promise<boolean>;
  readonly drift?: Pick<DriftObserver, 'fileRepaired'>;
}

export class Reconciler {
  readonly #deps: ReconcilerDeps;
  readonly #drift: Pick<DriftObserver, 'fileRepaired'>;
  readonly #stop = new AbortController();
  #paused = 0;
  #lastComparison = 0;
  #unreachableSince: number | null = null;
  #workerStarting = false;
  #loop: Promise<void> | null = null;
  #running: Promise<void> | null = null;
  #fileAgainAt = 0;
  readonly #logged = new Map<string, string>();

  constructor(deps: ReconcilerDeps) {
    this.#deps = deps;
    this.#drift = deps.drift ?? unobservedDrift;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  kick(): void {
    this.#deps.timer.kick();
  }

  /** While a bulk change is applied, database and workers differ on purpose. */
  pause(): () => void {
    this.#paused += 1;
    return () => {
      this.#paused -= 1;
      this.kick();
    };
  }

  get paused(): boolean {
    return this.#paused > 0;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#deps.timer.wake();
    await this.#loop;
  }

  /** Resolves when differences are repaired, or could not be. One check at a time. */
  async check(compareAll: boolean): Promise<void> {
    while (this.#running !== null) await this.#running;
    const check = this.#checkOnce(compareAll);
    this.#running = check;
    try {
      await check;
    } finally {
      this.#running = null;
    }
  }

  /** Repeated once if a reload interrupted a comparison: by then the ended worker is no longer listed. */
  async checkThroughReload(compareAll: boolean): Promise<void> {
    await this.check(compareAll);
    if (!this.paused && this.#deps.registry.hasPassingDifference()) await this.check(false);
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.#deps.timer.begin();
      if (!this.paused) {
        const due = performance.now() - this.#lastComparison >= compareEveryMs;
        await this.check(due);
      }
      if (this.#deps.timer.kicked && !this.paused) continue;
      const pauseMs = this.#workerStarting ? checkWhileStartingMs : checkEveryMs;
      await this.#deps.timer.wait(pauseMs, { signal: this.#stop.signal });
    }
  }

  async #checkOnce(compareAll: boolean): Promise<void> {
    this.#workerStarting = false;
    try {
      await this.#checkFile();
      for (const set of this.#deps.smallSets) await this.#checkSmallSet(set);
      if (!this.#deps.link.state.up) return;
      const processes = await showProcesses(this.#deps.socket, performance.now() + checkPatienceMs);
      this.#unreachableSince = null;
      this.#workerStarting = processes.starting.length > 0;
      this.#deps.registry.observe(processes);
      // From 3.1 on the master survives a worker that dies after a rejected reload: only a reload starts another.
      if (processes.current.length === 0 && processes.starting.length === 0)
        this.#deps.onCurrentOutOfSync('no current worker');
      if (compareAll) this.#lastComparison = performance.now();
      // A draining one that hangs must not delay the comparison of a new one.
      const workers = this.#deps.registry.all();
      for (const role of ['current', 'draining'] as const) {
        for (const worker of workers.filter((one) => one.role === role)) await this.#checkWorker(worker, compareAll);
      }
    } catch (error) {
      await this.#notice(error);
    }
  }

  async #checkFile(): Promise<void> {
    const { file, problem, wantsRewrite } = this.#deps.keeper;
    const isChanged = problem === null && !(await file.unchanged());
    if (problem === null && !isChanged && !wantsRewrite) return;
    if (performance.now() < this.#fileAgainAt) return;
    try {
      if (isChanged) this.#deps.log.warn('Map file was changed by another process; rewriting it from the database');
      // For example a full disk: no other process wrote to the file.
      else if (problem !== null) this.#deps.log.warn('Map file is rewritten from the database', { reason: problem });
      await this.#deps.keeper.updateBlockedIpsMap();
      if (isChanged) this.#drift.fileRepaired('blocked');
      this.#logged.delete('file');
    } catch (error) {
      const unusable = error instanceof ServiceError && error.status === 503;
      this.#fileAgainAt = performance.now() + (unusable ? failedFileRetryMs : refusedFileRetryMs);
      const cause = causeText(error);
      this.#logOnce('file', cause, () => this.#deps.log.error('Map file could not be rewritten', { cause }));
    }
  }

  async #checkSmallSet({ map, what, unchanged, rewrite }: SmallSetFiles): Promise<void> {
    try {
      if (await unchanged()) return;
      this.#deps.log.warn(`Map file of ${what} is not the one last written; rewriting it`);
      await rewrite();
      this.#drift.fileRepaired(map);
      this.#logged.delete(`${map} file`);
    } catch (error) {
      const cause = causeText(error);
      this.#logOnce(`${map} file`, cause, () =>
        this.#deps.log.error(`Map file of ${what} could not be written`, { cause }),
      );
    }
  }

  #logOnce(about: string, what: string, log: () => void): void {
    if (this.#logged.get(about) === what) return;
    if (this.#logged.size > loggedAtMost) this.#logged.clear();
    this.#logged.set(about, what);
    log();
  }

  async #checkWorker(worker: KnownWorker, compareAll: boolean): Promise<void> {
    for (const [index, map] of this.#deps.maps.entries()) {
      if (
        !compareAll &&
        this.#deps.registry.stateOf(worker, map.name).inSync &&
        (await this.#countIsRight(worker, map))
      )
        continue;
      const verdict = await this.#deps.workers.sync(map, worker.pid);
      if (verdict.inSync || this.#deps.registry.byPid(worker.pid) === null) {
        this.#logged.delete(`${map.name}:${worker.pid}`);
        if (verdict.inSync) await this.#learnAbandoned(worker, map);
        continue;
      }
      this.#logOnce(`${map.name}:${worker.pid}`, verdict.reason ?? '', () =>
        this.#deps.log.warn('Running map not verified', {
          map: map.name,
          worker: worker.pid,
          draining: worker.role === 'draining',
          reason: verdict.reason,
        }),
      );
      if (verdict.socketFailure !== null && worker.role === 'draining') {
        // It would not answer for the others either, at two seconds each.
        for (const other of this.#deps.maps.slice(index + 1)) {
          this.#deps.registry.markSuspect(worker.pid, other.name, verdict.reason ?? verdict.socketFailure);
        }
        if (mayBeReload(verdict.socketFailure)) this.kick();
        return;
      }
      if (verdict.socketFailure !== null && mayBeReload(verdict.socketFailure)) this.kick();
      else if (worker.role === 'current')
        this.#deps.onCurrentOutOfSync(`map of worker ${worker.pid}: ${verdict.reason}`);
    }
  }

  /** Takes 0.2 ms at any size. A count that changed meanwhile is read again. */
  async #countIsRight(worker: KnownWorker, map: MirroredMap): Promise<boolean> {
    for (let tries = 0; tries < 3; tries += 1) {
      const before = map.expected.total;
      let entries: number;
      try {
        entries = await this.#entriesOf(map, worker);
      } catch (error) {
        if (!(error instanceof MasterSocketError)) throw error;
        // It exited after it was listed, and serves no client.
        if (isWorkerGone(error.partial)) {
          this.#deps.registry.forget(worker.pid);
          return true;
        }
        // A draining worker that hangs or exits says nothing about the others.
        if (worker.role !== 'draining') throw error;
        worker.unresponsive = error.reason === 'deadline';
        return false;
      }
      worker.unresponsive = false;
      if (entries === before && before === map.expected.total) return true;
      if (before === map.expected.total && tries > 0) return false;
    }
    return true;
  }

  async #entriesOf(map: MirroredMap, worker: KnownWorker): Promise<number> {
    try {
      const ref = { kind: 'pid', pid: worker.pid } as const;
      const count = await map.runtime.entryCount(performance.now() + checkPatienceMs, ref);
      // A commit, or a new configuration, freed the abandoned version.
      const abandoned = worker.abandoned[map.name];
      if (count.nextVersion <= count.currentVersion) abandoned.learn(0);
      return abandoned.live(count.entries, map.expected.total);
    } catch (error) {
      if (isUnused(map, error, worker.role)) return map.expected.total;
      throw error;
    }
  }

  /**
   * The count includes an abandoned version until the next commit. Right after the live map was verified, the excess is
   * that version: without this every check would be a complete comparison.
   */
  async #learnAbandoned(worker: KnownWorker, map: MirroredMap): Promise<void> {
    const before = map.expected.total;
    const ref = { kind: 'pid', pid: worker.pid } as const;
    try {
      const count = await map.runtime.entryCount(performance.now() + checkPatienceMs, ref);
      if (before !== map.expected.total || count.nextVersion <= count.currentVersion) return;
      worker.abandoned[map.name].learn(count.entries - before);
    } catch (error) {
      if (error instanceof MasterSocketError || isUnused(map, error, worker.role)) return;
      throw error;
    }
  }

  async #mayRun(): Promise<boolean> {
    try {
      return await this.#deps.proxyRuns();
    } catch (error) {
      this.#deps.log.warn('Could not check whether HAProxy runs', { cause: causeText(error) });
      return true;
    }
  }

  async #notice(error: unknown): Promise<void> {
    if (error instanceof RuntimeMapRejection) {
      this.#deps.log.warn('HAProxy rejected a command of a check', { cause: causeText(error) });
      return;
    }
    if (!(error instanceof MasterSocketError)) {
      this.#deps.log.error('Check of HAProxy failed', { cause: causeText(error) });
      return;
    }
    // During a reload the socket refuses for a moment. A missing socket is reported now.
    const passing = mayBeReload(error.reason) ? 'unverified' : null;
    for (const worker of this.#deps.registry.all()) {
      for (const map of this.#deps.maps) {
        this.#deps.registry.markSuspect(worker.pid, map.name, `${error.reason}: not reachable`, passing);
      }
    }
    this.#unreachableSince ??= performance.now();
    const lasting = performance.now() - this.#unreachableSince > reloadTakesAtMostMs;
    if (mayBeReload(error.reason) && !lasting) return;
    this.#deps.link.markDown(error);
    // Only a reload recreates the socket of a running proxy.
    if (await this.#mayRun()) this.#deps.onCurrentOutOfSync(`master socket: ${error.reason}`);
  }
}
