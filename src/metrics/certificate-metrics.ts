import { type Instruments, OptionalGauge } from './instruments.ts';

/** At the moment of a scrape. */
export interface CertificateFacts {
  readonly active: number;
  readonly expired: number;
  /** Of the active ones: in 14 days, or with a sixth of its lifetime left if that is later. */
  readonly expiring: number;
  /** When the first expires, or expired: ISO 8601; null: there is none. */
  readonly soonest: string | null;
  readonly workersBehind: number;
}

/** Seconds. The commands take 4 ms; the file's disk syncs and a TLS connection more; four seconds are the deadline. */
const installBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export class CertificateMetrics {
  readonly #certificates;
  readonly #expiring;
  readonly #soonest;
  readonly #behind;
  readonly #installs;
  readonly #repairs;

  constructor(instruments: Instruments) {
    this.#certificates = instruments.gauge(
      'certificates',
      'Certificates by state; absent while HAProxy serves no TLS, or the database cannot be read.',
      ['state'],
    );
    this.#expiring = new OptionalGauge(
      instruments,
      'certificates_expiring',
      'Active certificates that expire within 14 days, or of whose lifetime a sixth is left if that is later.',
    );
    this.#soonest = new OptionalGauge(
      instruments,
      'certificate_soonest_end_timestamp_seconds',
      'When the first certificate expires, or expired; absent if there is none.',
    );
    this.#behind = new OptionalGauge(
      instruments,
      'tls_workers_behind',
      'Current workers that lack a certificate; absent while HAProxy serves no TLS, or the database cannot be read.',
    );
    this.#installs = instruments.histogram(
      'tls_install_seconds',
      'Time to install an uploaded certificate in its file and every worker, with read-back.',
      installBuckets,
    );
    this.#repairs = instruments.counter(
      'tls_repairs_total',
      'Certificates that a worker lacked, or held in another version, and got again.',
    );
  }

  installed(milliseconds: number): void {
    this.#installs.observe(milliseconds / 1_000);
  }

  repaired(): void {
    this.#repairs.inc();
  }

  /** @param facts null: HAProxy serves no TLS, or the database could not be read */
  refresh(facts: CertificateFacts | null): void {
    this.#certificates.reset();
    this.#soonest.set(facts?.soonest == null ? null : Date.parse(facts.soonest) / 1_000);
    this.#expiring.set(facts?.expiring ?? null);
    this.#behind.set(facts?.workersBehind ?? null);
    if (facts === null) return;
    this.#certificates.set({ state: 'active' }, facts.active);
    this.#certificates.set({ state: 'expired' }, facts.expired);
  }
}
