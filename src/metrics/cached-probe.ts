// The result of a slow probe, for callers with a deadline: one probe runs at a time, and none while the last result is
// fresh. At its deadline a caller gets the previous result.
import { withTimeout } from '../concurrency/pause.ts';

/** Milliseconds. */
export interface ProbeTimes {
  /** How long a result is reused without another probe. */
  readonly fresh: number;
  /** When a result is no longer returned. */
  readonly stale: number;
  /** After a slow probe results stay fresh longer: probes take at most this share of the time. */
  readonly share?: number;
}

interface CachedProbeDeps<T> {
  readonly ask: () => Promise<T>;
  readonly times: ProbeTimes;
  readonly onFailure: (error: unknown) => void;
}

export class CachedProbe<T> {
  readonly #deps: CachedProbeDeps<T>;
  #asking: Promise<void> | null = null;
  #last: { readonly value: T; readonly at: number; readonly tookMs: number } | null = null;

  constructor(deps: CachedProbeDeps<T>) {
    this.#deps = deps;
  }

  /** Null: unknown, or the last probe failed. Never throws. */
  async read(timeoutMs: number): Promise<T | null> {
    const { fresh, stale, share } = this.#deps.times;
    const rest = share === undefined ? 0 : (this.#last?.tookMs ?? 0) / share;
    const known = this.#notOlderThan(Math.max(fresh, rest));
    if (known !== null) return known.value;
    this.#asking ??= this.#learn().finally(() => {
      this.#asking = null;
    });
    await withTimeout(this.#asking, timeoutMs);
    return this.#notOlderThan(stale)?.value ?? null;
  }

  #notOlderThan(ms: number): { readonly value: T } | null {
    return this.#last !== null && performance.now() - this.#last.at < ms ? this.#last : null;
  }

  async #learn(): Promise<void> {
    const began = performance.now();
    try {
      const value = await this.#deps.ask();
      const at = performance.now();
      this.#last = { value, at, tookMs: at - began };
    } catch (error) {
      // The previous result may no longer be true.
      this.#last = null;
      this.#deps.onFailure(error);
    }
  }
}
