// A gauge without labels whose value may not be known: absent then, and never a 0 that was not seen.
import type { Gauge } from '@prometheus-io/client';
import type { Instruments } from './instruments.ts';

export class OptionalGauge {
  readonly #gauge: Gauge;

  constructor(instruments: Instruments, name: string, help: string) {
    this.#gauge = instruments.gauge(name, help);
    this.set(null);
  }

  set(value: number | null): void {
    if (value === null) this.#gauge.remove();
    else this.#gauge.set(value);
  }
}
