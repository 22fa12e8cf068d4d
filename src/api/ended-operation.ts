/** `rejected`: list elements that are no entry or are covered by trust. */
export const entryChanges = ['added', 'updated', 'removed', 'unchanged', 'rejected'] as const;
export type EntryCounts = Readonly<Partial<Record<(typeof entryChanges)[number], number>>>;

/** Emitted once, when the response is sent. Audit and metrics subscribe to it. */
export interface EndedOperation {
  readonly note: {
    /** The audit's verb; `read` for a read operation that was rejected for lack of a scope. */
    readonly operation: string;
    readonly keyName: string;
    /** The peer's address, or `unix`. */
    readonly source: string;
    readonly requestId: string;
    /** Canonical text. */
    readonly ipAddress: string | null;
    readonly target: string | null;
  };
  readonly at: Date;
  /** Rows of the audit log that were written with its changes. */
  readonly rows: readonly number[];
  readonly status: number;
  readonly outcome: {
    /** Of the catalogue of errors; null: none. */
    readonly code: number | null;
    readonly runtimeMapUpdated: boolean | null;
    /** Counted for each worker. */
    readonly runtimeMapFailuresTotal: number | null;
    readonly reloadScheduled: boolean | null;
    /** Counts and flags of the response, and the reload's id; null: none. */
    readonly result: Readonly<Record<string, unknown>> | null;
  };
  /** False for an invalid request, a missing permission and a dry run. */
  readonly attempted: boolean;
  /** Null: does not apply. */
  readonly verifiedEverywhere: boolean | null;
  readonly counts: EntryCounts;
}
