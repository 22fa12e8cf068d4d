// The truth about the whole, probed when asked: one glance says whether blocking is enforced, and if not, why.
import { setTimeout as sleep } from 'node:timers/promises';
import type { AttachedReport, DriftReport, Health as HealthReport } from '../api/health.ts';
import type { BulkRunner } from '../blocking/bulk/bulk-runner.ts';
import type { Reconciler } from '../blocking/compare/reconciler.ts';
import type { KnownWorker, Passing, WorkerBook } from '../blocking/compare/worker-book.ts';
import type { MirroredMap } from '../blocking/mirrored-map.ts';
import type { TrustedSet } from '../blocking/trusted-set.ts';
import type { MapFileKeeper } from '../blocking/write/map-file-keeper.ts';
import type { RuntimeLink } from '../blocking/write/runtime-link.ts';
import type { TurnQueue } from '../concurrency/turn-queue.ts';
import type { ReloadCoordinator } from '../configuration/reload/reload-coordinator.ts';
import { type Processes, showProcesses } from '../haproxy/process/workers.ts';
import { type MasterSocket, MasterSocketError } from '../haproxy/socket/master-socket.ts';
import { mayBeReload } from '../haproxy/socket/master-socket-error.ts';
import type { Database } from '../store/open-database.ts';
import { childrenOf, processAlive } from '../system/processes.ts';
import { causeText } from '../telemetry/log.ts';
import { type ConfigurationDrift, driftSeen } from './configuration-drift.ts';
import { type EntryCount, EntryCounter, saysNothing, troubleInCount } from './entry-counter.ts';
import { HealthFindings, type HealthVerdict } from './health-verdict.ts';
import { Look, type Seen } from './look.ts';
import { LookBound } from './look-bound.ts';

/** Whoever asks has his answer after this long, whatever hangs; a load balancer's check waits some seconds at most. */
const answerWithinMs = 3_000;
const probePatienceMs = 1_500;
/** A template of an operator's own is rendered by a thread; what it finds later is there for the next question. */
const driftPatienceMs = 1_000;
/** A comparison leaves so much of the time to the count behind it. */
const countNeedsMs = 500;
/** While one reload follows the other, the socket is there for some 10 ms at a time. */
const reloadPollMs = 10;

export interface HealthSources {
  readonly database: Pick<Database, 'ping' | 'probe'>;
  readonly socket: MasterSocket;
  readonly link: RuntimeLink;
  readonly book: WorkerBook;
  readonly keeper: MapFileKeeper;
  readonly trusted: Pick<TrustedSet, 'fileUnchanged' | 'expected'>;
  readonly blocked: MirroredMap;
  readonly turns: TurnQueue;
  readonly bulk: Pick<BulkRunner, 'problem' | 'underWay'>;
  /** Paused: a big change is under way, and database and workers differ on purpose. */
  readonly reconciler: Pick<Reconciler, 'paused' | 'lookThroughReload'>;
  readonly reloads: ReloadCoordinator;
  /** null: the configuration is not written here. */
  readonly drift: Pick<ConfigurationDrift, 'look'> | null;
  readonly attached: () => AttachedReport | null;
  /** As of the last look at the live configuration; null: not known. */
  readonly trustHasEffect: () => boolean | null;
  /** By its pid file, whatever its socket says. */
  readonly findMaster: () => Promise<{ readonly pid: number } | null>;
  readonly versions: () => {
    readonly service: string;
    readonly proxy: string;
    readonly unsupported: readonly string[];
    readonly untested: string | null;
  };
  /** What else is wrong: the supervisor's state, foreign listeners. */
  readonly proxyProblems: () => Promise<readonly string[]>;
  readonly started: () => boolean;
  /** Milliseconds; 3,000 unless told. */
  readonly answerWithinMs?: number;
}

type DatabaseLook = 'ping' | 'probe';

interface Probe {
  readonly report: HealthReport;
  readonly verdict: HealthVerdict;
}

/** What the proxy itself was asked: one thing after the other, as each needs what was seen before. */
interface ProxyLooks {
  readonly processes: Seen<Processes | MasterSocketError>;
  readonly count: Seen<EntryCount>;
  readonly problems: Seen<readonly string[]>;
  readonly noWorker: boolean;
  /** Whether a big change was under way when the entries began to be counted. */
  readonly changingBefore: boolean;
}

export class Health {
  readonly #sources: HealthSources;
  readonly #withinMs: number;
  readonly #counter: EntryCounter;
  readonly #database = new Look<string | null>((problem) => problem);
  readonly #file = new Look<string | null>((problem) => problem);
  readonly #processes = new Look<Processes | MasterSocketError>(socketProblem);
  readonly #comparison = new Look<void>(() => null);
  readonly #count = new Look<EntryCount>((count) => (saysNothing(count) ? undefined : troubleInCount(count)));
  readonly #problems = new Look<readonly string[]>((problems) => problems[0] ?? null);
  readonly #drift = new Look<DriftReport>(() => null);
  readonly #life = new Look<boolean>((lives) => (lives ? null : 'no worker of the proxy is running'));
  #running: Promise<Probe> | null = null;
  /** What the last write that was tried found: between two of them a disk stays full, though reads succeed. */
  #writeProblem: string | null = null;

  constructor(sources: HealthSources) {
    this.#sources = sources;
    this.#withinMs = sources.answerWithinMs ?? answerWithinMs;
    this.#counter = new EntryCounter(sources);
  }

  /**
   * Within three seconds; what could not be looked at in that time is told as that. Those who ask while somebody else's
   * answer is made share the looks that were not begun by then: an answer is never older than its question.
   */
  async health(): Promise<HealthReport> {
    return (await this.#start('probe', true)).report;
  }

  /**
   * The same, part by part, for the service's own sake: it takes part in a probe that runs, and holds up no change.
   * @param how `ping`: nothing is written to the database
   */
  async verdict(how: DatabaseLook): Promise<HealthVerdict> {
    return (await this.#anyProbe(how)).verdict;
  }

  /** The report for the service's own sake, which nobody waits for, as `verdict` is. `ping`: nothing is written. */
  async look(how: DatabaseLook): Promise<HealthReport> {
    return (await this.#anyProbe(how)).report;
  }

  async #anyProbe(how: DatabaseLook): Promise<Probe> {
    return await (this.#running ?? this.#start(how, false));
  }

  /** @param mayTakeTurn whether changes may have to wait for the count of the entries */
  async #start(how: DatabaseLook, mayTakeTurn: boolean): Promise<Probe> {
    const bound = new LookBound(performance.now() + this.#withinMs);
    const probe = this.#probe(how, mayTakeTurn, bound);
    this.#running = probe;
    try {
      return await probe;
    } finally {
      bound.end();
      if (this.#running === probe) this.#running = null;
    }
  }

  /** Anybody may ask this, so it costs no write. */
  async ready(): Promise<boolean> {
    return this.#sources.started() && (await this.#readProblem()) === null;
  }

  async #probe(how: DatabaseLook, mayTakeTurn: boolean, bound: LookBound): Promise<Probe> {
    const { book, keeper, reloads, link, bulk } = this.#sources;
    const found = new HealthFindings();
    const [database, file, drift, proxy] = await Promise.all([
      this.#database.within(bound, () => this.#databaseProblem(how), { kind: how }),
      this.#file.within(bound, () => this.#fileProblem()),
      // Has no part in the verdict: it is rendered for those who ask only, and holds up nothing else for long.
      this.#driftSeen(mayTakeTurn, bound),
      this.#lookAtProxy(mayTakeTurn, bound),
    ]);
    const { processes, count, problems, noWorker, changingBefore } = proxy;
    found.take('database', 'database', database, (problem) => problem);
    found.take('master_socket', 'master socket', processes, socketProblem);
    found.take('runtime_map', 'running map', count, troubleInCount);
    found.take('map_file', 'map file', file, (problem) => problem);
    if (bulk.problem !== null) found.add('database', `database: ${bulk.problem}`);
    // What a big change under way leaves to be done is on purpose, and is told by its own answer; what was found before
    // it or beside it, such as a block that did not get into a worker, is neither.
    const changing = changingBefore || this.#sources.reconciler.paused;
    const { scheduled } = reloads;
    if (scheduled !== null) found.add('reload', `a reload is scheduled: ${scheduled.reasons[0]}`);
    const { unsupported, ...versions } = this.#sources.versions();
    found.add('version', ...unsupported);
    if (problems.seen) found.add('proxy', ...problems.value);
    else found.miss('proxy', 'proxy', problems);
    // Last, as the workers' part of the answer: one that a reload has cut short meanwhile may be whole again, or gone.
    if (book.hasPassingLack()) await this.#comparedByNow(bound.restMs, bound);
    for (const worker of book.all()) {
      const lack = lackOf(worker, book, worker.unresponsive ? [] : this.#passingNow(changing));
      if (lack !== null) found.add('runtime_map', `${worker.role} worker ${worker.pid}: ${lack}`);
    }

    if (noWorker) found.add('workers', 'no worker of the proxy is running');
    const { reasons } = found;
    // A disk that was found full by a write stays full until a write succeeds.
    const databaseProblem = database.seen ? database.value : this.#writeProblem;
    const status = databaseProblem !== null || noWorker ? 'down' : reasons.length > 0 ? 'degraded' : 'ok';
    const current = noWorker ? null : book.current();
    const report: HealthReport = {
      status,
      reasons,
      database: {
        ...partOf(database, 'down', (problem) => problem),
        ...(databaseProblem === null ? {} : { status: 'down' }),
      },
      master_socket: {
        ...partOf(processes, 'down', socketProblem),
        since: link.state.up ? null : link.state.since.toISOString(),
      },
      workers: {
        current: current === null ? null : workerPart(current, book),
        draining: book.draining().map((worker) => workerPart(worker, book)),
      },
      map_file: { ...partOf(file, 'behind', (problem) => problem), entries: keeper.file.entryCount },
      runtime_map: {
        expected: count.seen ? count.value.expected : keeper.expected.total,
        seen: count.seen ? count.value.seen : null,
        big_change: bulk.underWay === null ? null : { added: bulk.underWay.added, removed: bulk.underWay.removed },
        last_verified_at: book.lastVerifiedAt?.toISOString() ?? null,
      },
      last_reload: reloads.last,
      configuration_drift: drift,
      attached: this.#sources.attached(),
      trusted_map: { used: this.#sources.trustHasEffect(), entries: this.#sources.trusted.expected.total },
      scheduled_reload:
        scheduled === null
          ? null
          : { reasons: scheduled.reasons, since: scheduled.since.toISOString(), attempts: scheduled.attempts },
      versions,
    };
    return { report, verdict: found.verdict(status) };
  }

  async #lookAtProxy(mayTakeTurn: boolean, bound: LookBound): Promise<ProxyLooks> {
    const processes = await this.#processes.within(bound, () => this.#listed());
    // Whose sockets are ours is known by now.
    const [counted, problems, noWorker] = await Promise.all([
      this.#counted(processes, mayTakeTurn, bound),
      this.#problems.within(bound, () => this.#proxyProblems()),
      this.#noWorker(processes, bound),
    ]);
    return { processes, ...counted, problems, noWorker };
  }

  async #counted(
    processes: Seen<Processes | MasterSocketError>,
    mayTakeTurn: boolean,
    bound: LookBound,
  ): Promise<Pick<ProxyLooks, 'count' | 'changingBefore'>> {
    await this.#comparedByNow(bound.restMs - countNeedsMs, bound);
    const changingBefore = this.#sources.reconciler.paused;
    const count = processes.seen ? await this.#countedIn(processes.value, mayTakeTurn, bound) : this.#count.leftOut();
    return { count, changingBefore };
  }

  async #countedIn(
    processes: Processes | MasterSocketError,
    mayTakeTurn: boolean,
    bound: LookBound,
  ): Promise<Seen<EntryCount>> {
    if (processes instanceof MasterSocketError) return { seen: true, value: this.#counter.uncounted() };
    const kind = mayTakeTurn ? 'by turn' : 'beside';
    return await this.#count.within(bound, (isWanted) => this.#counter.count(mayTakeTurn, isWanted), { kind });
  }

  async #driftSeen(isAskedFor: boolean, bound: LookBound): Promise<DriftReport | null> {
    const { drift } = this.#sources;
    if (drift === null) return null;
    if (!isAskedFor) return driftSeen(this.#drift.leftOut());
    return driftSeen(await this.#drift.within(bound, () => drift.look(), { patienceMs: driftPatienceMs }));
  }

  /** A configuration that cannot be read is a finding, not a failure of the probe. */
  async #proxyProblems(): Promise<readonly string[]> {
    try {
      return await this.#sources.proxyProblems();
    } catch (error) {
      return [`proxy: ${causeText(error)}`];
    }
  }

  /**
   * What nobody has to be called for. A big change brings what is lacking. A reload proves its new worker before it is
   * called done, and tells when it cannot; a worker that was found to differ meanwhile is none of that.
   */
  #passingNow(changing: boolean): readonly Passing[] {
    const { reconciler, reloads } = this.#sources;
    if (changing || reconciler.paused) return ['unproved', 'unbrought'];
    return reloads.underWay ? ['unproved'] : [];
  }

  async #databaseProblem(how: DatabaseLook): Promise<string | null> {
    const readProblem = await this.#readProblem();
    if (readProblem !== null) return readProblem;
    if (how === 'probe') this.#writeProblem = await problemOf(() => this.#sources.database.probe());
    return this.#writeProblem;
  }

  async #readProblem(): Promise<string | null> {
    return await problemOf(() => this.#sources.database.ping());
  }

  async #listed(): Promise<Processes | MasterSocketError> {
    const { book, socket, link } = this.#sources;
    const deadline = performance.now() + probePatienceMs;
    for (;;) {
      try {
        const processes = await showProcesses(socket, deadline);
        book.observe(processes);
        return processes;
      } catch (error) {
        if (!(error instanceof MasterSocketError)) throw error;
        // A reload takes the socket away for a moment, and is nothing that anybody has to be called for.
        const mayEnd = link.state.up && mayBeReload(error.reason);
        if (!mayEnd || performance.now() + reloadPollMs >= deadline) return error;
      }
      await sleep(reloadPollMs);
    }
  }

  /** One that is new, or could not be reached during a reload, is looked at now: "not compared yet" would tell nothing. */
  async #comparedByNow(patienceMs: number, bound: LookBound): Promise<void> {
    const { book, reconciler, link } = this.#sources;
    const settled = book.all().every((worker) => book.isWhole(worker) || worker.unresponsive);
    if (settled || reconciler.paused || !link.state.up) return;
    const givenMs = Math.min(patienceMs, probePatienceMs);
    // What it does not come to is told of the worker.
    if (givenMs > 0)
      await this.#comparison.within(bound, () => reconciler.lookThroughReload(false), { patienceMs: givenMs });
  }

  async #fileProblem(): Promise<string | null> {
    const { keeper, trusted } = this.#sources;
    if (keeper.problem !== null) return keeper.problem;
    if (!(await keeper.file.unchanged())) return 'it is not what was written';
    return (await trusted.fileUnchanged()) ? null : 'that of the trusted addresses is not what was written';
  }

  async #noWorker(processes: Seen<Processes | MasterSocketError>, bound: LookBound): Promise<boolean> {
    if (processes.seen && !(processes.value instanceof MasterSocketError)) return processes.value.current.length === 0;
    const life = await this.#life.within(bound, () => this.#anyWorkerLives());
    // Not known is not dead.
    return life.seen && !life.value;
  }

  /** With the socket away, /proc still tells. */
  async #anyWorkerLives(): Promise<boolean> {
    const { book } = this.#sources;
    try {
      for (const worker of book.all()) if (await processAlive(worker.pid, worker.startTime)) return true;
      // A reload that went by signal has workers that nobody could list yet, as has a proxy whose socket never answered.
      const masters = [book.masterPid, (await this.#sources.findMaster())?.pid ?? null].filter((pid) => pid !== null);
      for (const pid of masters) if ((await childrenOf(pid)).length > 0) return true;
      return false;
    } catch (error) {
      // No file descriptor is left to look with, for one. Not known is not dead.
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
      return true;
    }
  }
}

async function problemOf(ask: () => Promise<void>): Promise<string | null> {
  try {
    await ask();
    return null;
  } catch (error) {
    return causeText(error);
  }
}

function socketProblem(seen: Processes | MasterSocketError): string | null {
  return seen instanceof MasterSocketError ? seen.detail : null;
}

function partOf<T, Wrong extends string>(look: Seen<T>, wrong: Wrong, problemIn: (value: T) => string | null) {
  if (!look.seen) return { status: 'unknown' as const, reason: look.why };
  const reason = problemIn(look.value);
  return { status: reason === null ? ('ok' as const) : wrong, reason };
}

function lackOf(worker: KnownWorker, book: WorkerBook, except: readonly Passing[] = []): string | null {
  for (const map of ['blocked', 'trusted'] as const) {
    const state = book.stateOf(worker, map);
    const excepted = state.passing !== null && except.includes(state.passing);
    if (!state.whole && !excepted) return `${map} map: ${state.reason ?? 'not verified'}`;
  }
  return null;
}

function workerPart(worker: KnownWorker, book: WorkerBook) {
  return { pid: worker.pid, whole: book.isWhole(worker), reason: lackOf(worker, book) };
}
