// Above which figures a client is a candidate, and a rise an attack; an operator may change them.
import type { AuditedChange } from '../store/audit-rows.ts';
import type { InsightStore } from '../store/insight-store.ts';
import type { SeriesStore } from '../store/series-store.ts';
import type { CandidateLimits } from './loud-clients.ts';

export interface Limits extends CandidateLimits {
  /** Times the usual number of denied requests. */
  readonly attack_factor: number;
  /** Denied requests a minute, below which nothing is an attack. */
  readonly attack_minimum: number;
}

export const defaultLimits: Limits = {
  rate: 100,
  error_share: 0.5,
  error_requests: 500,
  attack_factor: 5,
  attack_minimum: 60,
};

export class InsightLimits {
  readonly #series: Pick<SeriesStore, 'state'>;
  readonly #records: Pick<InsightStore, 'putState'>;
  #value: Limits = defaultLimits;

  constructor(series: Pick<SeriesStore, 'state'>, records: Pick<InsightStore, 'putState'>) {
    this.#series = series;
    this.#records = records;
  }

  get value(): Limits {
    return this.#value;
  }

  /** @throws StoreError */
  async load(): Promise<void> {
    const stored = (await this.#series.state('limits')) as Partial<Limits> | undefined;
    this.#value = { ...defaultLimits, ...stored };
  }

  /** @throws StoreError */
  async put(limits: Limits, now: Date, audited: AuditedChange): Promise<void> {
    await this.#records.putState('limits', limits, now, audited);
    this.#value = limits;
  }
}
