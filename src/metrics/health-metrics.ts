// The verdict of `/health`, part by part, so that an alert can say which.
import type { Instruments } from './instruments.ts';

export const healthParts = [
  'database',
  'map_file',
  'master_socket',
  'workers',
  'runtime_map',
  'reload',
  'proxy',
  'version',
] as const;
export type HealthPart = (typeof healthParts)[number];

export const healthStatuses = ['ok', 'degraded', 'down'] as const;

export interface HealthVerdict {
  readonly status: (typeof healthStatuses)[number];
  readonly parts: Readonly<Record<HealthPart, boolean>>;
}

export class HealthMetrics {
  readonly #status;
  readonly #parts;

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
  }

  refresh(verdict: HealthVerdict | null): void {
    this.#status.reset();
    this.#parts.reset();
    if (verdict === null) return;
    for (const status of healthStatuses) this.#status.set({ status }, verdict.status === status ? 1 : 0);
    for (const part of healthParts) this.#parts.set({ part }, verdict.parts[part] ? 1 : 0);
  }
}
