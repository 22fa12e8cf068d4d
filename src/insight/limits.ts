// Above which figures a client is a candidate, and a rise an attack; an operator may change them.
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
  readonly #series: Pick<SeriesStore, 'state' | 'write'>;
  #value: Limits = defaultLimits;

  constructor(series: Pick<SeriesStore, 'state' | 'write'>) {
    this.#series = series;
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
  async put(limits: Limits): Promise<Limits> {
    await this.#series.write({ points: [], states: { limits } });
    this.#value = limits;
    return limits;
  }
}
