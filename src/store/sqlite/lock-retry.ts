import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../store-error.ts';

const tryEveryMs = 10;
/** Longer than the timeout, since a caller on a busy machine is late. */
const forgottenAfterMs = 500;

/**
 * Waits for another process's lock asynchronously: SQLite's own busy timeout would block reads, health and HAProxy's
 * socket with it. The timeout counts from the first failure, not per caller, so that ten callers in a row do not wait
 * ten times as long.
 */
export class LockRetry {
  readonly #timeoutMs: number;
  #metAt: number | null = null;
  #lastMetAt = Number.NEGATIVE_INFINITY;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Retries `work` until it meets no lock; throws its other errors, and the lock once the timeout is over. */
  async try<T>(work: () => T): Promise<T> {
    for (let until: number | null = null; ; await sleep(tryEveryMs)) {
      try {
        const result = work();
        this.#metAt = null;
        return result;
      } catch (error) {
        if (!(error instanceof StoreError) || error.reason !== 'locked') throw error;
        until ??= this.#metNow() + this.#timeoutMs;
        this.#lastMetAt = performance.now();
        if (this.#lastMetAt >= until) throw error;
      }
    }
  }

  /** When the lock was first met; after a while without one, the next is a new lock. */
  #metNow(): number {
    const now = performance.now();
    if (this.#metAt === null || now - this.#lastMetAt > this.#timeoutMs + forgottenAfterMs) this.#metAt = now;
    return this.#metAt;
  }
}
