// What a list may say beside an address, checked as the API would, so that a bad line has its number.
import { parseDuration } from '../domain/duration.ts';
import { quote } from '../domain/quote.ts';
import { parseTime } from '../domain/rfc3339.ts';
import type { ListExpiry } from './reading.ts';

const longestReason = 500;
const longestName = 100;
/** Control characters, line separators and halves of surrogate pairs. */
const notOneLine = /[\p{Cc}\p{Cs}\u2028\u2029]/u;

/** Why a text cannot be a reason; null: it can. */
export function reasonProblem(text: string): string | null {
  return textProblem('the reason', text, longestReason);
}

/** Why a text cannot say who blocked; null: it can. */
export function blockedByProblem(text: string): string | null {
  return textProblem('blocked_by', text, longestName);
}

function textProblem(what: string, text: string, longest: number): string | null {
  if ([...text].length > longest) return `${what} is longer than ${longest} characters`;
  if (notOneLine.test(text)) return `${what} ${quote(text)} holds control characters`;
  if (text.includes('\ufffd')) return `${what} is not UTF-8`;
  return null;
}

export type ExpiryReading =
  | { readonly ok: true; readonly expiry: ListExpiry | null }
  | { readonly ok: false; readonly why: string };

/** `2030-01-31T12:00:00Z`, `7d`, `never`, or nothing (empty, `-`). A file travels, so a time has its zone. */
export function readExpiry(text: string): ExpiryReading {
  if (text === '' || text === '-' || /^null$/i.test(text)) return { ok: true, expiry: null };
  if (/^(never|permanent)$/i.test(text)) return { ok: true, expiry: { at: null } };
  const span = parseDuration(text);
  if (span.ok) return { ok: true, expiry: { seconds: span.value } };
  const time = parseTime(text);
  if (time.ok) return { ok: true, expiry: { at: time.value.toISOString() } };
  if (/^[0-9]{4}-/.test(text)) return { ok: false, why: time.why };
  return {
    ok: false,
    why: `the expiry ${quote(text)} is neither a time such as 2030-01-31T12:00:00Z nor a duration such as 7d`,
  };
}
