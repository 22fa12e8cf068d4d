import { type HealthVerdict, healthParts, healthStatuses } from '../health/health-verdict.ts';
import { type Instruments, OptionalGauge } from './instruments.ts';

export class HealthMetrics {
  readonly #status;
  readonly #parts;
  readonly #unknown;

  constructor(instruments: Instruments) {
    this.#status = instruments.gauge(
      'health_status',
      'The verdict of /health: 1 for the one that is, 0 for the others; absent while it cannot be had.',
      ['status'],
    );
    this.#parts = instruments.gauge(
      'health_part_ok',
      'Whether /health finds nothing wrong with a part; absent while it cannot be had.',
      ['part'],
    );
    this.#unknown = new OptionalGauge(
      instruments,
      'health_parts_unknown',
      'Parts that /health could not look at in time; absent while the verdict cannot be had.',
    );
  }

  refresh(verdict: HealthVerdict | null): void {
    this.#status.reset();
    this.#parts.reset();
    this.#unknown.set(null);
    if (verdict === null) return;
    for (const status of healthStatuses) this.#status.set({ status }, verdict.status === status ? 1 : 0);
    for (const part of healthParts) {
      const isWell = verdict.parts[part];
      if (isWell !== null) this.#parts.set({ part }, isWell ? 1 : 0);
    }
    this.#unknown.set(healthParts.filter((part) => verdict.parts[part] === null).length);
  }
}
