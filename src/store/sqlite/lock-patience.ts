import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../store-error.ts';

const tryEveryMs = 10;
/** Beyond its patience: on a busy machine a caller is late. */
const forgottenAfterMs = 500;

/**
 * Waits for another process's lock without standing still: SQLite's own busy timeout would stop everything else that
 * this process does, reads, health and the proxy's socket with it. The patience counts from when the lock was first met
 * and not for each who meets it, so that ten who wait one behind the other do not wait ten times as long.
 */
export class LockPatience {
  readonly #patienceMs: number;
  #metAt: number | null = null;
  #lastMetAt = Number.NEGATIVE_INFINITY;

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  /** Tries `work` until it meets no lock; what it throws beside that, and the lock when patience ends, is thrown. */
  async try<T>(work: () => T): Promise<T> {
    for (let until: number | null = null; ; await sleep(tryEveryMs)) {
      try {
        const result = work();
        this.#metAt = null;
        return result;
      } catch (error) {
        if (!(error instanceof StoreError) || error.reason !== 'locked') throw error;
        until ??= this.#metNow() + this.#patienceMs;
        this.#lastMetAt = performance.now();
        if (this.#lastMetAt >= until) throw error;
      }
    }
  }

  /** When the lock was first met; one that was not met for a while is another lock. */
  #metNow(): number {
    const now = performance.now();
    if (this.#metAt === null || now - this.#lastMetAt > this.#patienceMs + forgottenAfterMs) this.#metAt = now;
    return this.#metAt;
  }
}
