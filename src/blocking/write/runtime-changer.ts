// Applies one group of changes to the map of every live worker: the current one first (with the retries that a reload
// under way needs), the draining ones in parallel, and those that only the final `show proc` listed. A starting worker
// may have read the map file before the change, so it is waited for and changed too.

import type { RuntimeMapFailure } from '../../api/changes.ts';
import { pause } from '../../concurrency/pause.ts';
import type { GroupOutcome, RuntimeMap, WorkerRef } from '../../haproxy/maps/runtime-map.ts';
import { CURRENT, MapCommands } from '../../haproxy/maps/runtime-map-commands.ts';
import type { Worker } from '../../haproxy/process/workers.ts';
import { processAlive } from '../../system/processes.ts';
import type { PendingVersions } from '../compare/map-replacement.ts';
import type { WorkerRegistry } from '../compare/worker-registry.ts';
import type { MapName } from '../mirrored-map.ts';
import { type RuntimeLink, waitOutReload } from './runtime-link.ts';

interface RuntimeChange {
  readonly map: RuntimeMap;
  readonly name: MapName;
  /** Canonical texts; no text in both. */
  readonly add: readonly string[];
  readonly remove: readonly string[];
  /** Resolves when the change is durable; until then workers are only read. */
  readonly committed: Promise<void>;
  /**
   * Those of `add` that the database did not hold before; called after the commit. Absent: all. A version under
   * preparation gets the others when it is filled; adding them here would duplicate them.
   */
  readonly fresh?: () => readonly string[];
  /** `performance.now()` milliseconds. */
  readonly deadline: number;
}

export interface RuntimeChangeResult {
  readonly failures: readonly RuntimeMapFailure[];
  /** The current worker is not verified: a reload has to follow. */
  readonly currentFailed: boolean;
  /** Texts that a worker held and that were removed from it. */
  readonly removedFromWorkers: ReadonlySet<string>;
}

const startingPollMs = 20;
/** A group with less time left did not wait long enough to count. */
const leastWaitMs = 500;
/** A draining worker that hangs must not use up a group's time. */
const drainingShareMs = 700;

interface RuntimeChangerDeps {
  readonly link: RuntimeLink;
  readonly registry: WorkerRegistry;
  /** The versions that atomic replaces are filling; adds go to them too. */
  readonly pending: PendingVersions;
  readonly onNewWorkers: () => void;
}

export class RuntimeChanger {
  readonly #deps: RuntimeChangerDeps;
  /** Starting workers, by pid and start time, that a group waited for in vain: later groups do not wait again. */
  #waitedFor = new Set<string>();

  constructor(deps: RuntimeChangerDeps) {
    this.#deps = deps;
  }

  async change(change: RuntimeChange): Promise<RuntimeChangeResult> {
    const { state } = this.#deps.link;
    if (!state.up) {
      await change.committed;
      for (const worker of this.#deps.registry.all())
        this.#deps.registry.markSuspect(worker.pid, change.name, 'master socket is down');
      return this.#notAsked(change, `master socket is down (${state.reason})`);
    }
    const { fresh = () => change.add } = change;
    // Inside the turn that stored them; what is not stored is neither added nor removed.
    const noted = change.committed.then(() => {
      this.#deps.pending.noteAdded(change.name, fresh());
      for (const worker of this.#deps.registry.all()) worker.leftOver[change.name].removing(change.remove.length);
    });
    const known = this.#deps.registry.draining();
    const [current, , ...draining] = await Promise.all([
      this.#changeCurrent(change),
      noted,
      ...known.map((worker) => this.#changeDraining(change, worker.pid)),
    ]);
    const failures: RuntimeMapFailure[] = [];
    const removed = new Set<string>(current.removed);
    const addressed = new Set(known.map((worker) => worker.pid));
    let late: GroupOutcome[] = [];
    if (current.processes !== null) {
      const { draining, starting } = current.processes;
      const fresh = this.#deps.registry.observe(current.processes);
      // `show proc` was the last command on the current worker's connection: both answers come from the same master.
      const unaddressed = draining.filter((worker) => !addressed.has(worker.pid));
      this.#waitedFor = new Set(starting.map(identity).filter((one) => this.#waitedFor.has(one)));
      late = await Promise.all([
        ...unaddressed.map((worker) => this.#changeDraining(change, worker.pid)),
        ...starting.map((worker) => this.#changeStarting(change, worker)),
      ]);
      if (fresh.length > 0 || starting.length > 0) this.#deps.onNewWorkers();
    }
    const currentPid = current.processes?.current[0]?.pid ?? this.#deps.registry.current()?.pid ?? null;
    const ofCurrent = current.failures.length > 0 ? current.failures : unproved(change, current);
    for (const failure of ofCurrent) failures.push({ ...failure, worker: failure.worker ?? currentPid });
    if (ofCurrent.length > 0 && currentPid !== null) {
      this.#deps.registry.markSuspect(currentPid, change.name, ofCurrent[0]!.reason);
    }
    for (const outcome of [...draining, ...late]) {
      for (const text of outcome.removed) removed.add(text);
      // A worker that exited meanwhile is no failure: it serves no client.
      if (!outcome.workerGone) failures.push(...outcome.failures);
    }
    // The very first worker is starting: a reload would not begin before it serves.
    const first = current.processes?.current.length === 0 && current.processes.starting.length > 0;
    return { failures, currentFailed: ofCurrent.length > 0 && !first, removedFromWorkers: removed };
  }

  async #changeCurrent(change: RuntimeChange): Promise<GroupOutcome> {
    const removed = new Set<string>();
    const outcome = await this.#deps.link.hold(change.deadline, async () => {
      // Chosen for each try: the previously current worker may be gone.
      let expected = this.#deps.registry.current()?.pid;
      // The worker behind `@1` is known beforehand. One that took over meanwhile is addressed by pid.
      let byPid = false;
      for (;;) {
        const pending = expected === undefined ? undefined : this.#deps.pending.of(expected, change.name);
        // A pending version belongs to one worker: everything from prepare to commit addresses its pid.
        byPid ||= pending !== undefined;
        const outcome = await change.map.changeGroup({
          worker: byPid && expected !== undefined ? { kind: 'pid', pid: expected } : CURRENT,
          add: change.add,
          remove: change.remove,
          committed: change.committed,
          processes: true,
          deadline: change.deadline,
          ...(pending === undefined ? {} : { pendingVersion: pending, fresh: change.fresh ?? (() => change.add) }),
        });
        for (const text of outcome.removed) removed.add(text);
        if (outcome.workerGone && byPid && expected !== undefined) {
          this.#deps.registry.forget(expected);
          expected = undefined;
          byPid = false;
          continue;
        }
        const current = outcome.processes?.current[0]?.pid;
        if (current === undefined || current === expected) return outcome;
        expected = current;
        byPid = true;
      }
    });
    return { ...outcome, removed: [...removed] };
  }

  /**
   * Waits until the worker serves, then changes it like any other. One that fails to start serves no client. Only one
   * group waits for a worker: the groups behind it would each enforce their blocks that much later.
   */
  async #changeStarting(change: RuntimeChange, worker: Worker): Promise<GroupOutcome> {
    const { pid, startTime } = worker;
    const began = performance.now();
    do {
      const outcome = await this.#changeDraining(change, pid);
      if (!outcome.workerGone || !(await processAlive(pid, startTime))) return outcome;
      if (this.#waitedFor.has(identity(worker))) break;
      await pause(startingPollMs);
    } while (performance.now() + startingPollMs < change.deadline);
    if (performance.now() - began >= leastWaitMs) this.#waitedFor.add(identity(worker));
    return this.#skipped(change, pid, 'worker is starting');
  }

  async #changeDraining(change: RuntimeChange, pid: number): Promise<GroupOutcome> {
    const known = this.#deps.registry.byPid(pid);
    if (known?.unresponsive === true) {
      await change.committed;
      return this.#skipped(change, pid, 'the draining worker does not answer');
    }
    const pending = this.#deps.pending.of(pid, change.name);
    const outcome = await waitOutReload(change.deadline, async () => {
      const tried = await change.map.changeGroup({
        worker: { kind: 'pid', pid },
        add: change.add,
        remove: change.remove,
        committed: change.committed,
        processes: false,
        deadline: Math.min(change.deadline, performance.now() + drainingShareMs),
        ...(pending === undefined ? {} : { pendingVersion: pending, fresh: change.fresh ?? (() => change.add) }),
      });
      // The master closes the connection after that answer; waiting as for a reload would use up the group's time.
      return tried.workerGone ? { ...tried, ended: null } : tried;
    });
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
    const failures = notSent(change, { kind: 'pid', pid }, pid, reason);
    return { failures, ended: null, workerGone: false, processes: null, alreadyThere: 0, removed: [] };
  }

  #notAsked(change: RuntimeChange, reason: string): RuntimeChangeResult {
    return {
      failures: notSent(change, CURRENT, this.#deps.registry.current()?.pid ?? null, reason),
      currentFailed: true,
      removedFromWorkers: new Set(),
    };
  }
}

/**
 * The master does not always report that a worker is gone: if the worker exits in the middle of a connection, 2.6.12
 * takes the following bytes for commands of its own.
 */
async function hasExited({ pid, startTime }: Pick<Worker, 'pid' | 'startTime'>): Promise<boolean> {
  return startTime !== null && !(await processAlive(pid, startTime));
}

function identity({ pid, startTime }: Worker): string {
  return `${pid}:${startTime ?? '?'}`;
}

/**
 * The read-back succeeded, but without the list of workers: an unknown one may lack the entry. Or no listed worker
 * accepts connections: the one behind `@1` is draining.
 */
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

/** The commands that were not sent, and why. */
function notSent(change: RuntimeChange, to: WorkerRef, worker: number | null, reason: string): RuntimeMapFailure[] {
  const commands = new MapCommands(change.map.path, to);
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
