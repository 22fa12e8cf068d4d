import { type Instruments, OptionalGauge } from './instruments.ts';

/** At the moment of a scrape. */
export interface AcmeMetricFacts {
  readonly totals: {
    readonly total: number;
    readonly byClass: ReadonlyMap<string, number>;
    readonly waitingSince: Date | null;
  };
  /** Null: no pause is in force. */
  readonly pausedUntil: Date | null;
  /** Milliseconds that this machine is ahead of the authority; null: not known. */
  readonly clockOffsetMs: number | null;
}

const FAILING = ['will retry', 'needs attention', 'limited'] as const;

/** Orders from an authority. Names of certificates are no labels. */
export class AcmeMetrics {
  readonly #certificates;
  readonly #waitingSince;
  readonly #pausedUntil;
  readonly #clock;
  readonly #orders;
  readonly #requests;

  constructor(instruments: Instruments) {
    this.#certificates = instruments.gauge(
      'acme_certificates',
      'Certificates that the service orders and renews, by state; absent while HAProxy serves no TLS, or the database cannot be read.',
      ['state'],
    );
    this.#waitingSince = new OptionalGauge(
      instruments,
      'acme_waiting_since_timestamp_seconds',
      'Since when the certificate that waits longest is due and not issued; absent if none waits.',
    );
    this.#pausedUntil = new OptionalGauge(
      instruments,
      'acme_paused_until_timestamp_seconds',
      'Until when an authority is not asked, for new orders or at all; absent without a pause.',
    );
    this.#clock = new OptionalGauge(
      instruments,
      'acme_clock_offset_seconds',
      'How far the clock of this machine is ahead of the clock of the authority; absent before its first reply.',
    );
    this.#orders = instruments.counter('acme_orders_total', 'Orders that ended, by result.', ['result']);
    for (const result of ['issued', ...FAILING.map(stateOf)]) this.#orders.inc({ result }, 0);
    this.#requests = instruments.counter(
      'acme_requests_total',
      'Operations at an authority, by result; the repetitions of one are part of it.',
      ['operation', 'result'],
    );
  }

  requested(operation: string, result: string): void {
    this.#requests.inc({ operation, result });
  }

  /** @param failure null: a certificate was issued */
  ordered(failure: { readonly class: string } | null): void {
    this.#orders.inc({ result: failure === null ? 'issued' : stateOf(failure.class) });
  }

  /** @param facts null: HAProxy serves no TLS, or the database could not be read */
  refresh(facts: AcmeMetricFacts | null): void {
    this.#certificates.reset();
    this.#waitingSince.set(secondsOf(facts?.totals.waitingSince ?? null));
    this.#pausedUntil.set(secondsOf(facts?.pausedUntil ?? null));
    this.#clock.set(facts?.clockOffsetMs == null ? null : facts.clockOffsetMs / 1_000);
    if (facts === null) return;
    const { total, byClass } = facts.totals;
    const failing = FAILING.map((failure) => [failure, byClass.get(failure) ?? 0] as const);
    this.#certificates.set({ state: 'ok' }, total - failing.reduce((sum, [, count]) => sum + count, 0));
    for (const [failure, count] of failing) this.#certificates.set({ state: stateOf(failure) }, count);
  }
}

function stateOf(failure: string): string {
  return failure.replaceAll(' ', '_');
}

function secondsOf(date: Date | null): number | null {
  return date === null ? null : date.getTime() / 1_000;
}
