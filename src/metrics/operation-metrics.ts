// Operations by result, changed entries by kind, and entries that could not be verified in a worker.
import { type EndedOperation, type EntryCounts, entryChanges } from '../api/ended-operation.ts';
import { operations as declared } from '../api/operations.ts';
import type { FactListener } from '../events/facts.ts';
import { type Instruments, seriesTable } from './instruments.ts';

/** The verbs of the audit log; `expire` is the service's own. */
const operations: readonly string[] = [
  ...declared.flatMap(({ audit, uncounted }) => (audit === null || uncounted === true ? [] : [audit])),
  'expire',
];

/**
 * `done`: durable, and verified in every live worker if that is part of it. `incomplete`: durable, but not verified in
 * every worker. `refused`: the request's fault (4xx). `failed`: ours or HAProxy's (5xx); not made.
 */
const results = ['done', 'incomplete', 'refused', 'failed'] as const;
type Result = (typeof results)[number];

/** Operations that change entries. */
const changing = [
  'block',
  'unblock',
  'batch',
  'replace',
  'unblock_selected',
  'undo',
  'expire',
  'trust',
  'distrust',
] as const;

interface Incremented {
  inc(by: number): void;
}

export class OperationMetrics {
  readonly #results: Readonly<Record<string, Record<Result, Incremented>>>;
  readonly #changes: Readonly<Partial<Record<string, Record<keyof EntryCounts, Incremented>>>>;
  readonly #readBackFailures: Readonly<Partial<Record<string, Incremented>>>;

  constructor(instruments: Instruments) {
    const total = instruments.counter('operations_total', 'Operations by result.', ['operation', 'result']);
    const entries = instruments.counter('entry_changes_total', 'Entries by kind of change.', ['operation', 'change']);
    const unseen = instruments.counter(
      'read_back_failures_total',
      'Entries that could not be verified after a change, counted for each worker.',
      ['operation'],
    );
    // Every series exists from the start: one that appears with its first increase shows no increase to alert on.
    this.#results = seriesTable(operations, (operation) =>
      seriesTable(results, (result) => zeroed(total, { operation, result })),
    );
    this.#changes = seriesTable(changing, (operation) =>
      seriesTable(entryChanges, (change) => zeroed(entries, { operation, change })),
    );
    this.#readBackFailures = seriesTable([...changing, 'sync'] as const, (operation) => zeroed(unseen, { operation }));
  }

  readonly listener: FactListener = ({ type, data }) => {
    if (type === 'operation.answered') this.ended(data);
    if (type !== 'operation.done' || data.operation !== 'expire') return;
    const failures = data.report.runtime_map_failures_total;
    this.#done('expire', failures === 0, failures, { removed: data.subject.count });
  };

  ended({ note, status, outcome, attempted, verifiedEverywhere, counts }: EndedOperation): void {
    const series = this.#results[note.operation];
    if (series === undefined || !attempted) return;
    if (status >= 400) series[status < 500 ? 'refused' : 'failed'].inc(1);
    else this.#done(note.operation, verifiedEverywhere, outcome.runtimeMapFailuresTotal ?? 0, counts);
  }

  #done(operation: string, verifiedEverywhere: boolean | null, readBackFailures: number, counts: EntryCounts): void {
    this.#results[operation]?.[verifiedEverywhere === false ? 'incomplete' : 'done'].inc(1);
    if (readBackFailures > 0) this.#readBackFailures[operation]?.inc(readBackFailures);
    const entries = this.#changes[operation];
    if (entries === undefined) return;
    for (const change of entryChanges) {
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
