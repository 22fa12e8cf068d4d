// What `/health` says of certificates of an authority. Pure.
import type { AcmePause } from '../store/acme-accounts-store.ts';
import type { AcmeTotals, UnrenewedCertificate } from '../store/acme-facts-store.ts';
import { CLOCK_WRONG_MS } from './authority-clock.ts';

export interface FindingFacts {
  /** What expires first comes first. */
  readonly unrenewed: readonly UnrenewedCertificate[];
  readonly totals: AcmeTotals;
  readonly pauses: readonly AcmePause[];
  /** Why the service orders nothing; null: it does. */
  readonly obstacle: string | null;
  /** Milliseconds that this machine is ahead of the authority; null: not known. */
  readonly clockOffsetMs: number | null;
}

/** Each a sentence. */
export interface IssuanceFindings {
  /** A certificate will expire unless an operator acts. */
  readonly problems: readonly string[];
  readonly notices: readonly string[];
}

const NAMED = 5;
const SHOWN_NAMES = 3;
/** The rest of its lifetime in which a certificate should have been renewed long since. */
const AT_RISK = 1 / 6;
const MINUTE_MS = 60_000;

export function issuanceFindings(facts: FindingFacts, now: Date): IssuanceFindings {
  const { unrenewed, totals, pauses, obstacle, clockOffsetMs } = facts;
  if (totals.total === 0) return { problems: [], notices: [] };
  const atRisk = unrenewed.filter((one) => isAtRisk(one, now));
  const others = unrenewed.filter((one) => !atRisk.includes(one) && one.problem !== null);
  const why = (one: UnrenewedCertificate) => obstacle ?? reasonOf(one, now);
  return {
    problems: [
      ...named(atRisk, 'expire soon and are not renewed', (one) => {
        const end = one.life!.notAfter;
        return `${one.id} of ${namesText(one.names)} ${end > now ? 'expires' : 'expired'} at ${end.toISOString()} and is not renewed: ${why(one)}`;
      }),
      ...(obstacle !== null && totals.due > 0 ? [`due, and not ordered: ${totals.due}; ${obstacle}`] : []),
      ...clockProblem(clockOffsetMs, now),
    ],
    notices: [
      ...named(
        others,
        'certificates are not issued or renewed',
        (one) =>
          `certificate ${one.id} of ${namesText(one.names)} is not ${one.life === null ? 'issued' : 'renewed'}: ${why(one)}`,
      ),
      ...(obstacle !== null && totals.due === 0
        ? [`certificates that are not renewed: ${totals.total}; ${obstacle}`]
        : []),
      ...pauses
        .filter(({ until }) => until > now)
        .map(({ directory, scope, until, problem }) => {
          const what = scope === 'orders' ? 'no new orders' : 'no requests';
          return `the authority ${directory} gets ${what} before ${until.toISOString()}: ${problem.detail}`;
        }),
    ],
  };
}

/** An authority may want it renewed this late: only one that is due, or failed, is at risk. */
function isAtRisk({ life, problem, dueAt }: UnrenewedCertificate, now: Date): boolean {
  if (life === null) return false;
  const [begin, end] = [life.notBefore.getTime(), life.notAfter.getTime()];
  const isLate = end - now.getTime() < (end - begin) * AT_RISK;
  return isLate && (problem !== null || dueAt <= now);
}

function reasonOf({ problem, dueAt }: UnrenewedCertificate, now: Date): string {
  const next =
    dueAt > now
      ? `the next order is due at ${dueAt.toISOString()}`
      : `an order has been due since ${dueAt.toISOString()}`;
  if (problem === null) return next;
  const advice = problem.advice === null ? '' : ` ${problem.advice}`;
  return `${problem.class}: ${problem.detail}${/[.!?]$/.test(problem.detail) ? '' : '.'}${advice} (${next})`;
}

function named(
  all: readonly UnrenewedCertificate[],
  more: string,
  text: (one: UnrenewedCertificate) => string,
): string[] {
  const rest = all.length - NAMED;
  return [...all.slice(0, NAMED).map(text), ...(rest > 0 ? [`${rest} more ${more}`] : [])];
}

function namesText(names: readonly string[]): string {
  const more = names.length - SHOWN_NAMES;
  return `${names.slice(0, SHOWN_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function clockProblem(offsetMs: number | null, now: Date): string[] {
  if (offsetMs === null || Math.abs(offsetMs) <= CLOCK_WRONG_MS) return [];
  const minutes = Math.round(Math.abs(offsetMs) / MINUTE_MS);
  const direction = offsetMs > 0 ? 'ahead of' : 'behind';
  const theirs = new Date(now.getTime() - offsetMs);
  return [
    `the clock of this machine (${now.toISOString()}) is ${minutes} min ${direction} the clock of the authority (${theirs.toISOString()}): correct it`,
  ];
}
