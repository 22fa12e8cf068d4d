// Probes the parts in parallel until a common deadline. A part that did not answer by then is reported as not checked,
// with its previous result.
import { withTimeout, yieldToLoop } from '../concurrency/pause.ts';

export type ProbeResult<T> = { readonly checked: true; readonly value: T } | NotChecked;

export interface NotChecked {
  readonly checked: false;
  /** To follow the name of the part. */
  readonly why: string;
  /** A part with a problem keeps it until it is checked again. */
  readonly wasWrong: boolean;
}

/** Older results are not reported. */
const previousResultMs = 60_000;

export class Deadline {
  readonly #passed = Promise.withResolvers<false>();
  readonly #timer: NodeJS.Timeout;

  /** In ms of `performance.now()`. */
  readonly at: number;

  constructor(at: number) {
    this.at = at;
    // setImmediate: answers that arrived while the process was busy count. Node's timers may fire 1 ms early.
    this.#timer = setTimeout(() => setImmediate(() => this.#passed.resolve(false)), Math.ceil(this.restMs) + 1);
  }

  /** Milliseconds; 0 when it has passed. */
  get restMs(): number {
    return Math.max(0, this.at - performance.now());
  }

  /**
   * Whether `work` ends in time, with or without an error. Otherwise it continues, and its later failure is ignored.
   * @param timeoutMs a shorter limit
   */
  async allows(work: Promise<unknown>, timeoutMs?: number): Promise<boolean> {
    const ended = work.then(
      () => true,
      () => true,
    );
    const inTime = Promise.race([ended, this.#passed.promise]);
    return timeoutMs === undefined ? await inTime : ((await withTimeout(inTime, timeoutMs)) ?? false);
  }

  /** Releases the timer once all answers are in. */
  end(): void {
    clearTimeout(this.#timer);
  }
}

/** `isWanted`: false once every caller has passed its deadline. */
type Check<T> = (isWanted: () => boolean) => Promise<T>;

interface Queued<T> {
  readonly result: Promise<T>;
  wantedUntil: number;
}

export class TimedProbe<T> {
  readonly #problemIn: (value: T) => string | null | undefined;
  #running: Promise<unknown> | null = null;
  /** By kind: the check that follows the running one. */
  readonly #next = new Map<string, Queued<T>>();
  #last: { readonly problem: string | null; readonly at: number } | null = null;

  /** `problemIn`: the problem of a value; null: none; undefined: cannot be decided. */
  constructor(problemIn: (value: T) => string | null | undefined) {
    this.#problemIn = problemIn;
  }

  /**
   * Runs a check and waits for it until the deadline. One check at a time: callers that arrive during one, which may
   * hang, share the next, so that no result is older than the request.
   * @param options `kind`: only callers of the same kind share; `timeoutMs`: a shorter limit
   * @throws what `check` throws in time
   */
  async run(
    deadline: Deadline,
    check: Check<T>,
    { kind = '', timeoutMs }: { readonly kind?: string; readonly timeoutMs?: number } = {},
  ): Promise<ProbeResult<T>> {
    if (deadline.restMs === 0) return this.skipped();
    const began = performance.now();
    const queued = this.#queued(kind, check);
    queued.wantedUntil = Math.max(queued.wantedUntil, deadline.at);
    if (await deadline.allows(queued.result, timeoutMs)) return { checked: true, value: await queued.result };
    return this.#notChecked(`timed out after ${seconds(performance.now() - began)} s`);
  }

  /** The deadline has passed, or a check that it depends on gave no result. */
  skipped(): NotChecked {
    return this.#notChecked('no time left');
  }

  #queued(kind: string, check: Check<T>): Queued<T> {
    const known = this.#next.get(kind);
    if (known !== undefined) return known;
    const queued: Queued<T> = { result: this.#afterRunning(kind, check, () => queued.wantedUntil), wantedUntil: 0 };
    this.#next.set(kind, queued);
    return queued;
  }

  async #afterRunning(kind: string, check: Check<T>, wantedUntil: () => number): Promise<T> {
    // Callers of the same moment share one check.
    await yieldToLoop();
    while (this.#running !== null) await this.#running;
    this.#next.delete(kind);
    const ended = Promise.withResolvers<void>();
    this.#running = ended.promise;
    try {
      const value = await check(() => performance.now() < wantedUntil());
      const problem = this.#problemIn(value);
      if (problem !== undefined) this.#last = { problem, at: performance.now() };
      return value;
    } finally {
      this.#running = null;
      ended.resolve();
    }
  }

  #notChecked(cause: string): NotChecked {
    const agoMs = this.#last === null ? Number.POSITIVE_INFINITY : performance.now() - this.#last.at;
    if (this.#last === null || agoMs > previousResultMs) {
      return { checked: false, why: `not checked (${cause})`, wasWrong: false };
    }
    const { problem } = this.#last;
    const before = problem === null ? `ok ${seconds(agoMs)} s ago` : `${seconds(agoMs)} s ago: ${problem}`;
    return { checked: false, why: `not checked (${cause}; ${before})`, wasWrong: problem !== null };
  }
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
