// A target (`@1`, `@!4711`; null: the master) that left commands unanswered. An abandoned command keeps its slot in the
// master while its worker does not answer; the master notices the closed connection only then (2.6.12, 3.0.11). So the
// slots stay in use until the target answers a probe, or the master closes the probe (it re-executed, or is gone).
//
// The master drops the commands behind the unanswered one, so at most that one still takes effect (measured on both). A
// line takes effect as a whole: its connection stays open until its last reply. Until then nothing is sent to that
// target: each command would use up another slot, and a late removal of the line could undo a change verified before it.
import { createConnection, type Socket } from 'node:net';
import type { Slot } from './slot-pool.ts';
import type { UnfinishedLine } from './unfinished-line.ts';

/**
 * A line whose connection ended early (the master re-executed) ends at most some milliseconds after its worker's first
 * answer to another connection (12 of 12 tries); the rest is margin, as nothing proves its end.
 */
const LOST_LINE_ENDS_MS = 500;
/** While the master re-executes, its socket refuses connections, which says nothing about the worker. */
const PROBE_AGAIN_MS = 200;

interface UnansweredDeps {
  readonly path: string;
  readonly target: string | null;
  /** Called once. */
  readonly onSettled: () => void;
}

export class Unanswered {
  /** Resolves when nothing of this target is unanswered. */
  readonly end: Promise<void>;
  readonly #deps: UnansweredDeps;
  readonly #resolve: () => void;
  readonly #lines = new Set<UnfinishedLine>();
  #held: Slot[] = [];
  #probe: Socket | null = null;
  #lostLine = false;
  /** Until a lost line has ended, or its worker is probed again. */
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(deps: UnansweredDeps) {
    this.#deps = deps;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.end = promise;
    this.#resolve = resolve;
  }

  /** @param slot released when everything is settled */
  add(slot: Slot, line: UnfinishedLine | null): void {
    this.#held.push(slot);
    if (line === null) {
      this.#startProbe();
      return;
    }
    this.#lines.add(line);
    void line.end.then((isComplete) => this.#lineEnded(line, isComplete));
  }

  /**
   * The holder of the connections does not listen any more, so they use no slot of its successor. A worker continues
   * under the successor, and with it the lines it was handed.
   */
  masterReplaced(): void {
    this.#releaseSlots();
    this.#dropProbe();
    if (this.#lines.size === 0 && !this.#lostLine) this.#settleIfDone();
    else if (this.#lines.size === 0) this.#startProbe();
    else for (const line of this.#lines) line.close();
  }

  /** Ends without having been answered. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#dropProbe();
    for (const line of this.#lines) line.close();
    this.#lines.clear();
    this.#settle();
  }

  #lineEnded(line: UnfinishedLine, isComplete: boolean): void {
    if (this.#closed) return;
    this.#lines.delete(line);
    if (isComplete) {
      this.#settleIfDone();
      return;
    }
    this.#lostLine = true;
    this.#startProbe();
  }

  /** One harmless command, which waits for its reply without a deadline. */
  #startProbe(): void {
    if (this.#probe !== null || this.#timer !== undefined) return;
    const { path, target } = this.#deps;
    const socket = createConnection({ path });
    this.#probe = socket;
    socket.unref();
    const answered = (): void => {
      if (this.#probe !== socket) return;
      this.#dropProbe();
      if (this.#lostLine) this.#timer = setTimeout(() => this.#lineEndsNow(), LOST_LINE_ENDS_MS);
      else this.#settleIfDone();
    };
    // Refused, reset, closed: the holder of the slots is gone.
    const gone = (): void => {
      if (this.#probe !== socket) return;
      this.#dropProbe();
      this.#releaseSlots();
      if (this.#lostLine) this.#timer = setTimeout(() => this.#probeAgain(), PROBE_AGAIN_MS).unref();
      else this.#settleIfDone();
    };
    socket.on('data', answered);
    socket.on('error', gone);
    socket.on('close', gone);
    // `show map` without a name lists the maps: 0.2 ms at any size, in every version.
    socket.write(target === null ? 'show proc\n' : `${target} show map\n`);
  }

  #probeAgain(): void {
    this.#timer = undefined;
    this.#startProbe();
  }

  #lineEndsNow(): void {
    this.#timer = undefined;
    this.#lostLine = false;
    this.#settleIfDone();
  }

  #dropProbe(): void {
    const probe = this.#probe;
    this.#probe = null;
    probe?.destroy();
  }

  #settleIfDone(): void {
    if (this.#probe === null && this.#timer === undefined && this.#lines.size === 0) this.#settle();
  }

  #releaseSlots(): void {
    for (const slot of this.#held) slot.release();
    this.#held = [];
  }

  #settle(): void {
    this.#deps.onSettled();
    this.#releaseSlots();
    this.#resolve();
  }
}
