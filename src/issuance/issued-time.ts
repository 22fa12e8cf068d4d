// Whether an issued certificate is stored although it is not valid by the clock of this machine (ADR 0105). Pure.
import { latestRenewal } from './schedule.ts';

interface Life {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/**
 * The time by which it is judged; null: it waits for the clock of this machine. By the clock of the authority only if there
 * is no other certificate, or that one expires soon by this clock: while it lasts, to wait costs nothing.
 * @param served the lifetime of the version before; null: there is none
 * @param aheadMs how far the clock of this machine is ahead of the authority's; 0: it is correct, or that is not known
 */
export function judgedAt(issued: Life, served: Life | null, now: Date, aheadMs: number): Date | null {
  if (isValid(issued, now)) return now;
  const theirs = new Date(now.getTime() - aheadMs);
  const isNeeded = served === null || latestRenewal(served) <= theirs;
  return isNeeded && isValid(issued, theirs) ? theirs : null;
}

function isValid({ notBefore, notAfter }: Life, at: Date): boolean {
  return notBefore <= at && at < notAfter;
}
