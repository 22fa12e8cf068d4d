import type { TimerOptions } from 'node:timers';
import { setImmediate, setTimeout } from 'node:timers/promises';

/** Resolves after `ms`, or at once when the signal aborts. */
export async function pause(ms: number, options: TimerOptions = {}): Promise<void> {
  try {
    await setTimeout(ms, undefined, options);
  } catch (error) {
    if (options.signal?.aborted !== true) throw error;
  }
}

/** A pause that `wake` ends early. Between two pauses `wake` has no effect. */
export class WakeablePause {
  #wake = new AbortController();

  wake(): void {
    this.#wake.abort();
  }

  async wait(ms: number, { signal, ...options }: TimerOptions & { readonly signal: AbortSignal }): Promise<void> {
    this.#wake = new AbortController();
    await pause(ms, { ...options, signal: AbortSignal.any([this.#wake.signal, signal]) });
  }
}

/** A pause between two runs that remembers: a `kick` during a run skips the next pause. */
export class KickablePause extends WakeablePause {
  #kicked = false;

  kick(): void {
    this.#kicked = true;
    this.wake();
  }

  /** The run begins, and covers all kicks so far. */
  begin(): void {
    this.#kicked = false;
  }

  /** Since the last `begin`. */
  get kicked(): boolean {
    return this.#kicked;
  }
}

/** The result of `work`, or null after `ms`. The work continues; its later failure is ignored. */
export async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T | null> {
  const done = new AbortController();
  try {
    return await Promise.race([work, pause(ms, { signal: done.signal }).then(() => null)]);
  } finally {
    done.abort();
  }
}

/** Lets the event loop process other events between two slices of bulk work. */
export function yieldToLoop(): Promise<void> {
  return setImmediate();
}
