// By when an answer has to be there, whatever it is about hangs.
import { withTimeout } from '../concurrency/pause.ts';

export class LookBound {
  readonly #passed = Promise.withResolvers<false>();
  readonly #timer: NodeJS.Timeout;

  /** `performance.now()` milliseconds. */
  readonly deadline: number;

  constructor(deadline: number) {
    this.deadline = deadline;
    // A process that had no time for timers had none for what has come meanwhile either: that is taken first.
    // Node cuts a fraction of a millisecond off, and may be one early: told before it, what is waited for is still wanted.
    this.#timer = setTimeout(() => setImmediate(() => this.#passed.resolve(false)), Math.ceil(this.restMs) + 1);
  }

  /** Milliseconds; 0 when it has passed. */
  get restMs(): number {
    return Math.max(0, this.deadline - performance.now());
  }

  /**
   * Whether `work` ends, well or not, before this has passed. It is not stopped otherwise; what it fails with afterwards
   * is nobody's any more.
   * @param patienceMs where it is waited for no longer than that
   */
  async outlasts(work: Promise<unknown>, patienceMs?: number): Promise<boolean> {
    const ended = work.then(
      () => true,
      () => true,
    );
    if (patienceMs === undefined) return await Promise.race([ended, this.#passed.promise]);
    return (await withTimeout(Promise.race([ended, this.#passed.promise]), patienceMs)) ?? false;
  }

  /** Everything is there: nothing is waited for any more. */
  end(): void {
    clearTimeout(this.#timer);
  }
}
