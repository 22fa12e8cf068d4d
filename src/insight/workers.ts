/** A worker of HAProxy; its pid alone may be used again. */
export interface WorkerId {
  readonly pid: number;
  readonly startedAt: Date;
}

export interface NumberedWorker extends WorkerId {
  /** Never used again. */
  readonly number: number;
}

/** As stored: the numbers stand in the counters of 100,000 addresses. */
export interface StoredWorkers {
  readonly next: number;
  readonly workers: readonly { readonly number: number; readonly pid: number; readonly started_ms: number }[];
}

/** A start that is computed from an uptime varies by its rounding. */
const sameStartMs = 5_000;

/** Short numbers of workers. */
export class Workers {
  #workers: readonly NumberedWorker[];
  #next: number;

  constructor(stored: StoredWorkers = { next: 1, workers: [] }) {
    this.#next = stored.next;
    this.#workers = stored.workers.map(({ number, pid, started_ms }) => ({
      number,
      pid,
      startedAt: new Date(started_ms),
    }));
  }

  get stored(): StoredWorkers {
    const workers = this.#workers.map(({ number, pid, startedAt }) => ({
      number,
      pid,
      started_ms: startedAt.getTime(),
    }));
    return { next: this.#next, workers };
  }

  numberOf(worker: WorkerId): number {
    const known = this.#workers.find((one) => same(one, worker));
    if (known !== undefined) return known.number;
    const number = this.#next++;
    this.#workers = [...this.#workers, { number, pid: worker.pid, startedAt: worker.startedAt }];
    return number;
  }

  knows(worker: WorkerId): boolean {
    return this.#workers.some((one) => same(one, worker));
  }

  /** Forgets all others: they have exited. Returns the numbers of the rest, or null if none was forgotten. */
  keep(living: readonly Pick<WorkerId, 'pid'>[]): ReadonlySet<number> | null {
    const kept = this.#workers.filter(({ pid }) => living.some((worker) => worker.pid === pid));
    if (kept.length === this.#workers.length) return null;
    this.#workers = kept;
    return new Set(kept.map(({ number }) => number));
  }
}

function same(a: WorkerId, b: WorkerId): boolean {
  return a.pid === b.pid && Math.abs(a.startedAt.getTime() - b.startedAt.getTime()) <= sameStartMs;
}
