// The one writer's groups: how many changes were made together, and how long that took.
import type { Instruments } from './instruments.ts';

/** A group ends at 1,000. */
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_000];
/** Seconds; 1.4 of them are what the running maps are waited for. */
const DURATIONS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 2.5, 5];

export class GroupMetrics {
  readonly #sizes;
  readonly #durations;

  constructor(instruments: Instruments) {
    this.#sizes = instruments.histogram('group_changes', 'Changes that were made in one group.', SIZES);
    this.#durations = instruments.histogram(
      'group_duration_seconds',
      'Time that a group had the turn: database, map file and every worker, read back.',
      DURATIONS,
    );
  }

  ended(changes: number, milliseconds: number): void {
    this.#sizes.observe(changes);
    this.#durations.observe(milliseconds / 1_000);
  }
}
