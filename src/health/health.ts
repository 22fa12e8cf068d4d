// Whether blocking is enforced, and if not, why: probed on request.
import { setTimeout as sleep } from 'node:timers/promises';
import type { AttachedReport, DriftReport, Health as HealthReport } from '../api/health.ts';
import type { BulkRunner } from '../blocking/bulk/bulk-runner.ts';
import type { Reconciler } from '../blocking/compare/reconciler.ts';
import type { Passing, WorkerRegistry } from '../blocking/compare/worker-registry.ts';
import type { MirroredMap } from '../blocking/mirrored-map.ts';
import type { TrustedSet } from '../blocking/trusted-set.ts';
import type { UpstreamSet } from '../blocking/upstream-set.ts';
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
import { type ConfigurationDrift, driftFrom } from './configuration-drift.ts';
import { type EntryCount, EntryCounter, isUncounted, problemInCount } from './entry-counter.ts';
import { HealthFindings, type HealthVerdict } from './health-verdict.ts';
import { partOf, problemOf, socketProblem, workerPart, workerProblem } from './report-parts.ts';
import { Deadline, type ProbeResult, TimedProbe } from './timed-probe.ts';

/** Whatever hangs; a load balancer's check waits some seconds at most. */
const answerWithinMs = 3_000;
const probeTimeoutMs = 1_500;
/** An operator's template may take long to render; the next request uses a later result. */
const driftTimeoutMs = 1_000;
const noticesTimeoutMs = 1_000;
/** Reserved from a comparison's time for the count that follows. */
const countNeedsMs = 500;
/** During successive reloads the socket is usable for some 10 ms at a time. */
const reloadPollMs = 10;

export interface HealthSources {
  readonly database: Pick<Database, 'ping' | 'probe'>;
  readonly socket: MasterSocket;
  readonly link: RuntimeLink;
  readonly registry: WorkerRegistry;
  readonly keeper: MapFileKeeper;
  readonly trusted: Pick<TrustedSet, 'fileUnchanged' | 'map'>;
  readonly upstreams: Pick<UpstreamSet, 'filesUnchanged'>;
  readonly blocked: MirroredMap;
  readonly turns: TurnQueue;
  readonly bulk: Pick<BulkRunner, 'problem' | 'underWay'>;
  /** Paused: a bulk change is in progress, and database and workers differ on purpose. */
  readonly reconciler: Pick<Reconciler, 'paused' | 'checkThroughReload'>;
  readonly reloads: ReloadCoordinator;
  /** Null: proxy-manager does not write the configuration. */
  readonly drift: Pick<ConfigurationDrift, 'report'> | null;
  readonly attached: () => AttachedReport | null;
  /** As of the last check of the live configuration; null: unknown. */
  readonly trustHasEffect: () => boolean | null;
  /** By its pid file, even when its socket does not answer. */
  readonly findMaster: () => Promise<{ readonly pid: number } | null>;
  readonly versions: () => {
    readonly service: string;
    readonly proxy: string;
    readonly unsupported: readonly string[];
    readonly untested: string | null;
  };
  /** Names of keys that should be bound to a source. */
  readonly unboundKeys: () => Promise<readonly string[]>;
  /** Such as the supervisor's state, and foreign listeners. */
  readonly proxyProblems: () => Promise<readonly string[]>;
  /** Of the certificates that HAProxy serves; blocks are enforced whatever they are. */
  readonly certificateProblems: () => Promise<readonly string[]>;
  /** What does not degrade the status. */
  readonly notices: () => Promise<readonly string[]>;
  readonly started: () => boolean;
  /** Default 3,000. */
  readonly answerWithinMs?: number;
}

/** `ping` writes nothing to the database. */
type DatabaseCheck = 'ping' | 'probe';

interface Probe {
  readonly report: HealthReport;
  readonly verdict: HealthVerdict;
}

interface ProxyResults {
  readonly processes: ProbeResult<Processes | MasterSocketError>;
  readonly count: ProbeResult<EntryCount>;
  readonly problems: ProbeResult<readonly string[]>;
  readonly noWorker: boolean;
  /** Whether a bulk change was in progress when the count began. */
  readonly changingBefore: boolean;
}

export class Health {
  readonly #sources: HealthSources;
  readonly #withinMs: number;
  readonly #counter: EntryCounter;
  readonly #database = new TimedProbe<string | null>((problem) => problem);
  readonly #file = new TimedProbe<string | null>((problem) => problem);
  readonly #processes = new TimedProbe<Processes | MasterSocketError>(socketProblem);
  readonly #comparison = new TimedProbe<void>(() => null);
  readonly #count = new TimedProbe<EntryCount>((count) => (isUncounted(count) ? undefined : problemInCount(count)));
  readonly #problems = new TimedProbe<readonly string[]>((problems) => problems[0] ?? null);
  readonly #certificates = new TimedProbe<readonly string[]>((problems) => problems[0] ?? null);
  readonly #drift = new TimedProbe<DriftReport>(() => null);
  readonly #keys = new TimedProbe<readonly string[] | null>(() => null);
  readonly #notices = new TimedProbe<readonly string[]>(() => null);
  readonly #alive = new TimedProbe<boolean>((alive) => (alive ? null : 'no worker of HAProxy is running'));
  #running: Promise<Probe> | null = null;
  /** Of the last attempted write: until the next one a disk counts as full, although reads succeed. */
  #writeProblem: string | null = null;

  constructor(sources: HealthSources) {
    this.#sources = sources;
    this.#withinMs = sources.answerWithinMs ?? answerWithinMs;
    this.#counter = new EntryCounter(sources);
  }

  /**
   * Answers within three seconds, and reports unanswered parts as not checked. Concurrent requests share checks that
   * have not begun yet, so that no result is older than the request.
   */
  async health(): Promise<HealthReport> {
    return (await this.#start('probe', true)).report;
  }

  /** As `health`, part by part, for internal use: joins a running probe, and delays no change. */
  async verdict(how: DatabaseCheck): Promise<HealthVerdict> {
    return (await this.#anyProbe(how)).verdict;
  }

  async report(how: DatabaseCheck): Promise<HealthReport> {
    return (await this.#anyProbe(how)).report;
  }

  async #anyProbe(how: DatabaseCheck): Promise<Probe> {
    return await (this.#running ?? this.#start(how, false));
  }

  /** @param mayTakeTurn whether the count of the entries may delay changes */
  async #start(how: DatabaseCheck, mayTakeTurn: boolean): Promise<Probe> {
    const deadline = new Deadline(performance.now() + this.#withinMs);
    const probe = this.#probe(how, mayTakeTurn, deadline);
    this.#running = probe;
    try {
      return await probe;
    } finally {
      deadline.end();
      if (this.#running === probe) this.#running = null;
    }
  }

  /** Needs no key, so it costs no write. */
  async ready(): Promise<boolean> {
    return this.#sources.started() && (await this.#readProblem()) === null;
  }

  /** What cannot be looked up is a notice too: an unreadable file must not cost the rest of the report. */
  async #noticeTexts(): Promise<readonly string[]> {
    try {
      return await this.#sources.notices();
    } catch (error) {
      return [`the notices could not be checked: ${causeText(error)}`];
    }
  }

  async #probe(how: DatabaseCheck, mayTakeTurn: boolean, deadline: Deadline): Promise<Probe> {
    const { registry, keeper, reloads, link, bulk } = this.#sources;
    const found = new HealthFindings();
    const [database, file, drift, proxy, certificates, keys, notices] = await Promise.all([
      this.#database.run(deadline, () => this.#databaseProblem(how), { kind: how }),
      this.#file.run(deadline, () => this.#fileProblem()),
      // Not part of the verdict, and rendered for `health` only.
      this.#driftReport(mayTakeTurn, deadline),
      this.#probeProxy(mayTakeTurn, deadline),
      this.#certificates.run(deadline, () => this.#certificateProblems()),
      this.#keys.run(deadline, () => this.#unboundKeys()),
      mayTakeTurn
        ? this.#notices.run(deadline, () => this.#noticeTexts(), { timeoutMs: noticesTimeoutMs })
        : this.#notices.skipped(),
    ]);
    const { processes, count, problems, noWorker, changingBefore } = proxy;
    found.take('database', 'database', database, (problem) => problem);
    found.take('master_socket', 'master socket', processes, socketProblem);
    found.take('runtime_map', 'running map', count, problemInCount);
    found.take('map_file', 'map file', file, (problem) => problem);
    if (bulk.problem !== null) found.add('database', `database: ${bulk.problem}`);
    // A bulk change reports in its own response what it has not applied yet. Problems found before or beside it, such
    // as a block that did not reach a worker, still count.
    const changing = changingBefore || this.#sources.reconciler.paused;
    const { scheduled } = reloads;
    if (scheduled !== null) found.add('reload', `a reload is scheduled: ${scheduled.reasons[0]}`);
    const { unsupported, ...versions } = this.#sources.versions();
    found.add('version', ...unsupported);
    if (problems.checked) found.add('proxy', ...problems.value);
    else found.addNotChecked('proxy', 'proxy', problems);
    if (certificates.checked) found.add('certificates', ...certificates.value.map((text) => `certificates: ${text}`));
    else found.addNotChecked('certificates', 'certificates', certificates);
    // Last: a worker interrupted by a reload may be in sync again, or gone.
    if (registry.hasPassingDifference()) await this.#compareNow(deadline.restMs, deadline);
    for (const worker of registry.all()) {
      const problem = workerProblem(worker, registry, worker.unresponsive ? [] : this.#expectedNow(changing));
      if (problem !== null) found.add('runtime_map', `${worker.role} worker ${worker.pid}: ${problem}`);
    }

    if (noWorker) found.add('workers', 'no worker of HAProxy is running');
    const { reasons } = found;
    const databaseProblem = database.checked ? database.value : this.#writeProblem;
    const status = databaseProblem !== null || noWorker ? 'down' : reasons.length > 0 ? 'degraded' : 'ok';
    const current = noWorker ? null : registry.current();
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
        current: current === null ? null : workerPart(current, registry),
        draining: registry.draining().map((worker) => workerPart(worker, registry)),
      },
      map_file: { ...partOf(file, 'behind', (problem) => problem), entries: keeper.file.entryCount },
      runtime_map: {
        expected: count.checked ? count.value.expected : keeper.expected.total,
        seen: count.checked ? count.value.seen : null,
        big_change: bulk.underWay === null ? null : { added: bulk.underWay.added, removed: bulk.underWay.removed },
        last_verified_at: registry.lastVerifiedAt?.toISOString() ?? null,
      },
      last_reload: reloads.last,
      configuration_drift: drift,
      attached: this.#sources.attached(),
      trusted_map: { used: this.#sources.trustHasEffect(), entries: this.#sources.trusted.map.size },
      scheduled_reload:
        scheduled === null
          ? null
          : { reasons: scheduled.reasons, since: scheduled.since.toISOString(), attempts: scheduled.attempts },
      notices: notices.checked ? notices.value : [`the notices could not be checked: ${notices.why}`],
      unbound_keys: keys.checked ? keys.value : null,
      versions,
    };
    return { report, verdict: found.verdict(status) };
  }

  async #probeProxy(mayTakeTurn: boolean, deadline: Deadline): Promise<ProxyResults> {
    const processes = await this.#processes.run(deadline, () => this.#listed());
    // After the listing, which distinguishes HAProxy's own sockets from foreign ones.
    const [counted, problems, noWorker] = await Promise.all([
      this.#compareAndCount(processes, mayTakeTurn, deadline),
      this.#problems.run(deadline, () => this.#proxyProblems()),
      this.#noWorker(processes, deadline),
    ]);
    return { processes, ...counted, problems, noWorker };
  }

  async #compareAndCount(
    processes: ProbeResult<Processes | MasterSocketError>,
    mayTakeTurn: boolean,
    deadline: Deadline,
  ): Promise<Pick<ProxyResults, 'count' | 'changingBefore'>> {
    await this.#compareNow(deadline.restMs - countNeedsMs, deadline);
    const changingBefore = this.#sources.reconciler.paused;
    const count = processes.checked
      ? await this.#countIn(processes.value, mayTakeTurn, deadline)
      : this.#count.skipped();
    return { count, changingBefore };
  }

  async #countIn(
    processes: Processes | MasterSocketError,
    mayTakeTurn: boolean,
    deadline: Deadline,
  ): Promise<ProbeResult<EntryCount>> {
    if (processes instanceof MasterSocketError) return { checked: true, value: this.#counter.uncounted() };
    const kind = mayTakeTurn ? 'by turn' : 'beside';
    return await this.#count.run(deadline, (isWanted) => this.#counter.count(mayTakeTurn, isWanted), { kind });
  }

  async #driftReport(mayRender: boolean, deadline: Deadline): Promise<DriftReport | null> {
    const { drift } = this.#sources;
    if (drift === null) return null;
    if (!mayRender) return driftFrom(this.#drift.skipped());
    return driftFrom(await this.#drift.run(deadline, () => drift.report(), { timeoutMs: driftTimeoutMs }));
  }

  /** What is wrong with the database is found by its own probe. */
  async #unboundKeys(): Promise<readonly string[] | null> {
    try {
      return await this.#sources.unboundKeys();
    } catch {
      return null;
    }
  }

  async #certificateProblems(): Promise<readonly string[]> {
    try {
      return await this.#sources.certificateProblems();
    } catch (error) {
      return [causeText(error)];
    }
  }

  /** An unreadable configuration is a finding, not a failure of the probe. */
  async #proxyProblems(): Promise<readonly string[]> {
    try {
      return await this.#sources.proxyProblems();
    } catch (error) {
      return [`proxy: ${causeText(error)}`];
    }
  }

  /**
   * Drift that needs no operator. A bulk change adds missing entries. A reload proves its new worker before it
   * completes, and reports a failure; a worker found out of sync meanwhile still counts.
   */
  #expectedNow(changing: boolean): readonly Passing[] {
    const { reconciler, reloads } = this.#sources;
    if (changing || reconciler.paused) return ['unverified', 'pending'];
    return reloads.underWay ? ['unverified'] : [];
  }

  async #databaseProblem(how: DatabaseCheck): Promise<string | null> {
    const readProblem = await this.#readProblem();
    if (readProblem !== null) return readProblem;
    if (how === 'probe') this.#writeProblem = await problemOf(() => this.#sources.database.probe());
    return this.#writeProblem;
  }

  async #readProblem(): Promise<string | null> {
    return await problemOf(() => this.#sources.database.ping());
  }

  async #listed(): Promise<Processes | MasterSocketError> {
    const { registry, socket, link } = this.#sources;
    const deadline = performance.now() + probeTimeoutMs;
    for (;;) {
      try {
        const processes = await showProcesses(socket, deadline);
        registry.observe(processes);
        return processes;
      } catch (error) {
        if (!(error instanceof MasterSocketError)) throw error;
        // A reload makes the socket unavailable for a moment.
        const mayEnd = link.state.up && mayBeReload(error.reason);
        if (!mayEnd || performance.now() + reloadPollMs >= deadline) return error;
      }
      await sleep(reloadPollMs);
    }
  }

  /** Compares new workers, and those unreachable during a reload: "not compared yet" would be no result. */
  async #compareNow(timeoutMs: number, deadline: Deadline): Promise<void> {
    const { registry, reconciler, link } = this.#sources;
    const settled = registry.all().every((worker) => registry.isInSync(worker) || worker.unresponsive);
    if (settled || reconciler.paused || !link.state.up) return;
    const givenMs = Math.min(timeoutMs, probeTimeoutMs);
    if (givenMs > 0)
      await this.#comparison.run(deadline, () => reconciler.checkThroughReload(false), { timeoutMs: givenMs });
  }

  async #fileProblem(): Promise<string | null> {
    const { keeper, trusted, upstreams } = this.#sources;
    if (keeper.problem !== null) return keeper.problem;
    if (!(await keeper.file.unchanged())) return 'it differs from what was written';
    if (!(await trusted.fileUnchanged())) return 'the file of trusted addresses differs from what was written';
    return (await upstreams.filesUnchanged()) ? null : 'a file of upstreams differs from what was written';
  }

  async #noWorker(processes: ProbeResult<Processes | MasterSocketError>, deadline: Deadline): Promise<boolean> {
    if (processes.checked && !(processes.value instanceof MasterSocketError))
      return processes.value.current.length === 0;
    const alive = await this.#alive.run(deadline, () => this.#anyWorkerLives());
    return alive.checked && !alive.value;
  }

  /** From /proc, while the socket does not answer. Unknown counts as alive. */
  async #anyWorkerLives(): Promise<boolean> {
    const { registry } = this.#sources;
    try {
      for (const worker of registry.all()) if (await processAlive(worker.pid, worker.startTime)) return true;
      // Workers that were never listed: of a reload by signal, or of a proxy whose socket never answered.
      const masters = [registry.masterPid, (await this.#sources.findMaster())?.pid ?? null].filter(
        (pid) => pid !== null,
      );
      for (const pid of masters) if ((await childrenOf(pid)).length > 0) return true;
      return false;
    } catch (error) {
      // Such as no file descriptor left.
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
      return true;
    }
  }
}
