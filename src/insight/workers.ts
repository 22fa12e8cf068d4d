/** A process of HAProxy; its pid alone may be used again. */
export interface ProcessId {
  readonly pid: number;
  readonly startedAt: Date;
}

export interface NumberedWorker extends ProcessId {
  /** Never used again. */
  readonly number: number;
}

/** As stored: the numbers stand in the counters of 100,000 addresses. */
export interface StoredWorkers {
  readonly next: number;
  readonly workers: readonly (StoredProcess & { readonly number: number })[];
  /** Of the workers since HAProxy was started; absent: stored by an earlier version, so all count. */
  readonly first?: number;
  /** Absent: not known. */
  readonly master?: StoredProcess;
}

interface StoredProcess {
  readonly pid: number;
  readonly started_ms: number;
}

/** A start that is computed from an uptime varies by its rounding. */
const sameStartMs = 5_000;

/** Short numbers of workers. */
export class Workers {
  #workers: readonly NumberedWorker[];
  #next: number;
  #first: number;
  #master: ProcessId | null;

  constructor(stored: StoredWorkers = { next: 1, workers: [], first: 1 }) {
    this.#next = stored.next;
    this.#first = stored.first ?? 0;
    this.#master = stored.master === undefined ? null : processOf(stored.master);
    this.#workers = stored.workers.map(({ number, ...one }) => ({ number, ...processOf(one) }));
  }

  get stored(): StoredWorkers {
    const workers = this.#workers.map(({ number, ...one }) => ({ number, ...storedProcess(one) }));
    const master = this.#master === null ? {} : { master: storedProcess(this.#master) };
    return { next: this.#next, workers, first: this.#first, ...master };
  }

  /** The number of the next new worker. */
  get next(): number {
    return this.#next;
  }

  /** Number of the first worker since HAProxy was started: those before it handed nothing over. */
  get first(): number {
    return this.#first;
  }

  /**
   * Call before the workers of a reading get numbers.
   * @param master of these workers; null: not known
   * @param missing did not answer
   * @returns whether HAProxy was started again. False if a worker is known: its counters go on
   */
  startedAgain(
    master: ProcessId | null,
    workers: readonly ProcessId[],
    missing: readonly Pick<ProcessId, 'pid'>[],
  ): boolean {
    if (master === null) return false;
    const before = this.#master;
    // A start that is computed from an uptime varies: the first one is kept.
    if (before !== null && same(before, master)) return false;
    this.#master = master;
    const maybeKnown = ({ pid }: Pick<ProcessId, 'pid'>) => this.#workers.some((one) => one.pid === pid);
    if (before === null || workers.some((one) => this.knows(one)) || missing.some(maybeKnown)) return false;
    this.#first = this.#next;
    return true;
  }

  numberOf(worker: ProcessId): number {
    const known = this.#workers.find((one) => same(one, worker));
    if (known !== undefined) return known.number;
    const number = this.#next++;
    this.#workers = [...this.#workers, { number, pid: worker.pid, startedAt: worker.startedAt }];
    return number;
  }

  knows(worker: ProcessId): boolean {
    return this.#workers.some((one) => same(one, worker));
  }

  /** Forgets all others: they have exited. Returns the numbers of the rest, or null if none was forgotten. */
  keep(living: readonly Pick<ProcessId, 'pid'>[]): ReadonlySet<number> | null {
    const kept = this.#workers.filter(({ pid }) => living.some((worker) => worker.pid === pid));
    if (kept.length === this.#workers.length) return null;
    this.#workers = kept;
    return new Set(kept.map(({ number }) => number));
  }
}

function processOf({ pid, started_ms }: StoredProcess): ProcessId {
  return { pid, startedAt: new Date(started_ms) };
}

function storedProcess({ pid, startedAt }: ProcessId): StoredProcess {
  return { pid, started_ms: startedAt.getTime() };
}

function same(a: ProcessId, b: ProcessId): boolean {
  return a.pid === b.pid && Math.abs(a.startedAt.getTime() - b.startedAt.getTime()) <= sameStartMs;
}
