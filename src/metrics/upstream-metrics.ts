import type { UnnamedByUpstream } from '../upstreams/unnamed-requests.ts';
import type { Instruments } from './instruments.ts';

export class UpstreamMetrics {
  readonly #unnamed;

  constructor(instruments: Instruments) {
    this.#unnamed = instruments.counter(
      'upstream_unnamed_requests_total',
      'Requests in which an upstream named no client, so that they were not checked; absent for an upstream without them, and while unknown. Counted by the current worker; a new worker starts at 0.',
      ['upstream'],
    );
  }

  /** @param counts null: unknown */
  refresh(counts: UnnamedByUpstream | null): void {
    this.#unnamed.reset();
    for (const [upstream, { requests }] of counts ?? []) this.#unnamed.inc({ upstream }, requests);
  }
}
