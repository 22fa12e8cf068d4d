import type { TrustEnd } from '../../api/trusted-ips.ts';
import { momentText } from '../../parts/times.ts';

const hour = 3_600;

const spans: readonly (readonly [seconds: number, label: string])[] = [
  [hour, '1 hour'],
  [8 * hour, '8 hours'],
  [24 * hour, '24 hours'],
  [7 * 24 * hour, '7 days'],
  [30 * 24 * hour, '30 days'],
];

interface Option {
  readonly value: string;
  readonly label: string;
}

/** @param expiresAt of an existing entry, which a shorter duration does not shorten; undefined: a new entry */
export function trustDurations(expiresAt?: string): readonly Option[] {
  const permanent = { value: 'permanent', label: 'Permanent' };
  const timed = (prefix: string): Option[] =>
    spans.map(([seconds, label]) => ({ value: String(seconds), label: `${prefix}${label}` }));
  if (expiresAt === undefined) return [permanent, ...timed('')];
  return [{ value: 'keep', label: `Until ${momentText(expiresAt)}` }, ...timed('At least '), permanent];
}

/** Durations instead of times, so that the browser's clock does not matter. */
export function trustEnd(value: string): TrustEnd {
  if (value === 'keep') return {};
  return value === 'permanent' ? { expires_at: null } : { duration_seconds: Number(value) };
}

export function trustedUntil(expiresAt: string | null): string {
  return expiresAt === null ? '' : ` until ${momentText(expiresAt)}`;
}
