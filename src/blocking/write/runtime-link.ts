// A group that missed its deadline marks the link as down. Groups then write database and file and respond at once
// (promise 3), while one probe a second checks for recovery.
import { pause } from '../../concurrency/pause.ts';
import { type Processes, showProcesses } from '../../haproxy/process/workers.ts';
import { type MasterSocket, MasterSocketError } from '../../haproxy/socket/master-socket.ts';
import { mayBeReload } from '../../haproxy/socket/master-socket-error.ts';
import { causeText, type Log } from '../../telemetry/log.ts';

const probeEveryMs = 1_000;
/** A busy machine may not answer a group that waited long for its turn. */
const blamedFromMs = 700;
/** `MasterSocket` does not repeat an abandoned command until it was answered. */
const probePatienceMs = 1_000;
/** Between two consecutive reloads the socket exists for some 10 ms. */
const firstPauseMs = 5;
const longestPauseMs = 10;
const lastLookMs = 500;
/** A starting worker takes as long as its configuration needs. */
const startingPollMs = 50;

type LinkState = { readonly up: true } | { readonly up: false; readonly since: Date; readonly reason: string };

interface RuntimeLinkDeps {
  readonly socket: MasterSocket;
  readonly log: Log;
  readonly now: () => Date;
  readonly onRecovered: (processes: Processes) => void;
}

export class RuntimeLink {
  readonly #deps: RuntimeLinkDeps;
  #state: LinkState = { up: true };
  #closed = false;
  #probe: { readonly abort: AbortController; readonly done: Promise<void> } | null = null;

  constructor(deps: RuntimeLinkDeps) {
    this.#deps = deps;
  }

  get state(): LinkState {
    return this.#state;
  }

  /**
   * Retries until success, a failure that waiting does not cure, or the deadline. Only for work that reads first.
   * @param attempt returns the error that ended its connection, or null
   * @param deadline `performance.now()` milliseconds
   * @param began when the first attempt began, which may wait for its reply already
   */
  async hold<T extends { readonly ended: MasterSocketError | null }>(
    deadline: number,
    attempt: () => Promise<T>,
    began = performance.now(),
  ): Promise<T> {
    const given = deadline - began;
    const outcome = await waitOutReload(deadline, attempt);
    if (outcome.ended !== null && tells(outcome.ended, given)) this.markDown(outcome.ended);
    return outcome;
  }

  /**
   * Waits out a reload. A worker that has not started in time is listed as starting.
   * @throws MasterSocketError; the socket then counts as down
   */
  async processes(patienceMs: number): Promise<Processes> {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      let pauseMs = longestPauseMs;
      try {
        // Cut off at the deadline, the last check could not tell a starting worker from a hung one.
        const processes = await showProcesses(this.#deps.socket, Math.max(deadline, performance.now() + lastLookMs));
        pauseMs = startingPollMs;
        if (processes.starting.length === 0 || performance.now() + pauseMs >= deadline) return processes;
      } catch (error) {
        if (!(error instanceof MasterSocketError)) throw error;
        if (!mayBeReload(error.reason) || performance.now() + longestPauseMs >= deadline) {
          this.markDown(error);
          throw error;
        }
      }
      await pause(pauseMs);
    }
  }

  markDown(cause: MasterSocketError): void {
    if (this.#state.up) {
      this.#state = { up: false, since: this.#deps.now(), reason: `${cause.reason}: ${cause.detail}` };
      this.#deps.log.warn('Master socket is down', { reason: cause.reason, cause: causeText(cause) });
    }
    this.#startProbing();
  }

  /** Aborts a probe that still waits: a reload recreated the socket. */
  markUp(processes: Processes): void {
    this.#probe?.abort.abort();
    if (this.#state.up) return;
    this.#state = { up: true };
    this.#deps.log.info('Master socket answers again', { master: processes.master.pid });
    this.#deps.onRecovered(processes);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const probe = this.#probe;
    probe?.abort.abort();
    await probe?.done;
  }

  #startProbing(): void {
    // After `close`, a probe would retry forever and keep the process alive.
    if (this.#closed || this.#probe !== null) return;
    const abort = new AbortController();
    const done = this.#probeUntilUp(abort.signal).finally(() => {
      this.#probe = null;
      // It was aborted because the master answered; the link went down again since.
      if (!this.#state.up) this.#startProbing();
    });
    this.#probe = { abort, done };
  }

  async #probeUntilUp(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const began = performance.now();
      try {
        const processes = await this.#probeOnce(signal);
        if (!signal.aborted) this.markUp(processes);
        return;
      } catch (error) {
        if (!(error instanceof MasterSocketError)) {
          this.#deps.log.error('Probe of the master socket failed', { cause: causeText(error) });
        }
      }
      const rest = probeEveryMs - (performance.now() - began);
      await pause(Math.max(rest, 50), { signal });
    }
  }

  /** Through the worker: a hung worker behind a healthy master is down too. */
  async #probeOnce(signal: AbortSignal): Promise<Processes> {
    const conversation = await this.#deps.socket.converse(performance.now() + probePatienceMs, { change: true });
    const onAbort = (): void => conversation.close();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await conversation.finish(['@1 show map']);
    } finally {
      signal.removeEventListener('abort', onAbort);
      conversation.close();
    }
    return await showProcesses(this.#deps.socket, performance.now() + 1_000);
  }
}

/** Not if nothing was sent, or hardly any time was left. */
function tells({ reason, command }: MasterSocketError, givenMs: number): boolean {
  return reason !== 'deadline' || (command !== '' && givenMs >= blamedFromMs);
}

/** Without effect on the link: one worker's failure says nothing about the socket. */
export async function waitOutReload<T extends { readonly ended: MasterSocketError | null }>(
  deadline: number,
  attempt: () => Promise<T>,
): Promise<T> {
  let pauseMs = firstPauseMs;
  for (;;) {
    const outcome = await attempt();
    if (outcome.ended === null || !mayBeReload(outcome.ended.reason)) return outcome;
    if (performance.now() + pauseMs >= deadline) return outcome;
    await pause(pauseMs);
    // A pause may overrun: an attempt without time would only hide the previous error.
    if (performance.now() >= deadline) return outcome;
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }
}
