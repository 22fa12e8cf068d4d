// Requests a reload and proves it. The proof is a new worker that answers commands, never a reply alone: 2.6 sends
// none. The caller has installed the new configuration. Up to 3.0 the master reads it while its socket is unavailable,
// so a worker that did not exist when the master last answered has read it. From 3.1 on the new worker reads it, listed
// but not serving; the master accepts no reload before that worker serves or has failed.

import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { crashPoint } from '../../faults/crash-point.ts';
import { isMissing } from '../../files/atomic-file.ts';
import { childrenOf, processAlive, processStartTime } from '../../system/processes.ts';
import { type ConverseOptions, type MasterSocket, MasterSocketError } from '../socket/master-socket.ts';
import { mayBeReload } from '../socket/master-socket-error.ts';
import { findMaster, type MasterProcess, masterAt } from './master-process.ts';
import { reloadUnit, requestReload, signalReload } from './reload-triggers.ts';
import { type Listing, listProcesses, type Processes, showProcesses } from './workers.ts';

interface Confirmed {
  readonly confirmed: true;
  readonly workerBefore: number | null;
  readonly workerAfter: number;
  readonly by: 'socket' | 'signal' | 'systemd';
  readonly output: string;
  readonly processes: Processes | null;
}

interface NotConfirmed {
  readonly confirmed: false;
  /** `refused`: by HAProxy. `unconfirmed`: no proof before the deadline. */
  readonly reason: 'not-running' | 'refused' | 'unconfirmed';
  readonly detail: string;
  readonly workerBefore: number | null;
  readonly workerAfter: number | null;
  readonly output: string;
}

export type ReloadOutcome = Confirmed | NotConfirmed;

const listTimeLimitMs = 1_000;
const pollMs = 25;
/** Parsing five million entries takes some three seconds, in which the socket refuses. */
const reloadUnderWayMs = 10_000;
/** A master that answers and has not begun to reload by then dropped the request. */
const notTakenMs = 3_000;
const signalTakenMs = 500;

interface Requested {
  readonly by: 'signal' | 'systemd';
  readonly master: MasterProcess;
  readonly before: ReadonlySet<number>;
  readonly beforePid: number | null;
  readonly pidFileWritten: number | null;
  readonly unusable: string | null;
}

/** A new child of the master, found without its socket. */
interface NewChild {
  readonly pid: number;
  readonly startTime: number;
  /** In ms of `performance.now()`. */
  readonly since: number;
}

interface ProxyReloaderDeps {
  readonly socket: MasterSocket;
  readonly pidFile: string;
  readonly configFile: string;
  /** pid of the last known master; used without a pid file, if it still runs `configFile`. */
  readonly knownMaster?: () => number | null;
  /** See `ProxyCapabilities`. */
  readonly workerReadsConfiguration: () => boolean;
  /** Null: request it from the master itself. */
  readonly unit?: string | null;
}

export class ProxyReloader {
  readonly #deps: ProxyReloaderDeps;

  constructor(deps: ProxyReloaderDeps) {
    this.#deps = deps;
  }

  /** Never throws for a failure of HAProxy or its socket. `deadline` in ms of `performance.now()`. */
  async reload(deadline: number): Promise<ReloadOutcome> {
    const baseline = await this.#baseline(deadline);
    const unusable = baseline instanceof MasterSocketError ? baseline.detail : null;
    if (typeof this.#deps.unit === 'string') return await this.#withoutSocket('systemd', deadline, unusable);
    if (baseline instanceof MasterSocketError) return await this.#withoutSocket('signal', deadline, baseline.detail);
    return await this.#bySocket(baseline, deadline);
  }

  /** The processes while no reload is in progress, or the error that makes the socket unusable. */
  async #baseline(deadline: number): Promise<Listing | MasterSocketError> {
    const until = Math.min(deadline, performance.now() + reloadUnderWayMs);
    for (;;) {
      // No command to the worker: a hung one would hold the slot that the reload needs.
      const seen = await this.#list(listProcesses, until);
      if (!(seen instanceof MasterSocketError)) return (await this.#otherMaster(seen)) ?? seen;
      const hopeless = !mayBeReload(seen.reason) || (await this.#master()) === null;
      if (hopeless || performance.now() + pollMs >= until) return seen;
      await sleep(pollMs);
    }
  }

  /** Another master answers at the path: its reload would prove nothing about this proxy. */
  async #otherMaster({ master }: Listing): Promise<MasterSocketError | null> {
    const own = await this.#master();
    if (own === null || own.pid === master.pid) return null;
    const { socket, configFile } = this.#deps;
    return new MasterSocketError('garbled', {
      path: socket.path,
      command: 'show proc',
      detail: `it answers for master ${master.pid}, and the master of ${configFile} is ${own.pid}`,
    });
  }

  async #bySocket(baseline: Listing, deadline: number): Promise<ReloadOutcome> {
    // Draining ones too: one becomes current again when another reload's worker fails to start.
    const known = new Set(baseline.workers.map(({ pid }) => pid));
    const before = baseline.workers[0]?.pid ?? null;
    const master = baseline.master.pid;
    const startTime = await processStartTime(master);
    let output = '';
    try {
      // Half of the time left: if the master drops the command, a signal can still follow.
      const reply = await requestReload(this.#deps.socket, (performance.now() + deadline) / 2);
      if (reply.kind === 'unknown') {
        const detail = `HAProxy answered "reload" with ${JSON.stringify(reply.text.slice(0, 200))}`;
        return refused(before, before, detail, reply.text);
      }
      if (reply.kind === 'busy') return await this.#retry(before, deadline);
      if (reply.kind !== 'silent') output = reply.log;
      if (reply.kind === 'failure') return refused(before, before, 'HAProxy refused the reload', output);
    } catch (error) {
      if (!(error instanceof MasterSocketError)) throw error;
      // The request was not queued: retry when the other reload has ended.
      if (mayBeReload(error.reason)) return await this.#retry(before, deadline);
      return await this.#withoutSocket('signal', deadline, error.detail);
    }
    crashPoint('reload.asked');
    const requestedAt = performance.now();
    let missingSince: number | null = null;
    let by: Confirmed['by'] = 'socket';
    let unsent: string | null = null;
    for (;;) {
      // On 2.6 a worker that fails after the fork takes the master along: nothing is served until the rollback.
      if (startTime !== null && !(await processAlive(master, startTime))) {
        return unconfirmed(before, 'the master died during the reload', output);
      }
      const seen = await this.#list(showProcesses, deadline);
      if (!(seen instanceof MasterSocketError)) {
        missingSince = null;
        const after = seen.current[0]?.pid ?? null;
        // Two reloads after a signal: from 3.1 on the worker of the first serves until that of the second does.
        const last = by === 'socket' || seen.starting.length === 0;
        if (after !== null && !known.has(after) && seen.currentAnswered && last) {
          return { confirmed: true, workerBefore: before, workerAfter: after, by, output, processes: seen };
        }
        const taken = seen.master.reloads !== baseline.master.reloads;
        if (taken && (after === null || known.has(after)) && hasFailed(seen)) return failed(before, after, output);
        // The master answers and has not reloaded: it dropped the request.
        if (!taken && performance.now() - requestedAt > notTakenMs) return await this.#retry(before, deadline);
      } else if (seen.reason === 'missing') {
        missingSince ??= performance.now();
        // Its file was deleted, and this reload, which has surely ended, did not make it again: a signal does.
        if (performance.now() - missingSince > reloadUnderWayMs) {
          unsent = signalReload(master);
          by = 'signal';
          missingSince = null;
        }
      }
      if (performance.now() + pollMs >= deadline) break;
      await sleep(pollMs);
    }
    return unconfirmed(
      before,
      unsent === null ? 'no new worker was seen' : `no new worker was seen: ${unsent}`,
      output,
    );
  }

  /** By the pid file, or else the last known master. */
  async #master(): Promise<MasterProcess | null> {
    const { pidFile, configFile, knownMaster } = this.#deps;
    const byFile = await findMaster(pidFile, configFile);
    if (byFile !== null) return byFile;
    const known = knownMaster?.() ?? null;
    return known === null ? null : await masterAt(known, configFile);
  }

  async #retry(before: number | null, deadline: number): Promise<ReloadOutcome> {
    await sleep(pollMs);
    if (performance.now() >= deadline) return unconfirmed(before, 'HAProxy did not accept the reload', '');
    return await this.reload(deadline);
  }

  /** SIGUSR2 reloads too, and recreates the master socket at its path; a unit sends it. */
  async #withoutSocket(by: Requested['by'], deadline: number, unusable: Requested['unusable']): Promise<ReloadOutcome> {
    const master = await this.#master();
    if (master === null) {
      const socket = unusable === null ? '' : `the master socket cannot be used (${unusable}) and `;
      const detail = `${socket}${this.#deps.pidFile} names no running HAProxy of ${this.#deps.configFile}`;
      return notConfirmed('not-running', null, null, detail, '');
    }
    const before = new Set(await childrenOf(master.pid));
    const beforePid = [...before][0] ?? null;
    const pidFileWritten = await this.#pidFileWritten();
    if (by === 'signal') {
      const failure = signalReload(master.pid);
      if (failure !== null) return notConfirmed('unconfirmed', beforePid, beforePid, failure, '');
    } else {
      const reply = await reloadUnit(this.#deps.unit!, deadline - performance.now());
      if (reply.kind !== 'done') {
        const reason = reply.kind === 'failed' ? 'refused' : 'unconfirmed';
        return notConfirmed(reason, beforePid, beforePid, reply.detail, '');
      }
    }
    return await this.#prove({ by, master, before, beforePid, pidFileWritten, unusable }, deadline);
  }

  async #prove(requested: Requested, deadline: number): Promise<ReloadOutcome> {
    const { by, master, before, beforePid, pidFileWritten } = requested;
    const confirmed = (workerAfter: number, processes: Processes | null): Confirmed => {
      return { confirmed: true, workerBefore: beforePid, workerAfter, by, output: '', processes };
    };
    const requestedAt = performance.now();
    let child: NewChild | null = null;
    let answered: { reloads: number; at: number } | null = null;
    for (;;) {
      if (!(await processAlive(master.pid, master.startTime))) {
        return unconfirmed(beforePid, 'the master died during the reload', '');
      }
      const seen = await this.#list(showProcesses, deadline);
      if (!(seen instanceof MasterSocketError) && seen.master.pid === master.pid) {
        const after = seen.current[0]?.pid;
        if (after !== undefined && !before.has(after) && seen.currentAnswered) return confirmed(after, seen);
        // The failure of an earlier reload is listed until this one has begun.
        const begun = performance.now() - requestedAt > signalTakenMs;
        if (begun && hasFailed(seen) && (after === undefined || before.has(after))) {
          return failed(beforePid, after ?? null, '');
        }
        answered ??= { reloads: seen.master.reloads, at: performance.now() };
        const idle = seen.starting.length === 0 && seen.master.reloads === answered.reloads;
        // The signal was lost: a master that is re-executing itself does not receive one.
        if (idle && performance.now() - answered.at > notTakenMs) return await this.#retry(beforePid, deadline);
      } else {
        child = await newChild(master, before, child);
        // Without a socket the process itself is the proof, once it has survived its start. From 3.1 on it lives while
        // it reads the configuration; the master writes the pid file when the worker serves. (If another reload's
        // worker begins to serve just then, one that reads for more than three seconds is confirmed too early.)
        const served = !this.#deps.workerReadsConfiguration() || (await this.#pidFileWritten()) !== pidFileWritten;
        if (child !== null && served && performance.now() - child.since > notTakenMs) return confirmed(child.pid, null);
      }
      if (performance.now() + pollMs >= deadline) break;
      await sleep(pollMs);
    }
    return unconfirmed(beforePid, this.#unproved(requested, child), '');
  }

  #unproved({ by, unusable }: Requested, child: NewChild | null): string {
    const { unit, pidFile, workerReadsConfiguration } = this.#deps;
    if (child === null) {
      return `no new worker was seen after ${by === 'signal' ? 'SIGUSR2' : `systemctl reload ${unit}`}`;
    }
    const unwritten = workerReadsConfiguration() ? `, and the master did not write ${pidFile}` : '';
    const why = unusable ?? 'it does not answer';
    return `the new worker ${child.pid} could not be confirmed to serve: the master socket cannot be used (${why})${unwritten}`;
  }

  /** In ms; null when there is none. */
  async #pidFileWritten(): Promise<number | null> {
    try {
      return (await stat(this.#deps.pidFile)).mtimeMs;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async #list<T>(
    list: (socket: MasterSocket, deadline: number, options: ConverseOptions) => Promise<T>,
    deadline: number,
  ): Promise<T | MasterSocketError> {
    try {
      // On the slot reserved for reloads: a hung worker may hold all others.
      const until = Math.min(deadline, performance.now() + listTimeLimitMs);
      return await list(this.#deps.socket, until, { reserved: true });
    } catch (error) {
      if (error instanceof MasterSocketError) return error;
      throw error;
    }
  }
}

/** `known` while it lives; otherwise a child of the master that is not in `before`. */
async function newChild(
  master: MasterProcess,
  before: ReadonlySet<number>,
  known: NewChild | null,
): Promise<NewChild | null> {
  if (known !== null && (await processAlive(known.pid, known.startTime))) return known;
  for (const pid of await childrenOf(master.pid)) {
    if (before.has(pid)) continue;
    const startTime = await processStartTime(pid);
    if (startTime !== null) return { pid, startTime, since: performance.now() };
  }
  return null;
}

/** The master counts a failed reload until the next one, and no worker is starting. */
function hasFailed({ master, starting }: Processes): boolean {
  return (master.failed ?? 0) > 0 && starting.length === 0;
}

function notConfirmed(
  reason: NotConfirmed['reason'],
  workerBefore: number | null,
  workerAfter: number | null,
  detail: string,
  output: string,
): NotConfirmed {
  return { confirmed: false, reason, detail, workerBefore, workerAfter, output };
}

/** `after`: the worker that serves now; null: none. */
function failed(before: number | null, after: number | null, output: string): NotConfirmed {
  const detail =
    after === null
      ? 'HAProxy failed to reload, and no worker accepts connections'
      : 'HAProxy failed to reload and kept its previous worker';
  return refused(before, after, detail, output);
}

function refused(before: number | null, after: number | null, detail: string, output: string): NotConfirmed {
  return notConfirmed('refused', before, after, detail, output);
}

function unconfirmed(before: number | null, detail: string, output: string): NotConfirmed {
  return notConfirmed('unconfirmed', before, null, detail, output);
}
