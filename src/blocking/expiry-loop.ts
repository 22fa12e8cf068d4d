// Compares with the wall clock twice a second, so that a clock that jumps does no harm.

import { pause } from '../concurrency/pause.ts';
import { causeText, type Log } from '../telemetry/log.ts';

const checkEveryMs = 500;

interface ExpiryLoopDeps {
  /** Begins a log line: `Expired entries`. */
  readonly what: string;
  readonly log: Log;
  /** Resolves to whether more may be waiting. */
  readonly expireOnce: () => Promise<boolean>;
}

export class ExpiryLoop {
  readonly #deps: ExpiryLoopDeps;
  readonly #stop = new AbortController();
  #loop: Promise<void> | null = null;
  /** A repeated failure is logged once. */
  #lastFailure: string | null = null;

  constructor(deps: ExpiryLoopDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const mayBeMore = await this.#deps.expireOnce();
        this.#lastFailure = null;
        if (mayBeMore) continue;
      } catch (error) {
        const cause = causeText(error);
        if (cause !== this.#lastFailure) {
          this.#deps.log.error(`${this.#deps.what} could not be removed; retrying`, { cause });
        }
        this.#lastFailure = cause;
      }
      await pause(checkEveryMs, { signal });
    }
  }
}
