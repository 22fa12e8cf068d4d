// The truth about the whole, probed when asked: one glance says whether blocking is enforced, and if not, why.
import { setTimeout as sleep } from 'node:timers/promises';
import type { BulkRunner } from '../blocking/bulk-runner.ts';
import type { LeftOver } from '../blocking/left-over.ts';
import type { MapFileKeeper } from '../blocking/map-file-keeper.ts';
import type { MirroredMap } from '../blocking/mirrored-map.ts';
import type { Reconciler } from '../blocking/reconciler.ts';
import { mayBeReload, type RuntimeLink } from '../blocking/runtime-link.ts';
import type { TrustedSet } from '../blocking/trusted-set.ts';
import type { TurnQueue } from '../blocking/turn-queue.ts';
import type { KnownWorker, Passing, WorkerBook } from '../blocking/worker-book.ts';
import type { ReloadCoordinator } from '../configuration/reload-coordinator.ts';
import { type MasterSocket, MasterSocketError } from '../haproxy/master-socket.ts';
import { childrenOf, processAlive } from '../haproxy/process.ts';
import { RuntimeMapRejection } from '../haproxy/runtime-map.ts';
import { type Processes, showProcesses } from '../haproxy/workers.ts';
import type { HealthReport, HealthService } from '../http/services.ts';
import type { HealthVerdict } from '../metrics/health-metrics.ts';
import type { Database } from '../store/open-database.ts';
import { causeText } from '../telemetry/log.ts';
import { HealthFindings } from './health-findings.ts';

const probePatienceMs = 1_500;
/** Blocks wait meanwhile. */
const inTurnPatienceMs = 250;
/** While one reload follows the other, the socket is there for some 10 ms at a time. */
const reloadPollMs = 10;
/** How often the entries are counted beside the changes that come, before one count has the turn. */
const countsBeside = 3;

export interface HealthSources {
  readonly database: Pick<Database, 'ping' | 'probe'>;
  readonly socket: MasterSocket;
  readonly link: RuntimeLink;
  readonly book: WorkerBook;
  readonly keeper: MapFileKeeper;
  readonly trusted: Pick<TrustedSet, 'fileUnchanged'>;
  readonly blocked: MirroredMap;
  readonly turns: TurnQueue;
  readonly bulk: Pick<BulkRunner, 'problem' | 'underWay'>;
  /** Paused: a big change is under way, and database and workers differ on purpose. */
  readonly reconciler: Pick<Reconciler, 'paused' | 'lookThroughReload'>;
  readonly reloads: ReloadCoordinator;
  readonly versions: () => {
    readonly service: string;
    readonly proxy: string;
    readonly unsupported: readonly string[];
  };
  /** What else is wrong: the supervisor's state, foreign listeners. */
  readonly proxyProblems: () => Promise<readonly string[]>;
  readonly started: () => boolean;
}

type DatabaseLook = 'ping' | 'probe';

interface Probe {
  readonly report: HealthReport;
  readonly verdict: HealthVerdict;
}

interface EntryCount {
  readonly seen: number | null;
  readonly expected: number;
  /** What the worker may hold at this moment, both included: other than `expected` only during a big change. */
  readonly least: number;
  readonly most: number;
  readonly unanswered: string | null;
}

export class Health implements HealthService {
  readonly #sources: HealthSources;
  #running: Promise<Probe> | null = null;
  #next: Promise<Probe> | null = null;
  /** What the last write that was tried found: between two of them a disk stays full, though reads succeed. */
  #writeProblem: string | null = null;

  constructor(sources: HealthSources) {
    this.#sources = sources;
  }

  async health(): Promise<HealthReport> {
    return (await this.#shared()).report;
  }

  /**
   * The same, part by part, for the service's own sake: it takes part in a probe that runs, and holds up no change.
   * @param how `ping`: nothing is written to the database
   */
  async verdict(how: DatabaseLook): Promise<HealthVerdict> {
    return (await (this.#running ?? this.#start(how, false))).verdict;
  }

  /** Those who ask while a probe runs share the one that follows it: an answer is never older than its question. */
  async #shared(): Promise<Probe> {
    if (this.#running === null) return await this.#start();
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = null;
        return this.#start();
      });
    return await this.#next;
  }

  /** The report for the service's own sake, which nobody waits for, as `verdict` is. `ping`: nothing is written. */
  async look(how: DatabaseLook): Promise<HealthReport> {
    return (await (this.#running ?? this.#start(how, false))).report;
  }

  /** @param mayTakeTurn whether changes may have to wait for the count of the entries */
  #start(how: DatabaseLook = 'probe', mayTakeTurn = true): Promise<Probe> {
    this.#running = this.#probe(how, mayTakeTurn).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Anybody may ask this, so it costs no write. */
  async ready(): Promise<boolean> {
    return this.#sources.started() && (await this.#readProblem()) === null;
  }

  async #probe(how: DatabaseLook, mayTakeTurn: boolean): Promise<Probe> {
    const { book, keeper, reloads, link, bulk } = this.#sources;
    const found = new HealthFindings();
    const databaseProblem = await this.#databaseProblem(how);
    if (databaseProblem !== null) found.add('database', `database: ${databaseProblem}`);
    const processes = await this.#processes();
    await this.#comparedByNow();
    const changingBefore = this.#sources.reconciler.paused;
    if (processes instanceof MasterSocketError) found.add('master_socket', `master socket: ${processes.message}`);
    const { seen, expected, least, most, unanswered } = await this.#countEntries(processes, mayTakeTurn);
    if (unanswered !== null) found.add('runtime_map', `running map: ${unanswered}`);
    const fileProblem = await this.#fileProblem();
    if (fileProblem !== null) found.add('map_file', `map file: ${fileProblem}`);
    if (bulk.problem !== null) found.add('database', `database: ${bulk.problem}`);
    // What a big change under way leaves to be done is on purpose, and is told by its own answer; what was found before
    // it or beside it, such as a block that did not get into a worker, is neither.
    const changing = changingBefore || this.#sources.reconciler.paused;
    if (seen !== null && (seen < least || seen > most)) {
      const wanted =
        least === most ? `instead of ${expected}` : `where a big change under way leaves ${least} to ${most}`;
      found.add('runtime_map', `running map: it holds ${seen} entries ${wanted}`);
    }
    const { scheduled } = reloads;
    if (scheduled !== null) found.add('reload', `a reload is scheduled: ${scheduled.reasons[0]}`);
    const { unsupported, ...versions } = this.#sources.versions();
    found.add('version', ...unsupported);
    found.add('proxy', ...(await this.#proxyProblems()));
    // Last, as the workers' part of the answer: one that a reload has cut short meanwhile may be whole again, or gone.
    if (book.hasPassingLack()) await this.#comparedByNow();
    for (const worker of book.all()) {
      const lack = lackOf(worker, book, worker.unresponsive ? [] : this.#passingNow(changing));
      if (lack !== null) found.add('runtime_map', `${worker.role} worker ${worker.pid}: ${lack}`);
    }

    const answered = !(processes instanceof MasterSocketError);
    const noWorker = answered ? processes.current.length === 0 : !(await this.#anyWorkerLives());
    if (noWorker) found.add('workers', 'no worker of the proxy is running');
    const { reasons } = found;
    const status = databaseProblem !== null || noWorker ? 'down' : reasons.length > 0 ? 'degraded' : 'ok';
    const current = noWorker ? null : book.current();
    const report: HealthReport = {
      status,
      reasons,
      database: { status: databaseProblem === null ? 'ok' : 'down', reason: databaseProblem },
      master_socket: {
        status: answered ? 'ok' : 'down',
        reason: answered ? null : processes.message,
        since: link.state.up ? null : link.state.since.toISOString(),
      },
      workers: {
        current: current === null ? null : workerPart(current, book),
        draining: book.draining().map((worker) => workerPart(worker, book)),
      },
      map_file: {
        status: fileProblem === null ? 'ok' : 'behind',
        reason: fileProblem,
        entries: keeper.file.entryCount,
      },
      runtime_map: {
        expected,
        seen,
        big_change: bulk.underWay === null ? null : { added: bulk.underWay.added, removed: bulk.underWay.removed },
        last_verified_at: book.lastVerifiedAt?.toISOString() ?? null,
      },
      last_reload: reloads.last,
      scheduled_reload:
        scheduled === null
          ? null
          : { reasons: scheduled.reasons, since: scheduled.since.toISOString(), attempts: scheduled.attempts },
      versions,
    };
    return { report, verdict: found.verdict(status) };
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

  async #processes(): Promise<Processes | MasterSocketError> {
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
  async #comparedByNow(): Promise<void> {
    const { book, reconciler, link } = this.#sources;
    const settled = book.all().every((worker) => book.isWhole(worker) || worker.unresponsive);
    if (settled || reconciler.paused || !link.state.up) return;
    const given = new AbortController();
    const patience = sleep(probePatienceMs, undefined, { signal: given.signal }).catch(() => undefined);
    try {
      await Promise.race([reconciler.lookThroughReload(false), patience]);
    } finally {
      given.abort();
    }
  }

  /**
   * What the database holds, and how much of it the current worker was seen to hold; null: it could not be asked.
   * `unanswered`: a worker that hangs behind a master that answers.
   */
  async #countEntries(processes: Processes | MasterSocketError, mayTakeTurn: boolean): Promise<EntryCount> {
    const { keeper, turns } = this.#sources;
    const unknown = (unanswered: string | null = null) => ({
      seen: null,
      expected: keeper.expected.total,
      least: 0,
      most: Number.POSITIVE_INFINITY,
      unanswered,
    });
    if (processes instanceof MasterSocketError || processes.current.length === 0) return unknown();
    const { pid } = processes.current[0]!;
    let answered = false;
    try {
      for (let tries = 0; tries < countsBeside; tries += 1) {
        const before = { idle: turns.idle, expected: keeper.expected.total };
        const count = await this.#countOnce(pid, probePatienceMs);
        if (count.seen !== null && count.seen >= count.least && count.seen <= count.most) return count;
        answered = true;
        // Nobody was changing anything meanwhile.
        if (!mayTakeTurn && before.idle && turns.idle && before.expected === count.expected) return count;
      }
      // A change may be between database and worker at each of these moments; where many come, at nearly every one.
      if (!mayTakeTurn) return unknown();
      return await turns.take('urgent', () => this.#countOnce(pid, inTurnPatienceMs));
    } catch (error) {
      if (error instanceof MasterSocketError) {
        const hangs = !answered && error.reason === 'deadline' && error.command !== '';
        return unknown(hangs ? error.message : null);
      }
      if (error instanceof RuntimeMapRejection) return unknown();
      throw error;
    }
  }

  async #countOnce(pid: number, patienceMs: number): Promise<EntryCount> {
    const { blocked, keeper } = this.#sources;
    const count = await blocked.runtime.entryCount(performance.now() + patienceMs, { kind: 'pid', pid });
    // A version that was given up is counted until the next commit; the reconciler knows how much of it there is.
    const expected = keeper.expected.total;
    const twoVersions = count.nextVersion > count.currentVersion;
    const seen = (twoVersions ? this.#leftOver(pid) : undefined)?.live(count.entries, expected) ?? count.entries;
    return { seen, expected, ...this.#bounds(expected, twoVersions), unanswered: null };
  }

  /**
   * What a big change has stored and not brought to the worker yet, either way. `twoVersions`: the worker may hold one
   * that a replace is filling at the end of it, which is counted too.
   */
  #bounds(expected: number, twoVersions: boolean): Pick<EntryCount, 'least' | 'most'> {
    const { bulk, reconciler } = this.#sources;
    const { underWay } = bulk;
    if (underWay === null && !reconciler.paused) return { least: expected, most: expected };
    if (underWay === null) return { least: 0, most: Number.POSITIVE_INFINITY };
    return {
      least: expected - underWay.added,
      most: twoVersions ? Number.POSITIVE_INFINITY : expected + underWay.removed,
    };
  }

  #leftOver(pid: number): LeftOver | undefined {
    return this.#sources.book.byPid(pid)?.leftOver.blocked;
  }

  async #fileProblem(): Promise<string | null> {
    const { keeper, trusted } = this.#sources;
    if (keeper.problem !== null) return keeper.problem;
    if (!(await keeper.file.unchanged())) return 'it is not what was written';
    return (await trusted.fileUnchanged()) ? null : 'that of the trusted addresses is not what was written';
  }

  /** With the socket away, /proc still tells. */
  async #anyWorkerLives(): Promise<boolean> {
    const { book } = this.#sources;
    try {
      for (const worker of book.all()) if (await processAlive(worker.pid, worker.startTime)) return true;
      // A reload that went by signal has workers that nobody could list yet.
      return book.masterPid !== null && (await childrenOf(book.masterPid)).length > 0;
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
