// Reports the end of each order to log, metrics and events.
import type { Emit } from '../events/facts.ts';
import type { AcmeCertificatesStore } from '../store/acme-certificates-store.ts';
import type { IssuanceOrder } from '../store/acme-orders-store.ts';
import type { IssuanceProblem } from '../store/issuance-problem.ts';
import { causeText, type Log } from '../telemetry/log.ts';
import { LEAST_DAILY_MS } from './schedule.ts';

interface ReportsDeps {
  readonly wanted: Pick<AcmeCertificatesStore, 'get' | 'isReportDue' | 'failingReported'>;
  readonly observer: {
    /** Null: with a certificate. */
    ordered(failure: IssuanceProblem | null): void;
  };
  readonly emit: Emit;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly now: () => Date;
}

export class OrderReports {
  readonly #deps: ReportsDeps;

  constructor(deps: ReportsDeps) {
    this.#deps = deps;
  }

  /** @param failure null: it ended with a certificate. Never throws. */
  async ended(order: IssuanceOrder, failure: IssuanceProblem | null): Promise<void> {
    const { observer, log } = this.#deps;
    const fields = { certificate: order.certificate, names: order.names };
    if (failure === null) log.info('Certificate issued', fields);
    else log.warn('Order of a certificate failed', { ...fields, class: failure.class, cause: failure.detail });
    observer.ordered(failure);
    try {
      await this.#emitEnd(order, failure);
    } catch (error) {
      log.warn('Could not report the end of an order', { ...fields, cause: causeText(error) });
    }
  }

  async #emitEnd({ certificate: id, names, directory }: IssuanceOrder, failure: IssuanceProblem | null): Promise<void> {
    const { wanted, emit, now } = this.#deps;
    const certificate = await wanted.get(id);
    // It was removed meanwhile.
    if (certificate === null) return;
    const { life, failures, dueAt } = certificate;
    if (failure !== null) {
      // Some orders fail each hour, for as long as their cause lasts.
      if (!(await wanted.isReportDue(id, LEAST_DAILY_MS, now()))) return;
      const { type, detail } = failure;
      const due_at = dueAt.toISOString();
      emit('certificate.failing', { id, names, directory, class: failure.class, type, detail, failures, due_at });
      // Afterwards, so that a crash in between repeats the event instead of losing it.
      await wanted.failingReported(id, now());
    } else if (life !== null) {
      emit('certificate.issued', { id, names, directory, not_after: life.notAfter.toISOString() });
    }
  }
}
