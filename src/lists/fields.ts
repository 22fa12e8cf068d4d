// The fields of a list beside the address, validated like in the API, so that an error has its line number.
import { parseDuration } from '../domain/duration.ts';
import { quote } from '../domain/quote.ts';
import { parseTime } from '../domain/rfc3339.ts';
import { isSourceKind, isSourceName, sourceKinds, sourceNameRule } from '../domain/source-name.ts';
import type { ListExpiry } from './reading.ts';

const longestReason = 500;
const longestName = 100;
/** Control characters, line separators and halves of surrogate pairs. */
const notOneLine = /[\p{Cc}\p{Cs}\u2028\u2029]/u;

/** Null: valid. */
export function reasonProblem(text: string): string | null {
  return textProblem('the reason', text, longestReason);
}

/** Null: valid. */
export function blockedByProblem(text: string): string | null {
  return textProblem('blocked_by', text, longestName);
}

/** Null: valid. */
export function sourceProblem(text: string): string | null {
  if (isSourceName(text)) return null;
  return `${quote(text)} is not a source; ${sourceNameRule}`;
}

/** Null: valid. Empty: not known. */
export function kindProblem(text: string): string | null {
  return text === '' || isSourceKind(text) ? null : `the kind ${quote(text)} is none of ${sourceKinds.join(', ')}`;
}

function textProblem(what: string, text: string, longest: number): string | null {
  if ([...text].length > longest) return `${what} is longer than ${longest} characters`;
  if (notOneLine.test(text)) return `${what} ${quote(text)} contains control characters`;
  if (text.includes('\ufffd')) return `${what} is not UTF-8`;
  return null;
}

export type ExpiryReading =
  | { readonly ok: true; readonly expiry: ListExpiry | null }
  | { readonly ok: false; readonly why: string };

/**
 * `2030-01-31T12:00:00Z`, `7d`, `never`, or nothing (empty, `-`). Files are moved between machines, so a time needs its
 * zone.
 */
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
