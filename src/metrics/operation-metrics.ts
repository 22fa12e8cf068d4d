// What was asked of the service and what came of it: by operation and result, entries by what became of them, and
// entries that a worker was not seen to hold.
import { ServiceError } from '../errors/service-error.ts';
import type { Instruments } from './instruments.ts';
import { seriesTable } from './series-table.ts';

export const operations = [
  'block',
  'unblock',
  'batch',
  'replace',
  'expire',
  'sync',
  'trust',
  'distrust',
  'set_site',
  'remove_site',
  'reload',
  'restore',
  'create_key',
  'revoke_key',
] as const;
export type Operation = (typeof operations)[number];

/**
 * `done`: durable, and seen to be right in every live worker where that is a part of it. `incomplete`: durable, and not
 * seen in every worker. `refused`: the request's fault (4xx). `failed`: ours or the proxy's (5xx); not made.
 */
const results = ['done', 'incomplete', 'refused', 'failed'] as const;
type Result = (typeof results)[number];

/** `updated`: was there already, and a field of it changed. `unchanged`: is as it was. `rejected`: an entry of a list that is none, or is covered by trust. */
const changes = ['added', 'updated', 'removed', 'unchanged', 'rejected'] as const;
type Change = (typeof changes)[number];

/** Operations that change entries. */
const changing = ['block', 'unblock', 'batch', 'replace', 'expire', 'trust', 'distrust'] as const;
export type ChangingOperation = (typeof changing)[number];

/** What an operation that succeeded did. */
export interface Done {
  /** Absent: it has nothing to do with the running maps. */
  readonly seenEverywhere?: boolean;
  /** Entries, counted for each worker, that were not seen to be right. */
  readonly readBackFailures?: number;
  readonly counts?: Partial<Record<Change, number>>;
}

interface Incremented {
  inc(by: number): void;
}

export class OperationMetrics {
  readonly #results: Readonly<Record<Operation, Record<Result, Incremented>>>;
  readonly #changes: Readonly<Partial<Record<Operation, Record<Change, Incremented>>>>;
  readonly #readBackFailures: Readonly<Partial<Record<Operation, Incremented>>>;

  constructor(instruments: Instruments) {
    const total = instruments.counter('operations_total', 'Operations by what came of them.', ['operation', 'result']);
    const entries = instruments.counter('entry_changes_total', 'Entries by what became of them.', [
      'operation',
      'change',
    ]);
    const unseen = instruments.counter(
      'read_back_failures_total',
      'Entries, counted for each worker, that were not seen to be right after a change.',
      ['operation'],
    );
    // Every series is there from the start: what appears with its first increase has no increase to be alarmed by.
    this.#results = seriesTable(operations, (operation) =>
      seriesTable(results, (result) => zeroed(total, { operation, result })),
    );
    this.#changes = seriesTable(changing, (operation) =>
      seriesTable(changes, (change) => zeroed(entries, { operation, change })),
    );
    this.#readBackFailures = seriesTable([...changing, 'sync'] as const, (operation) => zeroed(unseen, { operation }));
  }

  /** Runs it and counts what came of it; what it throws is thrown. */
  async measured<T>(operation: Operation, work: Promise<T>, tell: (answer: T) => Done): Promise<T> {
    let answer: T;
    try {
      answer = await work;
    } catch (error) {
      const refused = error instanceof ServiceError && error.status < 500;
      this.#results[operation][refused ? 'refused' : 'failed'].inc(1);
      throw error;
    }
    this.done(operation, tell(answer));
    return answer;
  }

  /** A group of entries whose time was over. */
  expired(entries: number, readBackFailures: number): void {
    this.done('expire', { seenEverywhere: readBackFailures === 0, readBackFailures, counts: { removed: entries } });
  }

  done(operation: Operation, { seenEverywhere, readBackFailures = 0, counts }: Done): void {
    this.#results[operation][seenEverywhere === false ? 'incomplete' : 'done'].inc(1);
    if (readBackFailures > 0) this.#readBackFailures[operation]?.inc(readBackFailures);
    const entries = this.#changes[operation];
    if (counts === undefined || entries === undefined) return;
    for (const change of changes) {
      const by = counts[change];
      if (by !== undefined && by > 0) entries[change].inc(by);
    }
  }
}

function zeroed<T extends string>(
  counter: { labels(labels: Record<T, string>): Incremented },
  labels: Record<T, string>,
): Incremented {
  const series = counter.labels(labels);
  series.inc(0);
  return series;
}
