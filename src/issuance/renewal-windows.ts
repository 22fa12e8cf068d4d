// Renewal windows of authorities (RFC 9773): one random moment of each is when the certificate is renewed.

import { AcmeRefusal, AcmeUnreachable } from '../acme/authority.ts';
import type { AcmeCertificatesStore, WantedCertificate } from '../store/acme-certificates-store.ts';
import { causeText, type Log } from '../telemetry/log.ts';
import type { Accounts } from './accounts.ts';
import type { OrderDriver } from './order-driver.ts';
import { latestRenewal, momentIn, nextPollOf } from './schedule.ts';

interface WindowsDeps {
  readonly wanted: AcmeCertificatesStore;
  readonly accounts: Accounts;
  readonly driver: Pick<OrderDriver, 'pausedUntil'>;
  readonly log: Pick<Log, 'warn'>;
  readonly now: () => Date;
  readonly random: () => number;
}

/** Between two requests to any authority. */
const APART_MS = 1_000;

export class RenewalWindows {
  readonly #deps: WindowsDeps;
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(deps: WindowsDeps) {
    this.#deps = deps;
  }

  /** Asks for one that is due. Returns when to call again; null: none will be due. */
  async ask(): Promise<Date | null> {
    const { wanted, driver, now } = this.#deps;
    const next = await wanted.nextPoll();
    if (next === null) return null;
    const paused = await driver.pausedUntil(next.certificate.directory, false);
    const at = new Date(Math.max(next.at.getTime(), this.#lastAt + APART_MS, paused?.getTime() ?? 0));
    // The clock may have been set back.
    if (at > now() && this.#lastAt <= now().getTime()) return at;
    this.#lastAt = now().getTime();
    await this.#poll(next.certificate);
    return new Date(this.#lastAt + APART_MS);
  }

  async #poll(certificate: WantedCertificate): Promise<void> {
    const { wanted, accounts, log, now, random } = this.#deps;
    try {
      const { client } = await accounts.of(certificate.directory);
      const { start, end, explanationUrl, retryAfter } = await client.renewalInfo(certificate.ariId!);
      const known = certificate.window;
      const isSame = known !== null && Number(known.start) === Number(start) && Number(known.end) === Number(end);
      const window = { start, end, explanationUrl, chosen: isSame ? known.chosen : momentIn({ start, end }, random()) };
      // A failed order has its own time.
      const dueAt =
        certificate.failures > 0 || certificate.dueAt === null ? null : atLatest(window.chosen, certificate);
      await wanted.polled(certificate, { pollAt: nextPollOf(retryAfter, now()), window, dueAt });
    } catch (error) {
      if (!(error instanceof AcmeRefusal) && !(error instanceof AcmeUnreachable)) throw error;
      log.warn('Renewal window not known; the age of the certificate decides', {
        certificate: certificate.id,
        cause: causeText(error),
      });
      await wanted.polled(certificate, { pollAt: nextPollOf(error.retryAfter, now()), window: null, dueAt: null });
    }
  }
}

function atLatest(chosen: Date, { life }: WantedCertificate): Date {
  if (life === null) return chosen;
  const latest = latestRenewal(life);
  return chosen > latest ? latest : chosen;
}
