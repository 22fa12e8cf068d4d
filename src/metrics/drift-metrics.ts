import type { ComparisonResult, DriftKind, DriftObserver } from '../blocking/compare/drift-observer.ts';
import { type MapName, mapNames } from '../blocking/mirrored-map.ts';
import type { Instruments } from './instruments.ts';

const kinds: readonly DriftKind[] = ['missing', 'unexpected', 'wrong_value', 'duplicate'];
const results: readonly ComparisonResult[] = ['whole', 'differs', 'unreadable'];

export class DriftMetrics implements DriftObserver {
  readonly #comparisons;
  readonly #seen;
  readonly #repaired;
  readonly #files;

  constructor(instruments: Instruments) {
    this.#comparisons = instruments.counter(
      'comparisons_total',
      'Comparisons of a worker with the database, by result after repairs.',
      ['map', 'result'],
    );
    this.#seen = instruments.counter('drift_seen_total', 'Entries of running maps that differed from the database.', [
      'map',
      'kind',
    ]);
    this.#repaired = instruments.counter('drift_repaired_total', 'Entries of running maps that were repaired.', [
      'map',
      'kind',
    ]);
    this.#files = instruments.counter(
      'map_file_drift_total',
      'Times that a map file had been changed by another program, and was rewritten.',
      ['map'],
    );
    for (const map of mapNames) {
      for (const result of results) this.#comparisons.inc({ map, result }, 0);
      for (const kind of kinds) {
        this.#seen.inc({ map, kind }, 0);
        this.#repaired.inc({ map, kind }, 0);
      }
      this.#files.inc({ map }, 0);
    }
  }

  compared(map: MapName, result: ComparisonResult): void {
    this.#comparisons.inc({ map, result });
  }

  seen(map: MapName, kind: DriftKind, entries: number): void {
    this.#seen.inc({ map, kind }, entries);
  }

  repaired(map: MapName, kind: DriftKind, entries: number): void {
    this.#repaired.inc({ map, kind }, entries);
  }

  fileRepaired(map: MapName): void {
    this.#files.inc({ map });
  }
}
