// A reload, asked for and proved. Proof is a new worker that answers commands, never a reply alone: 2.6 answers nothing
// at all. The caller has put the new configuration in place before. Up to 3.0 the master reads it while its socket is
// away, so a worker that was not there when the master last answered has read it. From 3.1 on the new worker reads it,
// listed but not serving; the master takes no reload before that worker serves or has failed.

import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { crashPoint } from '../../faults/crash-point.ts';
import { childrenOf, processAlive, processStartTime } from '../../system/processes.ts';
import { type ConverseOptions, type MasterSocket, MasterSocketError } from '../socket/master-socket.ts';
import { childEnvironment } from './child-environment.ts';
import { findMaster, type MasterProcess, masterAt } from './master-process.ts';
import { askForReload } from './master-socket-reload.ts';
import { type Listing, listProcesses, type Processes, showProcesses } from './workers.ts';

// `systemctl reload UNIT`. The unit checks the configuration as root before it signals the master, so that also files
// that only root may read are checked. A user that is not root needs a rule of polkit for it (docs/attach.md).

/** `denied`: it was not tried. `failed`: the unit's own reload failed, and HAProxy goes on as it was. */
export type UnitReload =
  | { readonly kind: 'done' }
  | { readonly kind: 'denied' | 'failed' | 'unknown'; readonly detail: string };

const mostOutput = 64 * 1024;

/**
 * Returns when the unit's reload has ended, or could not be asked for. Never throws.
 * @param patienceMs `unknown` when it did not end within this; it may go on
 */
export function reloadUnit(unit: string, patienceMs: number, program = 'systemctl'): Promise<UnitReload> {
  return new Promise((resolve) => {
    const limits = {
      timeout: Math.max(1, Math.ceil(patienceMs)),
      killSignal: 'SIGKILL' as const,
      maxBuffer: mostOutput,
      env: childEnvironment(),
      cwd: '/',
    };
    execFile(program, ['--no-ask-password', 'reload', '--', unit], limits, (error, stdout, stderr) => {
      if (error === null) return resolve({ kind: 'done' });
      const said = `${stderr}${stdout}`.trim();
      const command = `systemctl reload ${unit}`;
      if (error.killed === true) {
        resolve({ kind: 'unknown', detail: `${command} did not end within ${Math.ceil(patienceMs / 1_000)} s` });
      } else if (typeof error.code === 'string') {
        resolve({ kind: 'denied', detail: `${command} cannot be run: ${error.message}` });
      } else {
        // Of a job that ran systemctl says "Job for haproxy.service failed"; of all else, that there was none.
        const kind = /^Job for /m.test(said) ? 'failed' : 'denied';
        resolve({ kind, detail: `${command}: ${said === '' ? `exit code ${error.code}` : said}` });
      }
    });
  });
}

export type ReloadOutcome =
  | {
      readonly confirmed: true;
      readonly workerBefore: number | null;
      readonly workerAfter: number;
      /** How it was asked for. */
      readonly by: 'socket' | 'signal' | 'systemd';
      /** The proxy's own words, where it has some. */
      readonly output: string;
      readonly processes: Processes | null;
    }
  | {
      readonly confirmed: false;
      /** `not-running`: there is nobody to ask. `refused`: the proxy said no. `unconfirmed`: no proof came in time. */
      readonly reason: 'not-running' | 'refused' | 'unconfirmed';
      readonly detail: string;
      readonly workerBefore: number | null;
      readonly workerAfter: number | null;
      readonly output: string;
    };

const askPatienceMs = 1_000;
const pollMs = 25;
/** A parse of five million entries takes some three seconds, in which the socket refuses. */
const reloadUnderWayMs = 10_000;
/** A master that answers, and after this long has not begun to reload, did not take the command. */
const notTakenMs = 3_000;
/** A master re-executes itself at once when it gets the signal. */
const signalTakenMs = 500;

const reloadSigns = new Set(['refused', 'reset', 'no-reply', 'cut-short']);

/** Nobody could be asked, or whoever was asked said no. */
type Unasked = Omit<ReloadOutcome & { readonly confirmed: false }, 'workerBefore' | 'workerAfter'>;

/** A reload that was asked for otherwise than through the socket, and what there was before. */
interface Asked {
  readonly by: 'signal' | 'systemd';
  readonly master: MasterProcess;
  readonly before: ReadonlySet<number>;
  readonly beforePid: number | null;
  readonly pidFileWritten: number | null;
  readonly unusable: string | null;
}

/** A worker that a signal brought. */
interface Newcomer {
  readonly pid: number;
  readonly startTime: number;
  /** When it was seen first, in ms of `performance.now()`. */
  readonly since: number;
}

export class ProxyReloader {
  readonly #socket: MasterSocket;
  readonly #pidFile: string;
  readonly #configFile: string;
  readonly #knownMaster: () => number | null;
  readonly #workerReadsConfiguration: () => boolean;
  readonly #unit: string | null;

  constructor(options: {
    readonly socket: MasterSocket;
    readonly pidFile: string;
    readonly configFile: string;
    /** pid of the master that was seen last; it is used where the pid file is gone, if it still runs `configFile`. */
    readonly knownMaster?: () => number | null;
    /** See `ProxyCapabilities`. */
    readonly workerReadsConfiguration: () => boolean;
    /** The unit of systemd that is asked in the place of the master; null: the master is asked. */
    readonly unit?: string | null;
  }) {
    this.#unit = options.unit ?? null;
    this.#workerReadsConfiguration = options.workerReadsConfiguration;
    this.#knownMaster = options.knownMaster ?? (() => null);
    this.#socket = options.socket;
    this.#pidFile = options.pidFile;
    this.#configFile = options.configFile;
  }

  /** Never throws for what the proxy or its socket does. `deadline` in ms of `performance.now()`. */
  async reload(deadline: number): Promise<ReloadOutcome> {
    const baseline = await this.#baseline(deadline);
    const unusable = baseline instanceof MasterSocketError ? baseline.detail : null;
    if (this.#unit !== null) return await this.#askingFrom('systemd', deadline, unusable);
    if (baseline instanceof MasterSocketError) return await this.#askingFrom('signal', deadline, baseline.detail);
    return await this.#bySocket(baseline, deadline);
  }

  /** The processes while no reload is under way, or the error that says the socket cannot be used. */
  async #baseline(deadline: number): Promise<Listing | MasterSocketError> {
    const until = Math.min(deadline, performance.now() + reloadUnderWayMs);
    for (;;) {
      // No command to the worker: one that hangs would hold the place that the reload itself needs.
      const seen = await this.#ask(listProcesses, Math.min(until, performance.now() + askPatienceMs));
      if (!(seen instanceof MasterSocketError)) return (await this.#foreign(seen)) ?? seen;
      // Nobody listens and no master lives: waiting for a reload to end is waiting for nothing.
      const hopeless = !reloadSigns.has(seen.reason) || (await this.#master()) === null;
      if (hopeless || performance.now() + pollMs >= until) return seen;
      await sleep(pollMs);
    }
  }

  /** Somebody else answers at the path: a reload of his would prove nothing about our proxy. */
  async #foreign({ master }: Listing): Promise<MasterSocketError | null> {
    const ours = await this.#master();
    if (ours === null || ours.pid === master.pid) return null;
    return new MasterSocketError('garbled', {
      path: this.#socket.path,
      command: 'show proc',
      detail: `it answers for master ${master.pid}, and the master of ${this.#configFile} is ${ours.pid}`,
    });
  }

  async #bySocket(baseline: Listing, deadline: number): Promise<ReloadOutcome> {
    // Also the draining ones: one of them is current again when the worker of another reload fails to start.
    const known = new Set(baseline.workers.map(({ pid }) => pid));
    const before = baseline.workers[0]?.pid ?? null;
    const master = baseline.master.pid;
    const startTime = await processStartTime(master);
    let output = '';
    try {
      // Half of what is left: a master that swallows the command is still to be asked by signal.
      const reply = await askForReload(this.#socket, (performance.now() + deadline) / 2);
      if (reply.kind === 'unknown')
        return refused(
          before,
          `the proxy answered "reload" with ${JSON.stringify(reply.text.slice(0, 200))}`,
          reply.text,
        );
      // Another reload is under way. Once it is over, ours begins anew.
      if (reply.kind === 'busy') return await this.#again(before, deadline);
      if (reply.kind !== 'silent') output = reply.log;
      if (reply.kind === 'failure') return refused(before, 'the proxy refused the reload', output);
    } catch (error) {
      if (!(error instanceof MasterSocketError)) throw error;
      // A reload that somebody else began: ours was not queued. Once it is over, ours begins anew.
      if (reloadSigns.has(error.reason)) return await this.#again(before, deadline);
      return await this.#askingFrom('signal', deadline, error.detail);
    }
    crashPoint('reload.asked');
    const asked = performance.now();
    for (;;) {
      // A worker of 2.6 that fails after the fork takes the master along: nobody is served until the rollback.
      if (startTime !== null && !(await processAlive(master, startTime))) {
        return unconfirmed(before, 'the master died of the reload', output);
      }
      const seen = await this.#ask(showProcesses, Math.min(deadline, performance.now() + askPatienceMs));
      if (!(seen instanceof MasterSocketError)) {
        const after = seen.current[0]?.pid ?? null;
        if (after !== null && !known.has(after) && seen.currentAnswered) {
          return { confirmed: true, workerBefore: before, workerAfter: after, by: 'socket', output, processes: seen };
        }
        const taken = seen.master.reloads !== baseline.master.reloads;
        if (taken && (after === null || known.has(after)) && hasFailed(seen)) {
          return failed(before, after, output);
        }
        if (!taken && performance.now() - asked > notTakenMs) {
          // Proved not taken: the master answers and has not reloaded since.
          return await this.#again(before, deadline);
        }
      }
      if (performance.now() + pollMs >= deadline) break;
      await sleep(pollMs);
    }
    return unconfirmed(before, 'no new worker was seen', output);
  }

  /** By the pid file; where that is gone, the one that was seen to be the master last. */
  async #master(): Promise<MasterProcess | null> {
    const byFile = await findMaster(this.#pidFile, this.#configFile);
    if (byFile !== null) return byFile;
    const known = this.#knownMaster();
    return known === null ? null : await masterAt(known, this.#configFile);
  }

  async #again(before: number | null, deadline: number): Promise<ReloadOutcome> {
    await sleep(pollMs);
    if (performance.now() >= deadline) return unconfirmed(before, 'the proxy did not take the reload', '');
    return await this.reload(deadline);
  }

  /**
   * SIGUSR2 reloads too, and makes the master socket anew at its path; a unit sends it.
   * @param unusable why the master socket cannot be used; null: it can
   */
  async #askingFrom(by: 'signal' | 'systemd', deadline: number, unusable: string | null): Promise<ReloadOutcome> {
    const master = await this.#master();
    if (master === null) {
      const socket = unusable === null ? '' : `the master socket cannot be used (${unusable}) and `;
      return {
        confirmed: false,
        reason: 'not-running',
        detail: `${socket}${this.#pidFile} names no running proxy of ${this.#configFile}`,
        workerBefore: null,
        workerAfter: null,
        output: '',
      };
    }
    const before = new Set(await childrenOf(master.pid));
    const beforePid = [...before][0] ?? null;
    const pidFileWritten = await this.#pidFileWritten();
    const refusal = by === 'signal' ? signalled(master.pid) : await this.#askUnit(deadline);
    if (refusal !== null) return { ...refusal, workerBefore: beforePid, workerAfter: beforePid };
    return await this.#seenAfter({ by, master, before, beforePid, pidFileWritten, unusable }, deadline);
  }

  async #askUnit(deadline: number): Promise<Unasked | null> {
    const asked = await reloadUnit(this.#unit!, deadline - performance.now());
    if (asked.kind === 'done') return null;
    const reason = asked.kind === 'failed' ? 'refused' : 'unconfirmed';
    return { confirmed: false, reason, detail: asked.detail, output: '' };
  }

  /** The proof of a reload that somebody was asked for who answers nothing of it. */
  async #seenAfter(asked: Asked, deadline: number): Promise<ReloadOutcome> {
    const { by, master, before, beforePid, pidFileWritten, unusable } = asked;
    const why = unusable ?? 'it does not answer';
    const askedAt = performance.now();
    let newcomer: Newcomer | null = null;
    let answered: { reloads: number; at: number } | null = null;
    for (;;) {
      if (!(await processAlive(master.pid, master.startTime))) {
        return unconfirmed(beforePid, 'the master died of the reload', '');
      }
      const seen = await this.#ask(showProcesses, Math.min(deadline, performance.now() + askPatienceMs));
      if (!(seen instanceof MasterSocketError) && seen.master.pid === master.pid) {
        const after = seen.current[0]?.pid;
        if (after !== undefined && !before.has(after) && seen.currentAnswered) {
          return {
            confirmed: true,
            workerBefore: beforePid,
            workerAfter: after,
            by,
            output: '',
            processes: seen,
          };
        }
        // A failure of an earlier reload is listed until this one has begun.
        const begun = performance.now() - askedAt > signalTakenMs;
        if (begun && hasFailed(seen) && (after === undefined || before.has(after))) {
          return failed(beforePid, after ?? null, '');
        }
        if (answered === null) answered = { reloads: seen.master.reloads, at: performance.now() };
        const idle = seen.starting.length === 0;
        if (idle && seen.master.reloads === answered.reloads && performance.now() - answered.at > notTakenMs) {
          // Proved not taken: a master that was executing itself anew does not hear a signal.
          return await this.#again(beforePid, deadline);
        }
      } else {
        newcomer = await this.#newcomer(master, before, newcomer);
        // Without a socket the process itself has to do as proof, once it has lived through its start. From 3.1 on it
        // lives while it reads the configuration; the master writes the pid file when the worker serves. (When the worker
        // of another reload does so at this very time, one that reads for more than three seconds is believed too early.)
        const served = !this.#workerReadsConfiguration() || (await this.#pidFileWritten()) !== pidFileWritten;
        if (newcomer !== null && served && performance.now() - newcomer.since > notTakenMs) {
          return {
            confirmed: true,
            workerBefore: beforePid,
            workerAfter: newcomer.pid,
            by,
            output: '',
            processes: null,
          };
        }
      }
      if (performance.now() + pollMs >= deadline) break;
      await sleep(pollMs);
    }
    const unproved =
      newcomer === null
        ? `no new worker was seen after ${by === 'signal' ? 'SIGUSR2' : `systemctl reload ${this.#unit}`}`
        : `the new worker ${newcomer.pid} was not seen to serve: the master socket cannot be used (${why})${
            this.#workerReadsConfiguration() ? `, and the master did not write ${this.#pidFile}` : ''
          }`;
    return unconfirmed(beforePid, unproved, '');
  }

  async #newcomer(
    master: MasterProcess,
    before: ReadonlySet<number>,
    known: Newcomer | null,
  ): Promise<Newcomer | null> {
    if (known !== null && (await processAlive(known.pid, known.startTime))) return known;
    for (const pid of await childrenOf(master.pid)) {
      if (before.has(pid)) continue;
      const startTime = await processStartTime(pid);
      if (startTime !== null) return { pid, startTime, since: performance.now() };
    }
    return null;
  }

  /** When the pid file was written last, in ms; null when there is none. */
  async #pidFileWritten(): Promise<number | null> {
    try {
      return (await stat(this.#pidFile)).mtimeMs;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  async #ask<T>(
    list: (socket: MasterSocket, deadline: number, options: ConverseOptions) => Promise<T>,
    deadline: number,
  ): Promise<T | MasterSocketError> {
    try {
      // On the place that is kept for reloads: ours may all be held by a worker that hangs, and that is no reason.
      return await list(this.#socket, deadline, { reserved: true });
    } catch (error) {
      if (error instanceof MasterSocketError) return error;
      throw error;
    }
  }
}

/** Null: the master has got the signal. */
function signalled(master: number): Unasked | null {
  try {
    process.kill(master, 'SIGUSR2');
    return null;
  } catch (error) {
    const detail = `SIGUSR2 to the master ${master}: ${(error as Error).message}`;
    return { confirmed: false, reason: 'unconfirmed', detail, output: '' };
  }
}

/** The master counts a failed reload until the next one, and no worker is starting. */
function hasFailed({ master, starting }: Processes): boolean {
  return (master.failed ?? 0) > 0 && starting.length === 0;
}

/** `after`: the worker that serves now; null: none does. */
function failed(before: number | null, after: number | null, output: string): ReloadOutcome {
  const detail =
    after === null
      ? 'the proxy failed to reload, and no worker takes connections'
      : 'the proxy failed to reload and went on with its old worker';
  return { confirmed: false, reason: 'refused', detail, workerBefore: before, workerAfter: after, output };
}

function refused(worker: number | null, detail: string, output: string): ReloadOutcome {
  return { confirmed: false, reason: 'refused', detail, workerBefore: worker, workerAfter: worker, output };
}

function unconfirmed(worker: number | null, detail: string, output: string): ReloadOutcome {
  return { confirmed: false, reason: 'unconfirmed', detail, workerBefore: worker, workerAfter: null, output };
}
