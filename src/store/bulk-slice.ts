// A slice of a bulk change, or a piece of one: what it is applied to, and what it did.

import type { ClaimFilter, NetChange } from './blocked-changes.ts';
import type { ClaimStep } from './claim-steps.ts';
import type { StagedMerge } from './staged-merge.ts';

export interface SliceOf {
  readonly bulk: number;
  /** Null: `manual`, and removals drop the claims of agents too. */
  readonly source: number | null;
  readonly merge: StagedMerge;
  readonly after: Buffer | null;
  /** Rows that it may change, and as many that it may read to compare them. */
  readonly changes: number;
  /** Rows that it may examine. */
  readonly reads: number;
  /** The `blocked_by` of new entries without one. */
  readonly requestedBy: string | null;
  /** Which claims its removals drop; null: all. */
  readonly filter: ClaimFilter | null;
  /** Whether its steps are wanted. */
  readonly records: boolean;
}

export interface SliceOutcome {
  readonly net: NetChange;
  /** How many claims beyond the first of each address there are more. */
  readonly further: number;
  /** Existing rows of which a field changed, and new claims to blocked addresses. */
  readonly updated: number;
  /** Expired rows that are blocked again: they count as added. */
  readonly renewed: number;
  /** Addresses that lost a claim and are still blocked by others. */
  readonly stayed: number;
  readonly unchanged: number;
  readonly read: number;
  /** How many cost more than a key comparison: changed, or looked up, whichever are more. */
  readonly worked: number;
  /** Everything up to here is done. */
  readonly position: Buffer | null;
  /** This part is complete. */
  readonly end: boolean;
  /** What it did to claims; empty unless they are recorded. */
  readonly steps: readonly ClaimStep[];
}

/** At the position where a slice begins. */
export function nothingDone(position: Buffer | null): SliceOutcome {
  const counts = { further: 0, updated: 0, renewed: 0, stayed: 0, unchanged: 0, read: 0, worked: 0 };
  return { net: { added: [], removed: [] }, ...counts, position, end: false, steps: [] };
}

/** Of two pieces, `b` after `a`. */
export function together(a: SliceOutcome, b: SliceOutcome): SliceOutcome {
  return {
    net: { added: a.net.added.concat(b.net.added), removed: a.net.removed.concat(b.net.removed) },
    further: a.further + b.further,
    updated: a.updated + b.updated,
    renewed: a.renewed + b.renewed,
    stayed: a.stayed + b.stayed,
    unchanged: a.unchanged + b.unchanged,
    read: a.read + b.read,
    worked: a.worked + b.worked,
    position: b.position,
    end: b.end,
    steps: a.steps.concat(b.steps),
  };
}
