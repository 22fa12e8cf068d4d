// When a certificate is renewed, and when a failed order is repeated. Pure; `random` is from 0 up to 1.

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const SHORT_LIVED_MS = 10 * DAY_MS;
const RENEWAL_SPREAD = 0.02;
/** The share of a lifetime that is left at the latest renewal, for failures. */
export const LEAST_LEFT = 0.1;
const BACKOFF_MINUTES = [10, 30, 60, 120, 240, 480, 960, 1440] as const;
const BACKOFF_SPREAD = 0.2;
/** Less than between two orders that are repeated each day, whatever the spread. */
export const LEAST_DAILY_MS = 19 * 60 * MINUTE_MS;
const LEAST_CAP_MS = 20 * MINUTE_MS;
const UNREACHABLE_MINUTES = [1, 2, 4, 8, 16, 30] as const;
const POLL_MS = { least: 3_600_000, most: DAY_MS } as const;

/**
 * How far ahead the time of each kind may be. One that is further was stored while the clock was ahead, and is over: nothing
 * would be renewed until then. Also the longest Retry-After that is respected.
 */
export const FURTHEST_MS = {
  pause: 7 * DAY_MS,
  // The longest wait of a failed order, and its spread.
  retry: 29 * 60 * MINUTE_MS,
  limit: 7 * DAY_MS,
  poll: DAY_MS,
  wait: DAY_MS,
} as const;

interface Life {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/**
 * At two thirds of the lifetime, at half if that is at most 10 days, ± 2 % of it. By a clock that is ahead this may be past
 * at once: never before a third of what is left.
 */
export function renewalByAge({ notBefore, notAfter }: Life, now: Date, random: number): Date {
  const lifetime = notAfter.getTime() - notBefore.getTime();
  const share = lifetime <= SHORT_LIVED_MS ? 1 / 2 : 2 / 3;
  const byAge = notBefore.getTime() + lifetime * (share + RENEWAL_SPREAD * spread(random));
  const left = notAfter.getTime() - now.getTime();
  return new Date(Math.max(byAge, now.getTime() + left / 3));
}

/** A moment of the authority's window (RFC 9773, 4.2). */
export function momentIn({ start, end }: { readonly start: Date; readonly end: Date }, random: number): Date {
  return new Date(start.getTime() + (end.getTime() - start.getTime()) * random);
}

/** The latest renewal, whatever the authority says: a tenth of the lifetime is left for failures. */
export function latestRenewal({ notBefore, notAfter }: Life): Date {
  return new Date(notAfter.getTime() - (notAfter.getTime() - notBefore.getTime()) * LEAST_LEFT);
}

/** When the window is asked for again, from 1 h to 24 h (RFC 9773, 4.3.2). @param retryAfter null: the authority did not say */
export function nextPollOf(retryAfter: Date | null, now: Date): Date {
  const wait = (retryAfter?.getTime() ?? 0) - now.getTime();
  return new Date(now.getTime() + Math.min(Math.max(wait, POLL_MS.least), POLL_MS.most));
}

/**
 * After `failures` failed orders in succession, at least 1: 10 min to 24 h, ± 20 %, and at most a quarter of what is left of
 * the certificate's life, or 20 min. @param notAfter null: there is no certificate
 */
export function retryAt(failures: number, notAfter: Date | null, now: Date, random: number): Date {
  const minutes = BACKOFF_MINUTES[Math.min(failures, BACKOFF_MINUTES.length) - 1]!;
  const wait = minutes * MINUTE_MS * (1 + BACKOFF_SPREAD * spread(random));
  const left = notAfter === null ? Number.POSITIVE_INFINITY : notAfter.getTime() - now.getTime();
  // Of an expired one nothing is left, and haste does not help any more.
  const most = left <= 0 ? wait : Math.max(left / 4, LEAST_CAP_MS);
  return new Date(now.getTime() + Math.min(wait, most));
}

/** After an authority could not be reached `failures` times in succession, at least 1: 1 to 30 min. */
export function reachableAt(failures: number, now: Date): Date {
  const minutes = UNREACHABLE_MINUTES[Math.min(failures, UNREACHABLE_MINUTES.length) - 1]!;
  return new Date(now.getTime() + minutes * MINUTE_MS);
}

/** The longer something waits, the more seldom it is asked for: a quarter of the time, within the limits. */
export function pollAgainAt(waitedMs: number, now: Date, { least = 250, most = 30_000 } = {}): Date {
  return new Date(now.getTime() + Math.min(Math.max(waitedMs / 4, least), most));
}

function spread(random: number): number {
  return 2 * random - 1;
}
