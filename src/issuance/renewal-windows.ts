// Renewal windows of authorities (RFC 9773): one random moment of each is when the certificate is renewed.

import { AcmeRefusal, AcmeUnreachable } from '../acme/authority.ts';
import type { AcmeCertificatesStore } from '../store/acme-certificates-store.ts';
import type { WantedCertificate } from '../store/wanted-certificate.ts';
import { causeText, type Log } from '../telemetry/log.ts';
import type { Accounts } from './accounts.ts';
import { type AuthorityPauses, isLimit } from './authority-pauses.ts';
import { latestRenewal, momentIn, nextPollOf } from './schedule.ts';

interface WindowsDeps {
  readonly wanted: AcmeCertificatesStore;
  readonly accounts: Accounts;
  readonly pauses: AuthorityPauses;
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

  /** When the next is to be asked for; null: none. */
  async next(): Promise<Date | null> {
    return (await this.#next())?.at ?? null;
  }

  /** Asks for the next. Throws errors of the database. */
  async ask(): Promise<void> {
    const next = await this.#next();
    if (next === null) return;
    this.#lastAt = this.#deps.now().getTime();
    await this.#poll(next.certificate);
  }

  async #next() {
    const { wanted, pauses, now } = this.#deps;
    // The clock may have been set back.
    const apart = this.#lastAt > now().getTime() ? 0 : this.#lastAt + APART_MS;
    const polls = [];
    for (const { certificate, at } of await wanted.nextPolls(now())) {
      // One that is paused does not hold others up.
      const paused = await pauses.until(certificate.directory, false);
      polls.push({ certificate, at: new Date(Math.max(at.getTime(), apart, paused?.getTime() ?? 0)) });
    }
    return polls.toSorted((a, b) => a.at.getTime() - b.at.getTime())[0] ?? null;
  }

  async #poll(certificate: WantedCertificate): Promise<void> {
    const { wanted, accounts, pauses, log, now, random } = this.#deps;
    try {
      const { client } = await accounts.of(certificate.directory);
      if (!(await client.directory()).renewalInfo) {
        await wanted.withoutRenewalInfo(certificate);
        return;
      }
      const { start, end, explanationUrl, retryAfter } = await client.renewalInfo(certificate.ariId!);
      const known = certificate.window;
      const isSame = known !== null && Number(known.start) === Number(start) && Number(known.end) === Number(end);
      const window = { start, end, explanationUrl, chosen: isSame ? known.chosen : momentIn({ start, end }, random()) };
      // A failed order has its own time.
      const dueAt = certificate.failures > 0 ? null : atLatest(window.chosen, certificate);
      await wanted.polled(certificate, { pollAt: nextPollOf(retryAfter, now()), window, dueAt });
    } catch (error) {
      const { id, directory } = certificate;
      const cause = causeText(error);
      log.warn('Renewal window not known; the age of the certificate decides', { certificate: id, cause });
      const isAnswer = error instanceof AcmeRefusal || error instanceof AcmeUnreachable;
      const retryAfter = isAnswer ? error.retryAfter : null;
      await wanted.polled(certificate, { pollAt: nextPollOf(retryAfter, now()), window: null, dueAt: null });
      if (error instanceof AcmeRefusal && isLimit(error)) await pauses.limited(directory, 'requests', error);
    }
  }
}

function atLatest(chosen: Date, { life }: WantedCertificate): Date {
  if (life === null) return chosen;
  const latest = latestRenewal(life);
  return chosen > latest ? latest : chosen;
}
