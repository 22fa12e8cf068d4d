import type { EntryFilterQuery } from '../api/blocked-entries.ts';
import type { EntryQuery } from '../blocking/blocked-set-service.ts';
import { parseDuration } from '../domain/duration.ts';
import { quote } from '../domain/quote.ts';
import { parseTime } from '../domain/rfc3339.ts';
import { codes } from '../errors/catalogue.ts';
import type { NotHit } from '../insight/insight-service.ts';
import { rejectedFields } from './rejections.ts';
import { validDuration } from './request-values.ts';
import type { Services } from './services.ts';

const LONGEST_IPV4_PREFIX = 32;

/** Errors: 100 and 104. */
export function readEntryFilter(query: EntryFilterQuery, now: Date): EntryQuery {
  const { family, wider_than: widerThan, blocked_since: since } = query;
  if (widerThan !== undefined && widerThan > LONGEST_IPV4_PREFIX && family !== 'ipv6') {
    const description = `${widerThan} is longer than any IPv4 prefix; send a number from 2 to ${LONGEST_IPV4_PREFIX}, or family=ipv6 with it`;
    throw rejectedFields([{ name: 'wider_than', description }]);
  }
  return {
    ...(family !== undefined && { family: family === 'ipv4' ? 4 : 6 }),
    ...(widerThan !== undefined && { widerThan }),
    ...(since !== undefined && { blockedSince: readSince(since, now) }),
  };
}

/** A duration, so that a saved view selects the last day whenever it is opened; or a time. */
function readSince(text: string, now: Date): Date {
  const duration = parseDuration(text);
  if (duration.ok) return new Date(now.getTime() - duration.value * 1_000);
  const time = parseTime(text);
  if (time.ok) return time.value;
  const description = `${quote(text)} is neither a time such as 2030-01-31T12:00:00Z nor a duration such as 90s, 30m, 4h, 7d or 2w`;
  throw rejectedFields([{ name: 'blocked_since', description }], codes.InvalidTime);
}

const daySeconds = 86_400;
const longestSeconds = 400 * daySeconds;

/** Undefined: not asked for. Errors: 100, 104; 7010 to 7012. */
export async function notHitOf(
  { not_hit_for: text }: { readonly not_hit_for?: string },
  insight: Services['insight'],
): Promise<NotHit | undefined> {
  if (text === undefined) return undefined;
  const seconds = validDuration('not_hit_for', text);
  if (seconds >= daySeconds && seconds <= longestSeconds) return await insight.notHit(seconds);
  const description = `${quote(text)} is not valid: it must be at least 1d and at most 400d`;
  throw rejectedFields([{ name: 'not_hit_for', description }]);
}

/** Errors: 100 and 104. */
export function hitFilterOf({ hit_within: text }: { readonly hit_within?: string }, now: Date) {
  if (text === undefined) return {};
  const seconds = validDuration('hit_within', text);
  if (seconds <= longestSeconds) return { hitSince: new Date(now.getTime() - seconds * 1_000) };
  throw rejectedFields([{ name: 'hit_within', description: `${quote(text)} is not valid: it must be at most 400d` }]);
}
