import { type HealthVerdict, healthParts, healthStatuses } from '../health/health-verdict.ts';
import { type Instruments, OptionalGauge } from './instruments.ts';

export class HealthMetrics {
  readonly #status;
  readonly #parts;
  readonly #unknown;

  constructor(instruments: Instruments) {
    this.#status = instruments.gauge(
      'health_status',
      'The status of /health: 1 for the current one, 0 for the others; absent while it is unknown.',
      ['status'],
    );
    this.#parts = instruments.gauge(
      'health_part_ok',
      'Whether /health reports a part as ok; absent while it is unknown.',
      ['part'],
    );
    this.#unknown = new OptionalGauge(
      instruments,
      'health_parts_unknown',
      'Parts that /health could not check in time; absent while the status is unknown.',
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
