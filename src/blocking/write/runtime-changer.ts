// The current worker first, with the retries that a reload needs; draining ones in parallel, also those that only the
// final `show proc` listed. A starting worker may have read the map file before the change, so it is waited for.

import type { RuntimeMapFailure } from '../../api/changes.ts';
import { pause } from '../../concurrency/pause.ts';
import type { GroupOutcome, RuntimeMap, WorkerGroup, WorkerRef } from '../../haproxy/maps/runtime-map.ts';
import { CURRENT, MapCommands } from '../../haproxy/maps/runtime-map-commands.ts';
import { hasExited, type Worker } from '../../haproxy/process/workers.ts';
import type { PendingVersions } from '../compare/map-replacement.ts';
import type { KnownWorker, WorkerRegistry } from '../compare/worker-registry.ts';
import type { MapName } from '../mirrored-map.ts';
import { type RuntimeLink, waitOutReload } from './runtime-link.ts';

interface RuntimeChange {
  readonly map: RuntimeMap;
  readonly name: MapName;
  /** Canonical texts; no text in both. */
  readonly add: readonly string[];
  readonly remove: readonly string[];
  /** `performance.now()` milliseconds. */
  readonly deadline: number;
  /** Additions that the database does not hold, and so no worker in sync with it. Undefined: not known. */
  readonly absent?: ReadonlySet<string> | undefined;
}

export interface RuntimeChangeResult {
  readonly failures: readonly RuntimeMapFailure[];
  /** The current worker is not verified: a reload has to follow. */
  readonly currentFailed: boolean;
  /** Texts that a worker held. */
  readonly removedFromWorkers: ReadonlySet<string>;
}

/** A change whose lookups are under way. Must be ended by `apply` or `abandon`. */
interface RuntimeGroup {
  /**
   * Call once the change is durable.
   * @param fresh the additions that the database did not hold before. A version under preparation gets the others when
   * it is filled; adding them here would duplicate them.
   */
  apply(fresh: readonly string[]): Promise<RuntimeChangeResult>;
  /** The change was not stored: nothing is changed. */
  abandon(): Promise<void>;
}

interface DurableChange extends RuntimeChange {
  readonly fresh: readonly string[];
}

/** The group in one worker. */
interface Started {
  /** Null: the worker behind `@1` is not known. */
  readonly pid: number | null;
  /** As listed when the lookups began: the registry may forget it while the change is stored. */
  readonly known: KnownWorker | null;
  /** Of the version that an atomic replace is filling in this worker. */
  readonly pendingVersion: number | undefined;
  readonly group: WorkerGroup;
}

const startingPollMs = 20;
/** A group with less time left did not wait long enough to count. */
const leastWaitMs = 500;
/** A draining worker that hangs must not use up a group's time. */
const drainingShareMs = 700;

interface RuntimeChangerDeps {
  readonly link: RuntimeLink;
  readonly registry: WorkerRegistry;
  /** Adds go to these too. */
  readonly pending: PendingVersions;
  readonly onNewWorkers: () => void;
}

export class RuntimeChanger {
  readonly #deps: RuntimeChangerDeps;
  /** Pid and start time of workers that a group waited for in vain: later groups do not wait again. */
  #waitedFor = new Set<string>();

  constructor(deps: RuntimeChangerDeps) {
    this.#deps = deps;
  }

  /** Changes that are durable already. */
  async change(change: RuntimeChange): Promise<RuntimeChangeResult> {
    return await this.lookUp(change).apply(change.add);
  }

  /** The first phase, which may run while the changes are stored: starts lookups in the known workers, changes nothing. */
  lookUp(change: RuntimeChange): RuntimeGroup {
    const { state } = this.#deps.link;
    if (!state.up) {
      const reason = `master socket is down (${state.reason})`;
      return { apply: async () => this.#notAsked(change, reason), abandon: async () => undefined };
    }
    const began = performance.now();
    const current = this.#startInCurrent(change, this.#deps.registry.current()?.pid ?? null);
    const draining = new Map<number, Started | null>();
    for (const { pid, unresponsive } of this.#deps.registry.draining())
      draining.set(pid, unresponsive ? null : this.#startInDraining(change, pid));
    return {
      // Repeated attempts look everything up: after a lost reply, an addition that was made would be made again.
      apply: async (fresh) => await this.#apply({ ...change, absent: undefined, fresh }, { began, current, draining }),
      abandon: async () => {
        await Promise.all([current, ...draining.values()].map((started) => started?.group.abandon()));
      },
    };
  }

  async #apply(
    change: DurableChange,
    started: { began: number; current: Started; draining: ReadonlyMap<number, Started | null> },
  ): Promise<RuntimeChangeResult> {
    this.#deps.pending.noteAdded(change.name, change.fresh);
    for (const worker of this.#deps.registry.all()) worker.abandoned[change.name].removing(change.remove.length);
    const [current, ...ofDraining] = await Promise.all([
      this.#changeCurrent(change, started.current, started.began),
      ...[...started.draining].map(([pid, first]) => this.#changeDraining(change, pid, first)),
    ]);
    const failures: RuntimeMapFailure[] = [];
    const removed = new Set<string>(current.removed);
    let late: GroupOutcome[] = [];
    if (current.processes !== null) {
      const { draining, starting } = current.processes;
      const newWorkers = this.#deps.registry.observe(current.processes);
      // `show proc` was the last command on the current worker's connection: both answers come from the same master.
      const unaddressed = draining.filter((worker) => !started.draining.has(worker.pid));
      this.#waitedFor = new Set(starting.map(identity).filter((one) => this.#waitedFor.has(one)));
      late = await Promise.all([
        ...unaddressed.map((worker) => this.#changeDraining(change, worker.pid)),
        ...starting.map((worker) => this.#changeStarting(change, worker)),
      ]);
      if (newWorkers.length > 0 || starting.length > 0) this.#deps.onNewWorkers();
    }
    const currentPid = current.processes?.current[0]?.pid ?? this.#deps.registry.current()?.pid ?? null;
    const ofCurrent = current.failures.length > 0 ? current.failures : unproved(change, current);
    for (const failure of ofCurrent) failures.push({ ...failure, worker: failure.worker ?? currentPid });
    if (ofCurrent.length > 0) {
      // The worker that was addressed may be draining by now.
      for (const pid of new Set([currentPid, started.current.pid]))
        if (pid !== null) this.#deps.registry.markSuspect(pid, change.name, ofCurrent[0]!.reason);
    }
    for (const outcome of [...ofDraining, ...late]) {
      for (const text of outcome.removed) removed.add(text);
      // A worker that exited serves no client.
      if (!outcome.workerGone) failures.push(...outcome.failures);
    }
    // The very first worker: a reload would not begin before it serves.
    const first = current.processes?.current.length === 0 && current.processes.starting.length > 0;
    return { failures, currentFailed: ofCurrent.length > 0 && !first, removedFromWorkers: removed };
  }

  async #changeCurrent(change: DurableChange, first: Started, began: number): Promise<GroupOutcome> {
    const { link, registry } = this.#deps;
    const removed = new Set<string>();
    let next: Started | null = first;
    const attempt = async (): Promise<GroupOutcome> => {
      // Chosen for each try: the previously current worker may be gone.
      let started = next ?? this.#startInCurrent(change, registry.current()?.pid ?? null);
      next = null;
      for (;;) {
        const { pid, pendingVersion, group } = started;
        const outcome = await group.apply({ processes: true, pendingVersion, fresh: change.fresh });
        for (const text of outcome.removed) removed.add(text);
        if (outcome.workerGone && pid !== null && group.worker.kind !== 'current') {
          registry.forget(pid);
          started = this.#startInCurrent(change, null);
          continue;
        }
        const current = outcome.processes?.current[0]?.pid;
        if (current === undefined || current === pid) return outcome;
        // The worker behind `@1` is known beforehand. One that took over meanwhile is addressed by pid.
        started = this.#startInCurrent(change, current, true);
      }
    };
    const outcome = await link.hold(change.deadline, attempt, began);
    return { ...outcome, removed: [...removed] };
  }

  /** @param byPid otherwise by `@1`, unless a version of it is pending: from prepare to commit its pid is addressed */
  #startInCurrent(change: RuntimeChange, pid: number | null, byPid = false): Started {
    const pendingVersion = pid === null ? undefined : this.#deps.pending.of(pid, change.name);
    const named = pid !== null && (byPid || pendingVersion !== undefined || this.#deps.registry.takesLines);
    return this.#start(change, pid, named ? this.#named(pid) : CURRENT, pendingVersion);
  }

  #startInDraining(change: RuntimeChange, pid: number): Started {
    const deadline = Math.min(change.deadline, performance.now() + drainingShareMs);
    const pendingVersion = this.#deps.pending.of(pid, change.name);
    return this.#start({ ...change, deadline }, pid, this.#named(pid), pendingVersion);
  }

  #start(
    { map, name, add, remove, deadline, absent }: RuntimeChange,
    pid: number | null,
    worker: WorkerRef,
    pendingVersion: number | undefined,
  ): Started {
    const known = pid === null ? null : this.#deps.registry.byPid(pid);
    const lacks = known !== null && pendingVersion === undefined && this.#deps.registry.holdsTheSet(known, name);
    const group = map.lookUpGroup({
      worker,
      add,
      remove,
      deadline,
      absent: lacks && absent !== undefined ? { pid: known.pid, texts: absent } : undefined,
    });
    return { pid, known, pendingVersion, group };
  }

  #named(pid: number): WorkerRef {
    return { kind: this.#deps.registry.takesLines ? 'line' : 'pid', pid };
  }

  /**
   * Waits until the worker serves, then changes it like any other. One that fails to start serves no client. Only one
   * group waits for a worker: the groups behind it would each enforce their blocks that much later.
   */
  async #changeStarting(change: DurableChange, worker: Worker): Promise<GroupOutcome> {
    const { pid } = worker;
    const began = performance.now();
    do {
      const outcome = await this.#changeDraining(change, pid);
      if (!outcome.workerGone || (await hasExited(worker))) return outcome;
      if (this.#waitedFor.has(identity(worker))) break;
      await pause(startingPollMs);
    } while (performance.now() + startingPollMs < change.deadline);
    if (performance.now() - began >= leastWaitMs) this.#waitedFor.add(identity(worker));
    return this.#skipped(change, pid, 'worker is starting');
  }

  /** @param first null: the worker did not answer when the group began; absent: it was not known then */
  async #changeDraining(change: DurableChange, pid: number, first?: Started | null): Promise<GroupOutcome> {
    const known = first?.known ?? this.#deps.registry.byPid(pid);
    if (first === null || (first === undefined && known?.unresponsive === true)) {
      return this.#skipped(change, pid, 'the draining worker does not answer');
    }
    let next = first;
    const outcome = await waitOutReload(change.deadline, async () => {
      const { pendingVersion, group } = next ?? this.#startInDraining(change, pid);
      next = undefined;
      const tried = await group.apply({ processes: false, pendingVersion, fresh: change.fresh });
      // The master closes the connection after that answer; waiting as for a reload would use up the group's time.
      return tried.workerGone ? { ...tried, ended: null } : tried;
    });
    // A worker that exits during a connection may go unreported: 2.6.12 takes the next bytes for commands of its own.
    const gone = outcome.workerGone || (outcome.failures.length > 0 && known !== null && (await hasExited(known)));
    if (gone) {
      this.#deps.registry.forget(pid);
      return { ...outcome, workerGone: true };
    }
    if (outcome.failures.length > 0) {
      this.#deps.registry.markSuspect(pid, change.name, outcome.failures[0]!.reason);
      const unanswered = outcome.ended?.reason === 'deadline' && outcome.ended.command !== '';
      if (unanswered && known !== null) known.unresponsive = true;
    }
    return { ...outcome, failures: outcome.failures.map((failure) => ({ ...failure, worker: pid })) };
  }

  #skipped(change: RuntimeChange, pid: number, reason: string): GroupOutcome {
    this.#deps.registry.markSuspect(pid, change.name, reason);
    const failures = notSent(change, { kind: 'pid', pid }, pid, reason);
    return { failures, ended: null, workerGone: false, processes: null, alreadyThere: 0, removed: [] };
  }

  #notAsked(change: RuntimeChange, reason: string): RuntimeChangeResult {
    for (const { pid } of this.#deps.registry.all())
      this.#deps.registry.markSuspect(pid, change.name, 'master socket is down');
    return {
      failures: notSent(change, CURRENT, this.#deps.registry.current()?.pid ?? null, reason),
      currentFailed: true,
      removedFromWorkers: new Set(),
    };
  }
}

function identity({ pid, startTime }: Worker): string {
  return `${pid}:${startTime ?? '?'}`;
}

/** The read-back succeeded, but an unlisted worker may lack the entry, or the worker behind `@1` is draining. */
function unproved(change: RuntimeChange, { processes, ended }: GroupOutcome): RuntimeMapFailure[] {
  if (processes !== null && processes.current.length > 0) return [];
  const reason =
    processes === null ? `the workers could not be listed: ${ended?.reason ?? 'no reply'}` : 'no current worker';
  return [...change.add, ...change.remove].map((ip) => ({
    ip_address: ip,
    worker: null,
    command: 'show proc',
    responses: ended?.responses ?? [],
    reason,
  }));
}

function notSent(change: RuntimeChange, to: WorkerRef, worker: number | null, reason: string): RuntimeMapFailure[] {
  const commands = new MapCommands(change.map, to);
  const failure = (command: string, ip: string): RuntimeMapFailure => ({
    ip_address: ip,
    worker,
    command,
    responses: [],
    reason,
  });
  return [
    ...change.add.map((ip) => failure(commands.add(ip), ip)),
    ...change.remove.map((ip) => failure(commands.del(ip), ip)),
  ];
}
