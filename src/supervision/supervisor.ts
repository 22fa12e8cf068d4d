// Starts HAProxy, adopts one that already runs this configuration, and restarts it when it is gone. That is decided
// by the pid of its master, never by its socket, which refuses during every reload: a second proxy would share the
// ports and serve half of the blocked requests. HAProxy outlives the service.

import { spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { pause } from '../concurrency/pause.ts';
import { crashPoint } from '../faults/crash-point.ts';
import { cannotBeRun, childEnvironment, programPath } from '../haproxy/process/child-environment.ts';
import { findMaster, findMasterBeingStarted, type MasterProcess, masterAt } from '../haproxy/process/master-process.ts';
import { listProcesses, showProcesses } from '../haproxy/process/workers.ts';
import { type MasterSocket, MasterSocketError } from '../haproxy/socket/master-socket.ts';
import { membersOfSession, processAlive, processStartTime } from '../system/processes.ts';
import { causeText, type Log } from '../telemetry/log.ts';

const firstMs = 1_000;
const longestMs = 30_000;
const longestAfterServingMs = 4_000;
/** A proxy that ran this long is restarted at once when it dies. */
const provenAfterMs = 60_000;

/**
 * The wait before a restart. It grows while starts fail. After a proxy that started and was killed it is a few seconds
 * at most, since until it runs no request is served.
 */
export class RestartPace {
  #waitMs: number;

  /** @param failed the first start, before the watch began, failed */
  constructor(failed: boolean) {
    this.#waitMs = failed ? firstMs : 0;
  }

  /** Milliseconds; 0: at once. */
  get waitMs(): number {
    return this.#waitMs;
  }

  /** Successful or not. */
  tried(): void {
    this.#waitMs = this.#waitMs === 0 ? firstMs : Math.min(this.#waitMs * 2, longestMs);
  }

  died(livedMs: number): void {
    this.#waitMs = livedMs > provenAfterMs ? 0 : Math.min(this.#waitMs, longestAfterServingMs);
  }
}

interface SupervisorOptions {
  readonly proxyBin: string;
  readonly configFile: string;
  readonly masterSocketPath: string;
  readonly pidFile: string;
  /** For HAProxy's standard output and error. Never a pipe: a full one hangs every reload. */
  readonly outputFile: string;
  readonly socket: MasterSocket;
  readonly log: Log;
  /** Prepares a start; an error says why it must not be tried, with HAProxy's output as its cause. */
  readonly beforeStart: () => Promise<Error | null>;
  /** Addresses of the configuration that another process holds. */
  readonly takenAddresses: () => Promise<readonly string[]>;
  /** HAProxy runs (again): its maps must be compared. */
  readonly onRunning: (master: MasterProcess) => void;
}

/**
 * Keys of every scope see `reason`, so it never contains HAProxy's output, which quotes the configuration and perhaps
 * passwords (ADR 0024): that is the cause of the error, and in the log.
 */
type SupervisorState =
  | { readonly running: true; readonly master: number; readonly adopted: boolean }
  | { readonly running: false; readonly reason: string };

/** For the output file. O_NOFOLLOW: a link could lead into any file. */
export const outputFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;

const watchEveryMs = 200;
/** Workers of a killed master release their addresses a moment later. */
const orphanTimeLimitMs = 2_000;
const endTimeLimitMs = 10_000;
const startTimeLimitMs = 60_000;
/** With a small list HAProxy starts within this. */
const soonMs = 200;
/** For a proxy that an earlier service started: five million entries are read in three seconds. */
const joinTimeLimitMs = 10_000;
/** Cheap: it only tries to bind. */
const addressCheckEveryMs = 1_000;

/** Another process holds an address of the configuration: no start was tried. */
class AddressTaken extends Error {}

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #stop = new AbortController();
  #master: MasterProcess | null = null;
  #state: SupervisorState = { running: false, reason: 'not checked yet' };
  #loop: Promise<void> | null = null;
  #starting: Promise<MasterProcess> | null = null;
  /** The one started last, serving or not. */
  #launched: MasterProcess | null = null;
  #lostAt = Number.NEGATIVE_INFINITY;
  #reported: string | null = null;
  #launchedAt = Number.NEGATIVE_INFINITY;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  get state(): SupervisorState {
    return this.#state;
  }

  /** Adopts or starts; then watches. A failed start is logged and retried, not thrown. */
  async start(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    let first: unknown = null;
    try {
      await this.ensureRunning();
    } catch (error) {
      first = error;
      this.#report(error);
    }
    this.#loop = this.#watch(first);
  }

  /** Stops starting and waiting. */
  abandon(): void {
    this.#stop.abort();
  }

  /** Ends the watch; HAProxy continues. */
  async stop(): Promise<void> {
    this.abandon();
    await this.#loop;
  }

  /**
   * After `stop`: ends HAProxy with all its workers, for a trial; a service leaves it running. From 3.1 on a master
   * leaves behind a worker that is still starting.
   */
  async endProxy(timeLimitMs = endTimeLimitMs): Promise<void> {
    for (const master of [this.#master, this.#launched]) {
      if (master === null || !(await processAlive(master.pid, master.startTime))) continue;
      process.kill(master.pid, 'SIGTERM');
      const deadline = performance.now() + timeLimitMs;
      while (await processAlive(master.pid, master.startTime)) {
        if (performance.now() > deadline) {
          this.#options.log.warn('HAProxy did not exit in time; killing it', { master: master.pid });
          kill(master.pid);
          break;
        }
        await pause(20);
      }
      // Listed again: it may have started another worker since.
      for (const pid of await membersOfSession(master.pid)) kill(pid);
    }
  }

  /** The running master, adopted or started now. @throws when it cannot be started */
  ensureRunning(): Promise<MasterProcess> {
    this.#starting ??= this.#adoptOrStart().finally(() => {
      this.#starting = null;
    });
    return this.#starting;
  }

  /**
   * As `ensureRunning`; `fresh` only if this call launched HAProxy, so that it runs what is on disk now.
   * @throws when it cannot be started
   */
  async ensureStarted(): Promise<{ master: MasterProcess; fresh: boolean }> {
    const began = performance.now();
    const joined = this.#starting !== null;
    const master = await this.ensureRunning();
    return { master, fresh: !joined && this.#launched?.pid === master.pid && this.#launchedAt >= began };
  }

  async #adoptOrStart(): Promise<MasterProcess> {
    const found = await this.#findRunning();
    if (found !== null) return this.#take(found, true);
    const starting = await this.#awaitStarting();
    if (starting !== null) return this.#take(starting, true);
    try {
      return this.#take(await this.#launch(), false);
    } catch (error) {
      this.#state = { running: false, reason: error instanceof Error ? error.message : String(error) };
      throw error;
    }
  }

  #take(master: MasterProcess, adopted: boolean): MasterProcess {
    const known = this.#master?.pid === master.pid && this.#master.startTime === master.startTime;
    this.#master = master;
    this.#reported = null;
    if (!known) {
      this.#state = { running: true, master: master.pid, adopted };
      this.#options.log.info(adopted ? 'HAProxy adopted' : 'HAProxy started', { master: master.pid });
      this.#options.onRunning(master);
    }
    return master;
  }

  async #findRunning(): Promise<MasterProcess | null> {
    const { pidFile, configFile, socket } = this.#options;
    // Pid file and socket may both be gone while the known process lives.
    if (this.#master !== null && (await processAlive(this.#master.pid, this.#master.startTime))) return this.#master;
    const byFile = await findMaster(pidFile, configFile);
    if (byFile !== null) return byFile;
    try {
      const { master } = await listProcesses(socket, performance.now() + 2_000);
      return await masterAt(master.pid, configFile);
    } catch (error) {
      if (error instanceof MasterSocketError) return null;
      throw error;
    }
  }

  /** Null: no master is starting, or it did not begin to serve. */
  async #awaitStarting(): Promise<MasterProcess | null> {
    const { configFile, log } = this.#options;
    const starting = await findMasterBeingStarted(configFile);
    if (starting === null) return null;
    log.info('Waiting for a HAProxy that is already starting', { master: starting.pid });
    const end = async (): Promise<string | null> =>
      (await processAlive(starting.pid, starting.startTime)) ? null : 'it ended';
    try {
      return await this.#waitUntilServing(starting.pid, starting.startTime, end, joinTimeLimitMs);
    } catch (error) {
      if (this.#stop.signal.aborted) throw error;
      // A master that lives and does not answer is running and has lost its socket.
      if ((await end()) === null) return starting;
      log.warn('The HAProxy that was starting has ended', { master: starting.pid, cause: causeText(error) });
      return null;
    }
  }

  async #launch(): Promise<MasterProcess> {
    const { proxyBin, configFile, masterSocketPath, pidFile, outputFile, log } = this.#options;
    const obstacle = await this.#options.beforeStart();
    if (obstacle !== null) throw obstacle;
    const taken = await this.#takenAddresses();
    if (taken.length > 0) {
      throw new AddressTaken(`HAProxy is not started: ${taken.join(', ')} is held by another process`);
    }
    if (this.#stop.signal.aborted) throw new Error('HAProxy is not started: the service stops');
    const output = openSync(outputFile, outputFlags, 0o640);
    try {
      const child = spawn(
        programPath(proxyBin),
        ['-W', '-S', `${masterSocketPath},mode,600`, '-p', pidFile, '-f', configFile],
        {
          detached: true,
          stdio: ['ignore', output, output],
          cwd: '/',
          env: childEnvironment(),
        },
      );
      const spawned = Promise.withResolvers<number>();
      child.once('spawn', () => spawned.resolve(child.pid!));
      child.once('error', (error) => spawned.reject(new Error(cannotBeRun(proxyBin, error), { cause: error })));
      let ended: string | null = null;
      child.once('exit', (code, signal) => {
        ended = signal === null ? `it exited with ${code}` : `it died of ${signal}`;
        log.warn('HAProxy ended', { master: child.pid, how: ended });
      });
      child.unref();
      this.#launchedAt = performance.now();
      const pid = await spawned.promise;
      crashPoint('proxy.spawned');
      const startTime = await processStartTime(pid);
      if (startTime !== null) this.#launched = { pid, startTime };
      return await this.#waitUntilServing(pid, startTime, async () => ended);
    } finally {
      closeSync(output);
    }
  }

  async #takenAddresses(): Promise<readonly string[]> {
    for (;;) {
      const taken = await this.#options.takenAddresses();
      if (taken.length === 0 || performance.now() > this.#lostAt + orphanTimeLimitMs) return taken;
      await pause(20);
    }
  }

  async #waitUntilServing(
    pid: number,
    startTime: number | null,
    ended: () => Promise<string | null>,
    timeLimitMs = startTimeLimitMs,
  ): Promise<MasterProcess> {
    const began = performance.now();
    const deadline = began + timeLimitMs;
    while (performance.now() < deadline) {
      const end = await ended();
      if (end !== null) {
        throw new Error(`HAProxy did not start, ${end}; see its output in the log`, {
          cause: new Error(await this.#tailOfOutput()),
        });
      }
      if (this.#stop.signal.aborted) throw new Error('the service stopped before HAProxy began to serve');
      try {
        const processes = await showProcesses(this.#options.socket, performance.now() + 1_000);
        if (processes.master.pid === pid && processes.currentAnswered && startTime !== null) return { pid, startTime };
      } catch (error) {
        if (!(error instanceof MasterSocketError)) throw error;
      }
      await pause(performance.now() - began < soonMs ? 5 : 20);
    }
    throw new Error(`HAProxy ${pid} did not begin to serve within ${timeLimitMs / 1_000} s`);
  }

  async #watch(first: unknown): Promise<void> {
    let failure = first;
    const pace = new RestartPace(first !== null);
    let runningSince = performance.now();
    while (!this.#stop.signal.aborted) {
      const waitMs = this.#master !== null || pace.waitMs === 0 ? watchEveryMs : pace.waitMs;
      await pause(failure instanceof AddressTaken ? addressCheckEveryMs : waitMs, { signal: this.#stop.signal });
      if (this.#stop.signal.aborted) return;
      if (this.#master !== null && (await this.#lives(this.#master))) continue;
      if (this.#master !== null) {
        this.#options.log.error('HAProxy has ended; restarting it', { master: this.#master.pid });
        this.#state = { running: false, reason: `the master ${this.#master.pid} is gone` };
        this.#master = null;
        this.#lostAt = performance.now();
        pace.died(performance.now() - runningSince);
        if (pace.waitMs > 0) continue;
      }
      try {
        await this.ensureRunning();
        failure = null;
        runningSince = performance.now();
      } catch (error) {
        failure = error;
        this.#report(error);
      }
      if (!(failure instanceof AddressTaken)) pace.tried();
    }
  }

  async #lives(master: MasterProcess): Promise<boolean> {
    try {
      return await processAlive(master.pid, master.startTime);
    } catch (error) {
      // Unknown is not dead: a second proxy would be worse than a late one.
      this.#report(error);
      return true;
    }
  }

  /** Consecutive errors with one cause are logged once: addresses are checked every second. */
  #report(error: unknown): void {
    const cause = causeText(error);
    if (cause === this.#reported) return;
    this.#reported = cause;
    this.#options.log.error('HAProxy could not be started; retrying', { cause });
  }

  async #tailOfOutput(): Promise<string> {
    const file = await open(this.#options.outputFile, 'r');
    try {
      const { size } = await file.stat();
      const length = Math.min(size, 4_096);
      const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
      return buffer.toString('utf8').trim();
    } finally {
      await file.close();
    }
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
