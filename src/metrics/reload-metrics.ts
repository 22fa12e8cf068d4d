import type { Facts, ReloadPurpose } from '../events/facts.ts';
import { type Instruments, OptionalGauge } from './instruments.ts';

const results: readonly Facts['reload.ended']['status'][] = ['completed', 'refused', 'failed'];
/** What the request itself asked for may be refused; nothing is wrong with HAProxy then. */
const rejectable: ReadonlySet<ReloadPurpose> = new Set(['site', 'upstream', 'restore']);
const purposes: readonly ReloadPurpose[] = ['requested', 'site', 'upstream', 'restore', 'scheduled'];
/** Seconds; one with its rollback may take two minutes. */
const DURATIONS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** Read at every scrape. */
export interface ReloadSource {
  readonly scheduled: { readonly attempts: number } | null;
}

export class ReloadMetrics {
  readonly #total;
  readonly #durations;
  readonly #successful;
  readonly #endedAt;
  readonly #pending;
  readonly #attempts;

  constructor(instruments: Instruments) {
    this.#total = instruments.counter('reloads_total', 'Safe reloads by result and reason.', ['result', 'reason']);
    this.#durations = instruments.histogram(
      'reload_duration_seconds',
      'Time of a safe reload from its lock to its proof, including a rollback.',
      DURATIONS,
      ['result'],
    );
    for (const result of results) {
      for (const reason of purposes) this.#total.inc({ result, reason }, 0);
      this.#durations.zero({ result });
    }
    this.#successful = new OptionalGauge(
      instruments,
      'last_reload_successful',
      'Whether the last reload completed; a refused site or backup does not count. Absent before the first one.',
    );
    this.#endedAt = instruments.gauge(
      'last_reload_timestamp_seconds',
      'When the last reload with this result ended; absent before the first one.',
      ['result'],
    );
    this.#pending = instruments.gauge(
      'reload_pending',
      'Whether a reload that is needed to enforce a change is scheduled.',
    );
    this.#attempts = instruments.gauge('reload_pending_attempts', 'Attempts of the scheduled reload.');
  }

  ended({ status, purpose, milliseconds }: Facts['reload.ended']): void {
    this.#total.inc({ result: status, reason: purpose });
    this.#durations.observe({ result: status }, milliseconds / 1_000);
    // A refused site or backup has no effect, and its sender got the error.
    const isRejectedRequest = status === 'refused' && rejectable.has(purpose);
    if (!isRejectedRequest) this.#successful.set(status === 'completed' ? 1 : 0);
    this.#endedAt.set({ result: status }, Date.now() / 1_000);
  }

  refresh({ scheduled }: ReloadSource): void {
    this.#pending.set(scheduled === null ? 0 : 1);
    this.#attempts.set(scheduled?.attempts ?? 0);
  }
}
