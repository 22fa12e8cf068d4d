// `--for` and `--until`: how long a block lasts.
import { parseDuration } from '../domain/duration.ts';
import { quote } from '../domain/quote.ts';
import { parseFutureTime } from '../domain/rfc3339.ts';
import type { ListExpiry } from '../lists/reading.ts';
import { misused } from './failure.ts';

/** @throws Failure (usage); null: for good */
export function expiryOf(options: Readonly<Record<string, unknown>>, now: Date): ListExpiry | null {
  const { for: span, until } = options as { readonly for?: string; readonly until?: string };
  if (span !== undefined && until !== undefined) throw misused('--for and --until exclude each other; give one');
  if (span !== undefined) return { seconds: durationOf(span, '--for') };
  return until === undefined ? null : { at: futureTimeOf(until, '--until', now) };
}

export function durationOf(text: string, flag: string): number {
  const span = parseDuration(text);
  if (!span.ok) throw misused(`${flag}: ${span.why}`);
  return span.seconds;
}

/** In UTC, as the API takes it. A time without a zone is one of this machine's clock on the wall. */
export function futureTimeOf(text: string, flag: string, now: Date): string {
  const time = parseFutureTime(withZone(text), now, 'the time here');
  if (!time.ok) throw misused(`${flag}: ${time.why}`);
  return time.value.toISOString();
}

/** `2030-01-31`, `2030-01-31 12:00` and `2030-01-31T12:00:30` get the zone that is in force here at that time. */
export function withZone(text: string): string {
  const match = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2})?)?$/.exec(text);
  if (match === null) return text;
  const local = `${match[1]}T${match[2] ?? '00:00'}${match[3] ?? ':00'}`;
  const minutes = -new Date(local).getTimezoneOffset();
  if (Number.isNaN(minutes)) return `${local}Z`;
  const two = (value: number): string => String(Math.trunc(value)).padStart(2, '0');
  return `${local}${minutes < 0 ? '-' : '+'}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
}

/** The fields of an API request that say it. */
export function expiryFields(expiry: ListExpiry | null | undefined): {
  expires_at?: string | null;
  duration_seconds?: number;
} {
  if (expiry === null || expiry === undefined) return {};
  return 'at' in expiry ? { expires_at: expiry.at } : { duration_seconds: expiry.seconds };
}

/** One line of text, as the API takes it. */
export function refuseControls(text: string, flag: string): string {
  if (/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text)) throw misused(`${flag} ${quote(text)} holds control characters`);
  return text;
}
