// Whether the master socket can be used right now, learnt from what happened to the last commands. A group that met
// its deadline marks the link as down; then groups write database and file and answer at once with the failures
// (promise 3), while one probe a second looks for recovery.
import { pause } from '../../concurrency/pause.ts';
import { type Processes, showProcesses } from '../../haproxy/process/workers.ts';
import { type MasterSocket, MasterSocketError } from '../../haproxy/socket/master-socket.ts';
import { mayBeReload } from '../../haproxy/socket/master-socket-error.ts';
import { causeText, type Log } from '../../telemetry/log.ts';

const probeEveryMs = 1_000;
/** A group that waited long for its turn has little time left; that a busy machine did not answer within is no wonder. */
const blamedFromMs = 700;
/** What is given up after this long is not asked again before it was answered (`MasterSocket`). */
const probePatienceMs = 1_000;
/** Short: where one reload follows the other, the socket is there for some 10 ms at a time. */
const firstPauseMs = 5;
const longestPauseMs = 10;
const lastLookMs = 500;
/** A worker that starts takes as long as its configuration. */
const startingPollMs = 50;

export type LinkState = { readonly up: true } | { readonly up: false; readonly since: Date; readonly reason: string };

export class RuntimeLink {
  readonly #socket: MasterSocket;
  readonly #log: Log;
  readonly #now: () => Date;
  readonly #onRecovered: (processes: Processes) => void;
  #state: LinkState = { up: true };
  #closed = false;
  #probe: { readonly abort: AbortController; readonly done: Promise<void> } | null = null;

  constructor(options: {
    readonly socket: MasterSocket;
    readonly log: Log;
    readonly now: () => Date;
    /** Called when a probe was answered after the link was down. */
    readonly onRecovered: (processes: Processes) => void;
  }) {
    this.#socket = options.socket;
    this.#log = options.log;
    this.#now = options.now;
    this.#onRecovered = options.onRecovered;
  }

  get state(): LinkState {
    return this.#state;
  }

  /**
   * Tries until it goes through, the failure is of a kind that waiting does not cure, or the deadline is near.
   * `attempt` returns the error that ended its connection, or null. Only for work that looks before it changes.
   * @param deadline `performance.now()` milliseconds
   */
  async hold<T extends { readonly ended: MasterSocketError | null }>(
    deadline: number,
    attempt: () => Promise<T>,
  ): Promise<T> {
    const given = deadline - performance.now();
    const outcome = await waitOutReload(deadline, attempt);
    if (outcome.ended !== null && tells(outcome.ended, given)) this.markDown(outcome.ended);
    return outcome;
  }

  /**
   * The processes once no reload is under way. A worker that is still starting at the end of the patience is listed as
   * that. A socket that cannot be used counts as down from then on.
   * @throws MasterSocketError
   */
  async processes(patienceMs: number): Promise<Processes> {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      let pauseMs = longestPauseMs;
      try {
        // Cut short at the deadline, the last look could not tell a starting worker from one that hangs.
        const processes = await showProcesses(this.#socket, Math.max(deadline, performance.now() + lastLookMs));
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
      this.#state = { up: false, since: this.#now(), reason: `${cause.reason}: ${cause.detail}` };
      this.#log.warn('Master socket is down', { reason: cause.reason, cause: causeText(cause) });
    }
    this.#startProbing();
  }

  /** The master was seen to answer (a reload recreated the socket): a probe that still waits is given up. */
  markUp(processes: Processes): void {
    this.#probe?.abort.abort();
    if (this.#state.up) return;
    this.#state = { up: true };
    this.#log.info('Master socket answers again', { master: processes.master.pid });
    this.#onRecovered(processes);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const probe = this.#probe;
    probe?.abort.abort();
    await probe?.done;
  }

  #startProbing(): void {
    // What was under way when it was closed fails after it; a probe then would ask for ever, and the process stay.
    if (this.#closed || this.#probe !== null) return;
    const abort = new AbortController();
    const done = this.#probeUntilUp(abort.signal).finally(() => {
      this.#probe = null;
      // It was given up because the master answered, and the link went down again before it ended.
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
          this.#log.error('Probe of the master socket failed', { cause: causeText(error) });
        }
      }
      const rest = probeEveryMs - (performance.now() - began);
      await pause(Math.max(rest, 50), { signal });
    }
  }

  /** Through the worker, not only its master: a hung worker behind a lively master is down too. */
  async #probeOnce(signal: AbortSignal): Promise<Processes> {
    const conversation = await this.#socket.converse(performance.now() + probePatienceMs, { change: true });
    const onAbort = (): void => conversation.close();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await conversation.finish(['@1 show map']);
    } finally {
      signal.removeEventListener('abort', onAbort);
      conversation.close();
    }
    return await showProcesses(this.#socket, performance.now() + 1_000);
  }
}

/** Whether it says anything about the socket: not where nothing was sent, or hardly any time was left to answer in. */
function tells({ reason, command }: MasterSocketError, givenMs: number): boolean {
  return reason !== 'deadline' || (command !== '' && givenMs >= blamedFromMs);
}

/** The same for one worker of several, whose failure says nothing about the socket as a whole. */
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
    // On a busy machine the pause takes longer than it was to: a try without time would only hide what this one met.
    if (performance.now() >= deadline) return outcome;
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }
}
