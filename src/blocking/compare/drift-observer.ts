// Who counts what was found to differ from the database, and what was put right.
import type { MapName } from '../mirrored-map.ts';

export type DriftKind = 'missing' | 'unexpected' | 'wrong_value' | 'duplicate';

/** `differs`: it still did when the repairs were given up. `unreadable`: the worker could not be asked. */
export type ComparisonResult = 'whole' | 'differs' | 'unreadable';

export interface DriftObserver {
  /** A worker's map was compared, and repaired where that was needed. */
  compared(map: MapName, result: ComparisonResult): void;
  /** Entries of a running map. */
  seen(map: MapName, kind: DriftKind, entries: number): void;
  repaired(map: MapName, kind: DriftKind, entries: number): void;
  /** A map file was not what had been written, and is now. */
  fileRepaired(map: MapName): void;
}

/** For whoever wants to hear nothing. */
export const unobservedDrift: DriftObserver = {
  compared: () => undefined,
  seen: () => undefined,
  repaired: () => undefined,
  fileRepaired: () => undefined,
};
