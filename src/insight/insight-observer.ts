/** What one reading found, for counters. */
export interface ReadingFigures {
  /** Hits by the kind of the source whose claim the entry carries. */
  readonly byKind: ReadonlyMap<string, number>;
  /** Estimated denied requests by site. */
  readonly sites: ReadonlyMap<string, number>;
  readonly notAttributed: number;
  readonly milliseconds: number;
}

export interface InsightObserver {
  read(figures: ReadingFigures): void;
}

/** What is so now. */
export interface InsightState {
  /** Null: HAProxy does not count them. */
  readonly knocking: number | null;
  /** Null: as `knocking`. */
  readonly candidates: number | null;
  readonly attack: boolean;
  /** In seconds since 1970; null: nothing was read yet in this run. */
  readonly lastReadAt: number | null;
  /** Null: not known. */
  readonly neverMatched: { readonly days: number; readonly count: number } | null;
  /** From 0 to 1, by table. */
  readonly used: ReadonlyMap<string, number>;
}
