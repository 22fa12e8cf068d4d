// The fact that a request to an operation was answered: emitted once, for the audit log and the metrics.

/** Entries, by what became of them. `rejected`: of a list, what is no entry or is covered by trust. */
export const entryChanges = ['added', 'updated', 'removed', 'unchanged', 'rejected'] as const;
export type EntryCounts = Readonly<Partial<Record<(typeof entryChanges)[number], number>>>;

export interface EndedOperation {
  readonly note: {
    /** As the audit calls it; of a look that was refused for want of a scope `read`. */
    readonly operation: string;
    readonly keyName: string;
    /** The peer's address, or `unix`. */
    readonly source: string;
    readonly requestId: string;
    /** Canonical text of the address or network that it is about. */
    readonly ipAddress: string | null;
    /** Another thing that it is about, by its name. */
    readonly target: string | null;
  };
  /** When the request came. */
  readonly at: Date;
  /** Rows of the audit that were written with its changes. */
  readonly rows: readonly number[];
  readonly status: number;
  readonly outcome: {
    /** Of the catalogue of errors; null: none. */
    readonly code: number | null;
    readonly runtimeMapUpdated: boolean | null;
    /** Entries, counted for each worker, that were not seen to be right. */
    readonly runtimeMapFailuresTotal: number | null;
    readonly reloadScheduled: boolean | null;
    /** Numbers and truths of the answer, and the reload's id; null: none. */
    readonly result: Readonly<Record<string, unknown>> | null;
  };
  /** A service was asked to do it: what the form of a request or its key refuses is no attempt, nor is a dry run. */
  readonly attempted: boolean;
  /** Seen in every live worker; null: that is no part of it. */
  readonly seenEverywhere: boolean | null;
  readonly counts: EntryCounts;
}
