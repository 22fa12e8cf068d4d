// Whether an issued certificate is stored although it is not valid by the clock of this machine (ADR 0105). Pure.
import type { CertificateLife } from '../store/certificate-ends.ts';
import { latestRenewal } from './schedule.ts';

/**
 * The time by which it is judged; null: it waits for the clock of this machine. By the clock of the authority only if one of
 * its names has no other certificate, or one that expires soon by this clock: while all last, to wait costs nothing.
 * @param served for each of its names the lifetime of the certificate that serves it now; null: none does
 * @param aheadMs how far the clock of this machine is ahead of the authority's; 0: it is correct, or that is not known
 */
export function judgedAt(
  issued: CertificateLife,
  served: readonly (CertificateLife | null)[],
  now: Date,
  aheadMs: number,
): Date | null {
  if (isValid(issued, now)) return now;
  const theirs = new Date(now.getTime() - aheadMs);
  const isNeeded = served.some((life) => life === null || latestRenewal(life) <= theirs);
  return isNeeded && isValid(issued, theirs) ? theirs : null;
}

function isValid({ notBefore, notAfter }: CertificateLife, at: Date): boolean {
  return notBefore <= at && at < notAfter;
}
