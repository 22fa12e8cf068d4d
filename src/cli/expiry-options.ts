import { parseDuration } from '../domain/duration.ts';
import { quote } from '../domain/quote.ts';
import { parseFutureTime } from '../domain/rfc3339.ts';
import type { ListExpiry } from '../lists/reading.ts';
import { usageError } from './failure.ts';
import type { Options } from './verb.ts';

/** Null: permanent or unchanged. @throws Failure (usage) */
export function expiryOf(options: Options, now: Date): ListExpiry | null {
  const { for: span, until } = options as { readonly for?: string; readonly until?: string };
  if (span !== undefined && until !== undefined) throw usageError('--for and --until cannot be combined; give one');
  if (span !== undefined) return { seconds: durationOf(span, '--for') };
  return until === undefined ? null : { at: futureTimeOf(until, '--until', now) };
}

export function durationOf(text: string, flag: string): number {
  const span = parseDuration(text);
  if (!span.ok) throw usageError(`${flag}: ${span.why}`);
  return span.value;
}

/** In UTC, as the API expects. A time without a zone is local time. */
export function futureTimeOf(text: string, flag: string, now: Date): string {
  const time = parseFutureTime(withZone(text), now, "this machine's time");
  if (!time.ok) throw usageError(`${flag}: ${time.why}`);
  return time.value.toISOString();
}

/** Adds the local zone at that time to `2030-01-31`, `2030-01-31 12:00` and `2030-01-31T12:00:30`. */
export function withZone(text: string): string {
  const match = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2})?)?$/.exec(text);
  if (match === null) return text;
  const local = `${match[1]}T${match[2] ?? '00:00'}${match[3] ?? ':00'}`;
  const minutes = -new Date(local).getTimezoneOffset();
  if (Number.isNaN(minutes)) return `${local}Z`;
  const two = (value: number): string => String(Math.trunc(value)).padStart(2, '0');
  return `${local}${minutes < 0 ? '-' : '+'}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
}

export function expiryFields(expiry: ListExpiry | null | undefined): {
  expires_at?: string | null;
  duration_seconds?: number;
} {
  if (expiry === null || expiry === undefined) return {};
  return 'at' in expiry ? { expires_at: expiry.at } : { duration_seconds: expiry.seconds };
}

/** @throws Failure (usage) */
export function refuseControls(text: string, flag: string): string {
  if (/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text)) throw usageError(`${flag} ${quote(text)} contains control characters`);
  return text;
}
